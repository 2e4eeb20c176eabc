import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { ExternalMessage } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import type { SecretLinkKey } from '../../identity/secret-links.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import { findLinkPractice, type LinkPractice } from '../../practices/link-practice.ts';
import { inPractice, type Tx } from '../../tx.ts';
import { isFormerNumber, NUMBER_OF_TEXT } from '../queue/former-numbers.ts';
import { queueCode } from './external-message-notices.ts';
import { createProof } from './external-message-proofs.ts';
import { type Address, findCodeAddresses, maskAddress } from './external-message-recipients.ts';
import { type CodeState, checkCode, createCode, isCodeValid, isLocked, MAX_GUESSES_PER_CODE, nextCodeAllowedAt } from './one-time-codes.ts';

export interface LinkedMessage {
  message: ExternalMessage;
  practice: LinkPractice;
  /** Of the chart; null where it is to no patient, or the chart names none. */
  patientLanguage: string | null;
  /** Its link went to a number or address that is no longer the patient's. */
  toFormerNumber: boolean;
}

/** It is shown to those who enter a code that was sent for it. */
export const isProtected = ({ message, toFormerNumber }: LinkedMessage): boolean => message.extraAuth || toFormerNumber;

/** State of the one-time code of a message, as its page displays it. */
export interface CodeStatus {
  practice: LinkPractice;
  /** Masked destination of the current code; null where there is none. */
  sentTo: string | null;
  /** The code that was sent last has expired. */
  expired: boolean;
  /** Wrong guesses since the last code was sent. */
  wrongGuesses: number;
  guessesLeft: number;
  /** Masked destination of the next code; null where none can be sent. */
  nextTo: string | null;
  /** Time from which another code may be requested; null for now. */
  nextCodeAt: Date | null;
}

export async function findCodeStatus(tx: Tx, linked: LinkedMessage, now: Date): Promise<CodeStatus> {
  const { message, practice } = linked;
  const [address] = isLocked(message) ? [] : await findCodeAddresses(tx, linked);
  // The masked destination reveals something of the recipient, so the page is audited.
  tx.journal.audits.push({ action: 'read', resource: 'external_message', ids: [message.id], detail: 'asks for a code' });
  return describeCode(message, { practice, sentTo: message.sentTo, next: address }, now);
}

/** The state of a code, as a page displays it. @param next where another one would go */
export function describeCode(
  state: CodeState & { codeSentTo: string | null },
  { practice, sentTo, next }: { practice: LinkPractice; sentTo: string; next: Address | undefined },
  now: Date,
): CodeStatus {
  const stands = !isLocked(state) && isCodeValid(state, now);
  return {
    practice,
    sentTo: stands ? mask(state.codeSentTo ?? sentTo) : null,
    expired: !stands && state.codeHash !== null,
    wrongGuesses: state.wrongCodes,
    guessesLeft: MAX_GUESSES_PER_CODE - state.wrongCodes,
    nextTo: next ? maskAddress(next) : null,
    nextCodeAt: nextCodeAllowedAt(state, now),
  };
}

const mask = (to: string): string => maskAddress({ channel: to.includes('@') ? 'email' : 'sms', to });

interface CodeRequest {
  link: SecretLinkKey;
  keyring: Keyring;
  now: Date;
}

/**
 * Sends a new code, which replaces the previous one. Where none can be sent, or too many were, the page says so.
 * @returns false for an unknown link
 */
export async function requestCode(tx: Tx, { link, keyring, now }: CodeRequest): Promise<boolean> {
  const held = await lockByLink(tx.prisma, link);
  if (!held) return false;
  const { message, practice } = held;
  if (!isProtected(held) || now >= message.expiresAt || isLocked(message) || nextCodeAllowedAt(message, now) !== null) return true;
  const { patientId, id } = message;
  const [address] = await findCodeAddresses(tx, held);
  if (!address) return true;
  const { code, kept } = createCode(keyring, toSubject(message), message, now);
  await queueCode(tx, { keyring, practice, patientId, address, code });
  await change(tx.prisma, message, { ...kept, codeSentTo: address.to });
  recordChange(tx, 'update', { name: 'external_message.code_sent', id }, toPatientIds(message));
  return true;
}

/** Result of an entered code: a proof for the browser if it is right; `unknown` for an unknown link. */
export type CodeResult = { outcome: 'right'; proof: string } | { outcome: 'wrong' | 'none' | 'unknown' };

/** Checks an entered code. Concurrent guesses wait for each other, and all count. */
export async function enterCode(tx: Tx, { link, keyring, now }: CodeRequest, typed: string): Promise<CodeResult> {
  const held = await lockByLink(tx.prisma, link);
  if (!held) return { outcome: 'unknown' };
  const { message } = held;
  if (!isProtected(held) || now >= message.expiresAt) return { outcome: 'none' };
  const trial = checkCode(keyring, toSubject(message), message, typed, now);
  if (trial.outcome === 'none') return trial;
  await change(tx.prisma, message, trial.kept);
  const isRight = trial.outcome === 'right';
  const name = isRight ? 'external_message.code_accepted' : 'external_message.code_refused';
  recordChange(tx, isRight ? 'sign_in' : 'sign_in_refused', { name, id: message.id }, toPatientIds(message));
  return isRight ? { outcome: 'right', proof: createProof(keyring, message, now) } : { outcome: 'wrong' };
}

const toSubject = ({ organizationId, id }: ExternalMessage): string => `external_message/${organizationId}/${id}`;

type CodeColumns = Partial<
  Pick<ExternalMessage, 'codeHash' | 'codeExpiresAt' | 'codeSentTo' | 'codesSentAt' | 'wrongCodes' | 'wrongInAll'>
>;

async function change(db: Db, { organizationId, id }: ExternalMessage, data: CodeColumns): Promise<void> {
  await db.externalMessage.update({ where: { organizationId_id: { organizationId, id } }, data, select: { id: true } });
}

/** The message, locked until the transaction ends; null where there is none, it was withdrawn, or the practice was closed. */
async function lockByLink(db: Db, link: SecretLinkKey): Promise<LinkedMessage | null> {
  const { organizationId, hash } = link;
  await db.$queryRaw`
    SELECT id FROM external_message WHERE organization_id = ${organizationId} AND link_hash = ${hash} FOR NO KEY UPDATE`;
  return findByLink(db, link);
}

/** Null for an unknown link, a withdrawn message or a closed practice. */
export async function findByLink(db: Db, link: SecretLinkKey): Promise<LinkedMessage | null> {
  const { organizationId, hash: linkHash } = link;
  const found = await db.externalMessage.findUnique({
    where: { organizationId_linkHash: { organizationId, linkHash } },
    include: { text: NUMBER_OF_TEXT, mail: { select: { ownAddress: true, toAddress: true } } },
  });
  const practice = found?.withdrawnAt === null ? await findLinkPractice(inPractice(db, organizationId)) : null;
  if (!found || !practice) return null;
  const { text, mail, ...message } = found;
  const reach = message.patientId === null ? undefined : await findPatientReach(inPractice(db, organizationId), message.patientId);
  const toFormerNumber = isFormerNumber(text, reach) || (mail?.ownAddress === true && mail.toAddress !== reach?.email);
  return { message, practice, patientLanguage: reach?.languageCode ?? null, toFormerNumber };
}
