import type { Db } from '../../../database/database.ts';
import type { SecretLinkKey } from '../../identity/secret-links.ts';
import { findLinkPractice } from '../../practices/link-practice.ts';
import type { Tx } from '../../tx.ts';
import type { ExternalMessageVisit } from './external-message-access.ts';
import { type CodeResult, type CodeStatus, describeCode } from './external-message-codes.ts';
import { queueCode } from './external-message-notices.ts';
import { createProof, isValidProof } from './external-message-proofs.ts';
import { findCodeAddresses } from './external-message-recipients.ts';
import { FORMER_LINK, type FormerLink } from './former-links.sql.ts';
import { type CodeState, checkCode, createCode, isLocked, nextCodeAllowedAt } from './one-time-codes.ts';

/** The state of the code of a locked page, and the code of its patient's language. */
export interface LockedLink {
  codeStatus: CodeStatus;
  patientLanguage: string | null;
}

const NO_CODE = { codeHash: null, codeExpiresAt: null, codesSentAt: [], wrongCodes: 0, wrongInAll: 0, codeSentTo: null };

/**
 * Whether a link of a check-in or an invite shows anything only after a code: it left to a number or an address that is no longer its patient's. Audited,
 * since the page shows where the code goes.
 * @returns null for a link that shows what it has
 */
export async function findLock(tx: Tx, { link, proof, keyring, now }: ExternalMessageVisit): Promise<LockedLink | null> {
  const former = await findFormer(tx, link);
  const practice = former && !isValidProof(keyring, toKey(link), proof, now) ? await findLinkPractice(tx) : null;
  if (!former || !practice) return null;
  const state = (await tx.prisma.linkCode.findUnique({ where: whereLink(link) })) ?? NO_CODE;
  const [next] = isLocked(state) ? [] : await listAddresses(tx, former);
  tx.journal.audits.push({ action: 'read', resource: 'patient', ids: [former.patientId], detail: 'asks for a code' });
  return { codeStatus: describeCode(state, { practice, sentTo: former.sentTo, next }, now), patientLanguage: former.languageCode };
}

/** Sends a code to an address that the patient has now. Where none can be sent, or too many were, the page says so. */
export async function requestLinkCode(tx: Tx, { link, keyring, now }: ExternalMessageVisit): Promise<void> {
  const [former, practice] = [await findFormer(tx, link), await findLinkPractice(tx)];
  if (!former || !practice) return;
  const state = await lockCode(tx.prisma, link, former);
  const [address] = await listAddresses(tx, former);
  if (!address || isLocked(state) || nextCodeAllowedAt(state, now) !== null) return;
  const { code, kept } = createCode(keyring, toSubject(link), state, now);
  await queueCode(tx, { keyring, practice, patientId: former.patientId, address, code });
  await tx.prisma.linkCode.update({ where: whereLink(link), data: { ...kept, codeSentTo: address.to }, select: { wrongCodes: true } });
}

/** Checks an entered code. Concurrent guesses wait for each other, and all count. */
export async function enterLinkCode(tx: Tx, { link, keyring, now }: ExternalMessageVisit, typed: string): Promise<CodeResult> {
  const former = await findFormer(tx, link);
  if (!former) return { outcome: 'none' };
  const trial = checkCode(keyring, toSubject(link), await lockCode(tx.prisma, link, former), typed, now);
  if (trial.outcome === 'none') return trial;
  await tx.prisma.linkCode.update({ where: whereLink(link), data: trial.kept, select: { wrongCodes: true } });
  const isRight = trial.outcome === 'right';
  const action = isRight ? 'sign_in' : 'sign_in_refused';
  tx.journal.audits.push({ action, resource: 'patient', ids: [former.patientId], detail: 'a code for a link' });
  return isRight ? { outcome: 'right', proof: createProof(keyring, toKey(link), now) } : { outcome: 'wrong' };
}

async function findFormer(tx: Tx, { hash }: SecretLinkKey): Promise<FormerLink | null> {
  const [former = null] = await tx.rows(FORMER_LINK, [hash]);
  return former;
}

const listAddresses = (tx: Tx, { patientId, sentTo }: FormerLink) =>
  findCodeAddresses(tx, {
    message: { contactId: patientId, patientId, channel: sentTo.includes('@') ? 'email' : 'sms', sentTo },
    toFormerNumber: true,
  });

async function lockCode(db: Db, link: SecretLinkKey, { patientId }: FormerLink): Promise<CodeState> {
  const { organizationId, hash: linkHash } = link;
  await db.linkCode.createMany({ data: [{ organizationId, linkHash, patientId }], skipDuplicates: true });
  await db.$queryRaw`SELECT FROM link_code WHERE organization_id = ${organizationId} AND link_hash = ${linkHash} FOR NO KEY UPDATE`;
  return db.linkCode.findUniqueOrThrow({ where: whereLink(link) });
}

const whereLink = ({ organizationId, hash: linkHash }: SecretLinkKey) => ({ organizationId_linkHash: { organizationId, linkHash } });
const toKey = ({ organizationId, hash }: SecretLinkKey) => ({ organizationId, id: Buffer.from(hash).toString('hex') });
const toSubject = (link: SecretLinkKey): string => `link/${toKey(link).organizationId}/${toKey(link).id}`;
