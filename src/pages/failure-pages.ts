import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../domain/errors.ts';
import { logServerFailure, statusOf, toFailure } from '../http/error-mapping.ts';
import { PAGE_POLICY } from './content-security-policy.ts';
import { writePage } from './design/page.ts';
import { practiceContact } from './design/practice-contact.ts';
import { html } from './html.ts';

/** One failure for unknown, altered and withdrawn links, so that nobody learns which of them it is. */
export const unknownLink = () => new Failure('not_found', 'link_unknown', 'This link does not open anything.');

const HEADINGS: Partial<Record<Failure['kind'], string>> = {
  not_found: 'This link does not work',
  too_many_requests: 'Please wait a moment',
  unavailable: 'We cannot show this right now',
  internal: 'Something went wrong',
};

const ADVICE: Partial<Record<Failure['kind'], string>> = {
  method_not_allowed: 'This page cannot be opened in this way. Please open your link again.',
  not_found: 'Please check that you opened the whole link. If it still does not work, call your practice and ask for a new one.',
  unavailable: 'Nothing is lost. Please try again in a minute.',
  internal: 'Nothing that you did caused this. Please try again, and call your practice if it happens again.',
};

/** A link that cannot be decoded is an unknown one. */
export const unreadableLinks = {
  addresses: /^\/[vwcm]\//,
  send: (request: FastifyRequest, reply: FastifyReply) =>
    sendFailurePage(unknownLink(), request, reply.headers({ 'content-security-policy': PAGE_POLICY, 'cache-control': 'no-store' })),
};

/** Sends a failure as a page in plain language. */
export function sendFailurePage(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error);
  logServerFailure(failure, request);
  if (failure.retryAfter !== undefined) reply.header('retry-after', String(failure.retryAfter));
  const words = ADVICE[failure.kind] ?? failure.message;
  const title = HEADINGS[failure.kind] ?? 'This did not work';
  const page = writePage({
    title,
    mark: { icon: 'warning', kind: 'warning' },
    content: html`<p>${words}</p>`,
    foot: practiceContact(null),
  });
  return reply.code(statusOf(failure)).headers(failure.headers).type('text/html; charset=utf-8').send(page);
}
