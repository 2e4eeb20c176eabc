import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { type CallerIdentity, jobCaller, SANDBOX_ACTOR } from '../../domain/caller.ts';
import { notFound, unavailable } from '../../domain/errors.ts';
import { findLinkPractice, type LinkPractice } from '../../domain/practices/link-practice.ts';
import type { Tx } from '../../domain/tx.ts';
import { CARRIER_WEBHOOK } from '../../gateways/carrier/create-carrier.ts';
import { LOCAL_SIGNATURE, signLocalForm } from '../../gateways/carrier/local-carrier.ts';
import { nameOperation } from '../../http/errors/error-mapping.ts';
import { readOrigin } from '../../http/wire/links.ts';
import { linkButton } from '../design/forms/button.ts';
import { type Page, writePage } from '../design/layout/page.ts';
import { html } from '../html.ts';
import type { SandboxPageDeps } from './sandbox-deps.ts';

/** The user of the sandbox, as a caller in one of the demo practices. */
export const sandboxCaller = (request: FastifyRequest, organizationId: number): CallerIdentity => ({
  ...jobCaller(organizationId, 'sandbox'),
  actor: SANDBOX_ACTOR,
  operation: nameOperation(request),
  requestId: request.id,
  address: request.ip,
});

const PURPOSE = 'sandbox-address';
/** It is stored nowhere. */
const IN_ADDRESSES = { table: '', column: 'sandbox address', organizationId: null, row: '' };
const sandboxKeyContent = z.object({ practice: z.int(), at: z.string() });

/** Encrypted key of a phone or mailbox in page addresses, so that no address contains a phone number or mail address. */
export function sandboxKey(keyring: Keyring, practice: number, at: string): string {
  return keyring.encrypt(PURPOSE, JSON.stringify({ practice, at }), IN_ADDRESSES);
}

/** @throws Failure not_found for a key that sandboxKey did not make, or of a practice that is not one for trying things out */
export function readSandboxKey({ keyring, testPracticeIds }: SandboxPageDeps, request: FastifyRequest): { practice: number; at: string } {
  const { key } = z.object({ key: z.string() }).parse(request.params);
  try {
    const read = sandboxKeyContent.parse(JSON.parse(keyring.decrypt(PURPOSE, key, IN_ADDRESSES)));
    if (testPracticeIds.includes(read.practice)) return read;
  } catch {
    // Altered, or encrypted with another master key.
  }
  throw notFound('page');
}

/**
 * Sends a signed webhook of the local carrier to this server, through all its layers.
 * @returns the body of the response
 * @throws Failure unavailable unless the response is 200
 */
export async function sendCarrierRequest(
  { keyring }: SandboxPageDeps,
  request: FastifyRequest,
  form: Record<string, string>,
): Promise<string> {
  const answer = await request.server.inject({
    method: 'POST',
    url: CARRIER_WEBHOOK,
    headers: {
      host: request.headers.host ?? '',
      'content-type': 'application/x-www-form-urlencoded',
      [LOCAL_SIGNATURE]: signLocalForm(keyring, { url: `${readOrigin(request)}${CARRIER_WEBHOOK}`, form }),
    },
    payload: new URLSearchParams(form).toString(),
  });
  if (answer.statusCode !== 200) throw unavailable('The server did not accept this. Try again in a moment.');
  return answer.body;
}

export const showPage = (reply: FastifyReply, page: Page): FastifyReply =>
  reply.type('text/html; charset=utf-8').send(writePage({ ...page, style: '/assets/sandbox.css', foot: SANDBOX_FOOT }));

const SANDBOX_FOOT = html`<p>This is the sandbox of the demo: nothing here leaves this computer.</p>`;

/** The practice of a page of the sandbox. @throws Failure not_found where it was closed */
export async function requirePractice(tx: Tx): Promise<LinkPractice> {
  const practice = await findLinkPractice(tx);
  if (!practice) throw notFound('page');
  return practice;
}

const KINDS = { plain: 'telephone', fax: 'fax', voice_pager: 'voice pager' } as const;

export const readableKind = (kind: keyof typeof KINDS): string => KINDS[kind];

/** `Mar 8, 2031, 10:00 AM EST`, in the practice's time zone. */
export function readableTime(at: Date, timeZone: string): string {
  const day = { month: 'short', day: 'numeric', year: 'numeric' } as const;
  return new Intl.DateTimeFormat('en-US', { ...day, hour: 'numeric', minute: '2-digit', timeZoneName: 'short', timeZone }).format(at);
}

const LINK = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)'])/;

/** The body of a message as markup with links. Placeholders that are not filled in yet are shown as `[link]` and `[code]`. */
export function withLinks(body: string): string {
  return body
    .split(LINK)
    .map((part, index) =>
      index % 2 === 1 ? html`<a href="${part}" target="_blank" rel="noopener">${part}</a>` : html`${showPlaceholders(part)}`,
    )
    .join('');
}

const showPlaceholders = (text: string): string => text.replaceAll('{{url}}', '[link]').replaceAll('{{code}}', '[code]');

const REASONS: Record<string, string> = {
  opted_out: 'this number opted out of texts (STOP)',
  do_not_sms: 'the chart says: no texts',
  do_not_call: 'the chart says: no contact',
  deceased: 'the patient has died',
  patient_gone: 'the chart is deleted',
  no_mobile_number: 'the chart has no mobile number',
  no_email: 'the chart has no mail address',
  unreachable: 'the phone is unreachable',
  withdrawn: 'the practice withdrew it',
};

export const readableReason = (reason: string | null): string => REASONS[reason ?? ''] ?? (reason ?? 'unknown').replaceAll('_', ' ');

export const FRONT_PAGE = { href: '/sandbox', label: 'All phones and mailboxes' };

/** Reload interval of a page on which a message is queued, as the header `Refresh` has it. */
export const REFRESH_SECONDS = '2';

export const reloadButton = (path: string): string => linkButton({ href: path, label: 'Look again', kind: 'plain' });
