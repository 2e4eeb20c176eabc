import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import type { OutgoingMail } from '../../gateways/mail/mailer.ts';
import type { MailMessage } from '../../generated/prisma/client.ts';
import { patientsOf, recordChange } from '../audit/journal-entries.ts';
import type { Caller } from '../caller.ts';
import { invalid } from '../errors.ts';
import { findSuppressionReason } from './consent.ts';
import { nextId } from './next-ids.ts';
import { fillSealedPlaceholders, type PlaceholderSealer } from './templates/sealed-placeholders.ts';

const MAX_SUBJECT_LENGTH = 250;
const MAX_BODY_LENGTH = 100_000;

export interface NewMail {
  /** The recipient; their email address is used unless `to` is given. */
  patientId?: number | undefined;
  to?: string | undefined;
  subject: string;
  /** Plain text. */
  body: string;
  /** Seals the values of `{{url}}` and `{{code}}` in the body (see sealed-placeholders.ts). */
  sealed?: PlaceholderSealer;
}

/**
 * Queues a mail in the given transaction; a worker sends it. A mail without an address is stored as suppressed.
 * @throws Failure invalid for a subject or body that is empty or too long
 */
export async function queueMail(db: Db, caller: Caller, { patientId, to, subject, body, sealed }: NewMail): Promise<MailMessage> {
  const { organizationId } = caller;
  if (subject.trim() === '' || subject.length > MAX_SUBJECT_LENGTH || /[\r\n]/.test(subject))
    throw invalid('subject', `must be one line of at most ${MAX_SUBJECT_LENGTH} characters`, 'invalid_subject');
  if (body.trim() === '' || body.length > MAX_BODY_LENGTH)
    throw invalid('message', `must have 1 to ${MAX_BODY_LENGTH} characters`, 'too_long');
  const address = to ?? (patientId === undefined ? null : await addressOf(db, caller, patientId));
  const own = sealed && address !== null ? await sealedRow(db, organizationId, sealed) : { sealed: null };
  const mail = await db.mailMessage.create({
    data: {
      ...own,
      organizationId,
      patientId: patientId ?? null,
      toAddress: address ?? '',
      subject,
      body,
      ...(address === null ? { state: 'suppressed', reason: 'no_email' } : { state: 'queued' }),
    },
  });
  recordChange(caller, 'create', { name: address === null ? 'mail.suppressed' : 'mail.queued', id: mail.id }, patientsOf(mail));
  if (patientId !== undefined) caller.journal.audits.push({ action: 'read', resource: 'patient', ids: [patientId] });
  if (address !== null) caller.journal.jobs.push({ queue: 'send-mail', id: mail.id });
  return mail;
}

/** The id of a mail that is inserted next, and the values that are sealed for it. */
async function sealedRow(db: Db, organizationId: number, seal: PlaceholderSealer): Promise<{ id: number; sealed: string }> {
  const id = await nextId(db, 'mail_message');
  return { id, sealed: seal('mail', { organizationId, id }) };
}

async function addressOf(db: Db, { organizationId }: Caller, id: number): Promise<string | null> {
  const patient = await db.patient.findUnique({ where: { organizationId_id: { organizationId, id } }, select: { email: true } });
  return patient?.email ?? null;
}

/**
 * Prepares a queued mail for sending, or suppresses it. Quiet hours do not apply to mail.
 * @returns null where there is nothing to send
 */
export async function prepareMail(db: Db, caller: Caller, id: number, keyring: Keyring): Promise<OutgoingMail | null> {
  const { organizationId } = caller;
  const mail = await lockMail(db, caller, id);
  if (mail?.state !== 'queued') return null;
  const objection = mail.patientId === null ? null : await findSuppressionReason(db, caller, mail.patientId, 'mail');
  if (objection !== null) {
    await setMailState(db, caller, mail, { state: 'suppressed', reason: objection });
    return null;
  }
  await db.mailMessage.update({ where: keyOf(mail), data: { attempts: { increment: 1 } } });
  const { name } = await db.organization.findUniqueOrThrow({ where: { id: organizationId }, select: { name: true } });
  const { toAddress: to, subject } = mail;
  return { reference: mailReference(mail), fromName: name, to, subject, body: fillSealedPlaceholders(keyring, 'mail', mail) };
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
  await db.mailMessage.update({ where: keyOf(mail), data: { ...change, sealed: null } });
  recordChange(caller, 'update', { name: `mail.${change.state}`, id: mail.id, changed: Object.keys(change) }, patientsOf(mail));
}

const keyOf = ({ organizationId, id }: MailMessage) => ({ organizationId_id: { organizationId, id } });

/** The mail, locked until the transaction ends. */
async function lockMail(db: Db, { organizationId }: Caller, id: number): Promise<MailMessage | null> {
  await db.$queryRaw`SELECT id FROM mail_message WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  return db.mailMessage.findUnique({ where: { organizationId_id: { organizationId, id } } });
}
