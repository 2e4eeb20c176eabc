import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { OutgoingMail } from '../../../gateways/mail/mailer.ts';
import type { MailMessage } from '../../../generated/prisma/client.ts';
import { recordChange, toPatientIds } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { invalid } from '../../errors.ts';
import { findPatientReach, type Reach } from '../../patients/guardians/reach.ts';
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
export async function queueMail(db: Db, caller: Caller, { patientId, to, subject, body, sealed, sendAt }: NewMail): Promise<MailMessage> {
  const { organizationId } = caller;
  if (subject.trim() === '' || countCharacters(subject) > MAX_SUBJECT_LENGTH || /[\r\n]/.test(subject))
    throw invalid('subject', `must be one line of at most ${MAX_SUBJECT_LENGTH} characters`, 'invalid_subject');
  if (body.trim() === '' || countCharacters(body) > MAX_BODY_LENGTH)
    throw invalid('message', `must have 1 to ${MAX_BODY_LENGTH} characters`, 'too_long');
  const reach = patientId === undefined ? undefined : await findPatientReach(preparedIn(db), caller, patientId);
  const own = reach?.email ?? null;
  const address = to ?? own;
  const secrets = sealed && address !== null ? await sealRow(db, organizationId, sealed) : { sealed: null };
  const mail = await db.mailMessage.create({
    data: {
      ...secrets,
      organizationId,
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
  recordChange(caller, 'create', { name: address === null ? 'mail.suppressed' : 'mail.queued', id: mail.id }, toPatientIds(mail));
  if (patientId !== undefined) caller.journal.audits.push({ action: 'read', resource: 'patient', ids: [patientId] });
  if (address !== null) caller.journal.jobs.push({ queue: 'send-mail', id: mail.id, ...(sendAt && { startAfter: sendAt }) });
  return mail;
}

/** The id of a mail that is inserted next, and the values that are sealed for it. */
async function sealRow(db: Db, organizationId: number, seal: PlaceholderSealer): Promise<{ id: number; sealed: string }> {
  const id = await nextId(db, 'mail_message');
  return { id, sealed: seal('mail', { organizationId, id }) };
}

const isForGuardian = (reach: Reach | undefined): boolean => (reach?.nameToGuardian ?? null) !== null;

/**
 * Prepares a queued mail for sending, or suppresses it. Quiet hours do not apply to mail. Where its patient is reached by another address since,
 * it goes to that one, unless it was attempted, so that it may have arrived, or its words are for a guardian and the reader is none, or the
 * other way round.
 * @returns null where there is nothing to send now
 */
export async function prepareMail(db: Db, caller: Caller, id: number, keyring: Keyring): Promise<OutgoingMail | null> {
  const { organizationId } = caller;
  const mail = await lockMail(db, caller, id);
  if (mail?.state !== 'queued') return null;
  if (mail.notBefore !== null && mail.notBefore > nowIn(organizationId)) {
    caller.journal.jobs.push({ queue: 'send-mail', id, startAfter: mail.notBefore });
    return null;
  }
  const objection = mail.patientId === null ? null : await findSuppressionReason(db, caller, mail.patientId, 'mail');
  const reach = mail.patientId === null ? undefined : await findPatientReach(preparedIn(db), caller, mail.patientId);
  const to = mail.ownAddress && reach ? reach.email : mail.toAddress;
  const isForOther = mail.ownAddress && reach !== undefined && mail.toGuardian !== isForGuardian(reach);
  if (objection !== null || to === null || isForOther || (to !== mail.toAddress && mail.attempts > 0)) {
    await setMailState(db, caller, mail, { state: 'suppressed', reason: objection ?? 'address_changed' });
    if (objection === null) await showInInbox(db, caller, mail);
    return null;
  }
  if (to !== mail.toAddress) await redirect(db, caller, mail, to);
  await db.mailMessage.update({ where: toKey(mail), data: { toAddress: to, attempts: { increment: 1 } }, select: { id: true } });
  const { name } = await db.organization.findUniqueOrThrow({ where: { id: organizationId }, select: { name: true } });
  const { subject } = mail;
  return { reference: mailReference(mail), fromName: name, to, subject, body: fillSealedPlaceholders(keyring, 'mail', mail) };
}

/** Records that a mail goes to another address: the message or invite that it carries shows it too. */
async function redirect(db: Db, caller: Caller, { organizationId, id, patientId }: MailMessage, sentTo: string): Promise<void> {
  const where = { organizationId, mailMessageId: id };
  await db.externalMessage.updateMany({ where, data: { sentTo } });
  await db.sessionInvite.updateMany({ where, data: { sentTo } });
  recordChange(caller, 'update', { name: 'mail.redirected', id, changed: ['toAddress'] }, toPatientIds({ patientId }));
}

async function showInInbox(db: Db, caller: Caller, { id, patientId }: MailMessage): Promise<void> {
  const chatId = await findMainGroup(db, caller);
  await openInboxItem(db, caller, { kind: 'address_changed', subject: { type: 'mail', id }, contactId: null, patientId, chatId });
}

/** Permanent name of a mail at the mail server. */
export const mailReference = ({ organizationId, id }: Pick<MailMessage, 'organizationId' | 'id'>): string => `mail-${organizationId}-${id}`;

export async function recordMailSent(db: Db, caller: Caller, id: number): Promise<void> {
  const mail = await lockMail(db, caller, id);
  if (mail?.state === 'queued') await setMailState(db, caller, mail, { state: 'sent', sentAt: new Date(), reason: null });
}

export async function recordMailFailed(db: Db, caller: Caller, id: number, reason: string): Promise<void> {
  const mail = await lockMail(db, caller, id);
  if (mail?.state === 'queued') await setMailState(db, caller, mail, { state: 'failed', reason });
}

/** Withdraws a mail that was not attempted yet, as withdrawText does. */
export async function withdrawMail(db: Db, caller: Caller, id: number): Promise<void> {
  const mail = await lockMail(db, caller, id);
  if (mail?.state === 'queued' && mail.attempts === 0) await setMailState(db, caller, mail, { state: 'suppressed', reason: 'withdrawn' });
}

type MailStateChange = { state: 'sent' | 'failed' | 'suppressed'; reason: string | null; sentAt?: Date };

async function setMailState(db: Db, caller: Caller, mail: MailMessage, change: MailStateChange): Promise<void> {
  await db.mailMessage.update({ where: toKey(mail), data: { ...change, sealed: null } });
  recordChange(caller, 'update', { name: `mail.${change.state}`, id: mail.id, changed: Object.keys(change) }, toPatientIds(mail));
}

const toKey = ({ organizationId, id }: MailMessage) => ({ organizationId_id: { organizationId, id } });

/** The mail, locked until the transaction ends. */
async function lockMail(db: Db, { organizationId }: Caller, id: number): Promise<MailMessage | null> {
  await db.$queryRaw`SELECT id FROM mail_message WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  return db.mailMessage.findUnique({ where: { organizationId_id: { organizationId, id } } });
}
