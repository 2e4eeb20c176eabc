import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { OutgoingMail } from '../../../gateways/mail/mailer.ts';
import type { MailMessage } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import { invalid } from '../../errors.ts';
import { findPatientReach, type Reach } from '../../patients/guardians/reach.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { nowIn } from '../../values/test-practices.ts';
import { countCharacters } from '../../values/text-form.ts';
import { findMainGroup, openInboxItem } from '../inbox/inbox.ts';
import { nextId } from '../queue/next-ids.ts';
import { findSuppressionReason } from '../recipients/consent.ts';
import { fillSealedPlaceholders, type PlaceholderSealer } from '../templates/sealed-placeholders.ts';

const MAX_SUBJECT_LENGTH = 250;
const MAX_BODY_LENGTH = 100_000;

export interface NewMail {
  /** The recipient; their email address is used unless `to` is given. */
  patientId?: number | undefined;
  to?: string | undefined;
  subject: string;
  /** Plain text. */
  body: string;
  /** The time at which it leaves; now unless given. */
  sendAt?: Date | undefined;
  /** Seals the values of `{{url}}` and `{{code}}` in the body (see sealed-placeholders.ts). */
  sealed?: PlaceholderSealer;
}

/**
 * Queues a mail in the given transaction; a worker sends it. A mail without an address is stored as suppressed.
 * @throws Failure invalid for a subject or body that is empty or too long
 */
export async function queueMail(tx: Tx, { patientId, to, subject, body, sealed, sendAt }: NewMail): Promise<MailMessage> {
  if (subject.trim() === '' || countCharacters(subject) > MAX_SUBJECT_LENGTH || /[\r\n]/.test(subject))
    throw invalid('subject', `must be one line of at most ${MAX_SUBJECT_LENGTH} characters`, 'invalid_subject');
  if (body.trim() === '' || countCharacters(body) > MAX_BODY_LENGTH)
    throw invalid('message', `must have 1 to ${MAX_BODY_LENGTH} characters`, 'too_long');
  const reach = patientId === undefined ? undefined : await findPatientReach(tx, patientId);
  const own = reach?.email ?? null;
  const address = to ?? own;
  const secrets = sealed && address !== null ? await sealRow(tx, sealed) : { sealed: null };
  const mail = await tx.prisma.mailMessage.create({
    data: {
      ...secrets,
      ...tx.practice,
      patientId: patientId ?? null,
      toAddress: address ?? '',
      ownAddress: address !== null && address === own,
      toGuardian: isForGuardian(reach),
      notBefore: sendAt ?? null,
      subject,
      body,
      ...(address === null ? { state: 'suppressed', reason: 'no_email' } : { state: 'queued' }),
    },
  });
  recordChange(tx, 'create', { name: address === null ? 'mail.suppressed' : 'mail.queued', id: mail.id }, toPatientIds(mail));
  if (patientId !== undefined) tx.journal.audits.push({ action: 'read', resource: 'patient', ids: [patientId] });
  if (address !== null) tx.journal.jobs.push({ queue: 'send-mail', id: mail.id, ...(sendAt && { startAfter: sendAt }) });
  return mail;
}

/** The id of the next mail, and the values sealed for it. */
async function sealRow(tx: PracticeTx, seal: PlaceholderSealer): Promise<{ id: number; sealed: string }> {
  const id = await nextId(tx.prisma, 'mail_message');
  return { id, sealed: seal('mail', { ...tx.practice, id }) };
}

const isForGuardian = (reach: Reach | undefined): boolean => (reach?.nameToGuardian ?? null) !== null;

/**
 * Prepares a queued mail for sending, or suppresses it. Quiet hours do not apply to mail. Where its patient is reached by another address since,
 * it goes to that one, unless it was attempted, so that it may have arrived, or its words are for a guardian and the reader is none, or the
 * other way round.
 * @returns null where there is nothing to send now
 */
export async function prepareMail(tx: Tx, id: number, keyring: Keyring): Promise<OutgoingMail | null> {
  const { organizationId } = tx;
  const mail = await lockMail(tx, id);
  if (mail?.state !== 'queued') return null;
  if (mail.notBefore !== null && mail.notBefore > nowIn(organizationId)) {
    tx.journal.jobs.push({ queue: 'send-mail', id, startAfter: mail.notBefore });
    return null;
  }
  const objection = mail.patientId === null ? null : await findSuppressionReason(tx, mail.patientId, 'mail');
  const reach = mail.patientId === null ? undefined : await findPatientReach(tx, mail.patientId);
  const to = mail.ownAddress && reach ? reach.email : mail.toAddress;
  const isForOther = mail.ownAddress && reach !== undefined && mail.toGuardian !== isForGuardian(reach);
  if (objection !== null || to === null || isForOther || (to !== mail.toAddress && mail.attempts > 0)) {
    await setMailState(tx, mail, { state: 'suppressed', reason: objection ?? 'address_changed' });
    if (objection === null) await showInInbox(tx, mail);
    return null;
  }
  if (to !== mail.toAddress) await redirect(tx, mail, to);
  await tx.prisma.mailMessage.update({ where: toKey(mail), data: { toAddress: to, attempts: { increment: 1 } }, select: { id: true } });
  const { name } = await tx.prisma.organization.findUniqueOrThrow({ where: { id: organizationId }, select: { name: true } });
  const { subject } = mail;
  return { reference: mailReference(mail), fromName: name, to, subject, body: fillSealedPlaceholders(keyring, 'mail', mail) };
}

/** Records that a mail goes to another address, which its message or invitation shows too. */
async function redirect(tx: Tx, { organizationId, id, patientId }: MailMessage, sentTo: string): Promise<void> {
  const where = { organizationId, mailMessageId: id };
  await tx.prisma.externalMessage.updateMany({ where, data: { sentTo } });
  await tx.prisma.sessionInvite.updateMany({ where, data: { sentTo } });
  recordChange(tx, 'update', { name: 'mail.redirected', id, changed: ['toAddress'] }, toPatientIds({ patientId }));
}

async function showInInbox(tx: Tx, { id, patientId }: MailMessage): Promise<void> {
  const chatId = await findMainGroup(tx);
  await openInboxItem(tx, { kind: 'address_changed', subject: { type: 'mail', id }, contactId: null, patientId, chatId });
}

/** Permanent name of a mail at the mail server. */
export const mailReference = ({ organizationId, id }: Pick<MailMessage, 'organizationId' | 'id'>): string => `mail-${organizationId}-${id}`;

export async function recordMailSent(tx: Tx, id: number): Promise<void> {
  const mail = await lockMail(tx, id);
  if (mail?.state === 'queued') await setMailState(tx, mail, { state: 'sent', sentAt: new Date(), reason: null });
}

export async function recordMailFailed(tx: Tx, id: number, reason: string): Promise<void> {
  const mail = await lockMail(tx, id);
  if (mail?.state === 'queued') await setMailState(tx, mail, { state: 'failed', reason });
}

/** Withdraws a mail that has not been attempted, as withdrawText does. */
export async function withdrawMail(tx: Tx, id: number): Promise<void> {
  const mail = await lockMail(tx, id);
  if (mail?.state === 'queued' && mail.attempts === 0) await setMailState(tx, mail, { state: 'suppressed', reason: 'withdrawn' });
}

type MailStateChange = { state: 'sent' | 'failed' | 'suppressed'; reason: string | null; sentAt?: Date };

async function setMailState(tx: Tx, mail: MailMessage, change: MailStateChange): Promise<void> {
  await tx.prisma.mailMessage.update({ where: toKey(mail), data: { ...change, sealed: null } });
  recordChange(tx, 'update', { name: `mail.${change.state}`, id: mail.id, changed: Object.keys(change) }, toPatientIds(mail));
}

const toKey = ({ organizationId, id }: MailMessage) => ({ organizationId_id: { organizationId, id } });

/** The mail, locked until the transaction ends. */
async function lockMail(tx: Tx, id: number): Promise<MailMessage | null> {
  await tx.prisma.$queryRaw`SELECT id FROM mail_message WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  return tx.prisma.mailMessage.findUnique({ where: tx.key(id) });
}
