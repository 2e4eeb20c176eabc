import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange, recordReadWithPatients, toPatientIds } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { Failure, type Issue, invalid, neitherGiven, notFound, WrongFields } from '../../errors.ts';
import { createSecretLink } from '../../identity/secret-links.ts';
import { unrestrictedFor } from '../../patients/restrictions/restricted-charts.ts';
import { nameOnOneLine } from '../../practices/link-practice.ts';
import { findOrganization } from '../../practices/organizations.ts';
import type { Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { findRestrictedAttachments } from '../attachments/attachments.ts';
import { type ContactKey, ensureContact } from '../contacts/contacts.ts';
import { findShownAddresses } from '../contacts/restricted-numbers.ts';
import { findSendAt } from '../queue/send-at.ts';
import { requireConsent } from '../recipients/consent.ts';
import { findRecipientLanguage } from '../recipients/recipient-language.ts';
import { withdrawMail } from '../sending/outgoing-mails.ts';
import { withdrawText } from '../sending/outgoing-texts.ts';
import { parseExpiry } from './external-message-expiry.ts';
import { noticeMail, queueNotice } from './external-message-notices.ts';
import { type Address, findOnlyHolder, findRecipient, parseAddress, type Recipient } from './external-message-recipients.ts';

const FILE = { select: { id: true, fileName: true, mediaType: true, byteLength: true } } as const;

const EXTERNAL_MESSAGE_INCLUDE = {
  contact: { select: { id: true, patientId: true, firstName: true, lastName: true } },
  patient: { select: { firstName: true, lastName: true } },
  text: { select: { state: true, reason: true, notBefore: true, toGuardian: true } },
  mail: { select: { state: true, reason: true, notBefore: true, toGuardian: true } },
  attachments: { select: { attachment: FILE }, orderBy: [{ position: 'asc' }, { attachmentId: 'asc' }] },
} as const satisfies Prisma.ExternalMessageInclude;

type ExternalMessageRow = Prisma.ExternalMessageGetPayload<{ include: typeof EXTERNAL_MESSAGE_INCLUDE }>;

/** A message behind a link, with its recipient, files and the delivery status of its notice. */
export interface ExternalMessage extends Omit<ExternalMessageRow, 'sentTo'> {
  /** Null for the address of a guardian whose chart the caller may not see. */
  sentTo: string | null;
  user: { id: number; firstName: string; lastName: string } | null;
}

export interface ExternalMessageInput {
  message: string;
  subject?: string | undefined;
  /** A mobile number or email address; the contact's own unless given. */
  sentTo?: string | undefined;
  contactId?: number | undefined;
  receiverFirstName?: string | undefined;
  receiverLastName?: string | undefined;
  /** Expiry as the caller writes it (see parseExpiry). */
  expires?: string | undefined;
  /** A time at which the notice leaves, as the caller writes it (see findSendAt). */
  sendAt?: string | undefined;
  attachmentIds: number[];
  extraAuth: boolean;
  displayCredentials: boolean;
}

interface SendOptions {
  keyring: Keyring;
  /** Scheme and host that the link starts with. */
  origin: string;
  now: Date;
}

/**
 * Stores a message and queues the notice with its link. The link is stored only there, encrypted.
 * @throws Failure invalid for an impossible address or expiry; not_found for a contact or file that the practice does
 *   not have; unprocessable for a contact without an address; conflict where the practice has no number to send texts
 *   from, or the recipient must not be written to
 */
export async function sendExternalMessage(
  tx: Tx,
  input: ExternalMessageInput,
  { keyring, origin, now }: SendOptions,
): Promise<ExternalMessage> {
  const { organizationId, userId } = tx;
  const { attachmentIds, message, extraAuth, displayCredentials } = input;
  const practice = await findSender(tx);
  const wrong = new WrongFields();
  const contactId = input.contactId ?? (await findOnlyHolder(tx, input.sentTo));
  const contact = contactId === undefined ? null : await wrong.check(() => ensureContact(tx, contactId, 'contactId'));
  const recipient = contact ? await findRecipient(tx, contact) : null;
  const address = contact === undefined && input.sentTo === undefined ? undefined : await wrong.check(() => addressFor(input, recipient));
  const { sendAt, expiresAt } = await readTimes(tx, input, { zone: practice.timeZone, now, wrong });
  await wrong.check(() => requireAttachments(tx, attachmentIds));
  wrong.throwIfAny();
  if (contact === undefined || address === undefined || expiresAt === undefined) throw new RangeError('a wrong field was not reported');
  const link = createSecretLink(organizationId);
  const patientId = contact?.patientId ?? null;
  await requireConsent(tx, { patientId, ...address });
  const url = `${origin}/m/${link.token}`;
  const notice = { practice, expiresAt, sendAt, asksForCode: extraAuth, language: await findRecipientLanguage(tx, patientId) };
  const sentBy = await queueNotice(tx, { ...notice, keyring, url, patientId, address });
  const { id } = await tx.prisma.externalMessage.create({
    data: {
      organizationId,
      contactId: contact?.id ?? null,
      patientId,
      ...sentBy,
      message,
      expiresAt,
      extraAuth,
      displayCredentials,
      channel: address.channel,
      sentTo: address.to,
      receiverFirstName: input.receiverFirstName ?? recipient?.firstName ?? null,
      receiverLastName: input.receiverLastName ?? recipient?.lastName ?? null,
      subject: input.subject ?? noticeMail(notice).subject,
      linkHash: link.hash,
      createdByUserId: userId,
      attachments: { create: attachmentIds.map((attachmentId, position) => ({ attachmentId, position })) },
    },
    select: { id: true },
  });
  recordChange(tx, 'create', { name: 'external_message.created', id }, toPatientIds({ patientId }));
  recordPatient(tx, contact);
  return find(tx, id);
}

/** When a message leaves, and until when it opens; undefined where that is wrong. */
async function readTimes(tx: Tx, input: ExternalMessageInput, { zone, now, wrong }: { zone: string; now: Date; wrong: WrongFields }) {
  const sendAt = await wrong.check(() => findSendAt(tx, input.sendAt));
  return { sendAt, expiresAt: await wrong.check(() => parseExpiry(input.expires, zone, sendAt ?? now)) };
}

/** The practice, with its name on one line. */
async function findSender(tx: Tx) {
  const organization = await findOrganization(tx.prisma, tx.organizationId);
  return { ...organization, name: nameOnOneLine(organization) };
}

/** @throws Failure where there is no destination */
function addressFor({ sentTo }: ExternalMessageInput, recipient: Recipient | null): Address {
  if (sentTo !== undefined) {
    const address = parseAddress(sentTo, 'sentTo');
    return recipient?.addresses.find(({ to }) => to.toLowerCase() === address.to.toLowerCase()) ?? address;
  }
  if (!recipient) throw neitherGiven('sentTo', 'contactId');
  const [first] = recipient.addresses;
  if (!first) throw new Failure('unprocessable', 'no_address', 'The contact has neither a mobile number nor an email address.');
  return first;
}

/** @throws Failure naming each unknown attachment, or the first duplicate */
async function requireAttachments(tx: Tx, ids: number[]): Promise<void> {
  const again = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (again >= 0) throw invalid(`attachments.${again}`, 'is the same file as an earlier one', 'duplicate');
  const found = await tx.prisma.attachment.findMany({ where: { ...tx.practice, id: { in: ids } }, select: { id: true } });
  const restricted = await findRestrictedAttachments(tx, ids);
  const known = new Set(found.map(({ id }) => id).filter((id) => !restricted.has(id)));
  const issues = ids.flatMap((id, index): Issue[] =>
    known.has(id) ? [] : [{ field: `attachments.${index}`, code: 'not_found', message: 'There is no such attachment.' }],
  );
  if (issues.length > 0) throw new Failure('not_found', 'attachment_not_found', 'There is no such attachment.', { issues });
}

function recordPatient(caller: Caller, contact: ContactKey | null): void {
  if (contact && contact.patientId !== null) caller.journal.audits.push({ action: 'read', resource: 'patient', ids: [contact.patientId] });
}

/** Finds one message. Audited. @throws Failure not_found, also for one to a patient whose chart is restricted */
export async function readExternalMessage(tx: Tx, id: number): Promise<ExternalMessage> {
  const message = await find(tx, id);
  recordMessagesRead(tx, [message], 'read');
  return message;
}

/** Lists messages, newest first, without those to patients whose charts are restricted. Audited. */
export async function listExternalMessages(tx: Tx, page: PageRequest): Promise<Page<ExternalMessage>> {
  const where = { ...tx.practice, ...unrestrictedFor(tx) };
  const [messages, total] = await Promise.all([
    tx.prisma.externalMessage.findMany({
      where,
      include: EXTERNAL_MESSAGE_INCLUDE,
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
      ...window(page),
    }),
    tx.prisma.externalMessage.count({ where }),
  ]);
  if (messages.length > 0) recordMessagesRead(tx, messages, 'search');
  return { ...page, items: await withCreators(tx, messages), total };
}

/**
 * Withdraws a message for good: its link stops working, and an unsent notice is not sent. The record stays; withdrawing
 * it again changes nothing.
 * @throws Failure not_found
 */
export async function withdrawExternalMessage(tx: Tx, id: number, now: Date): Promise<void> {
  const { organizationId } = tx;
  // A concurrent visitor either comes first or finds the message withdrawn.
  await tx.prisma.$queryRaw`SELECT id FROM external_message WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const message = await tx.prisma.externalMessage.findFirst({ where: { organizationId, id, ...unrestrictedFor(tx) } });
  if (!message) throw notFound('external message');
  if (message.withdrawnAt !== null) return;
  const data = { withdrawnAt: now, codeHash: null, codeExpiresAt: null };
  await tx.prisma.externalMessage.update({ where: tx.key(id), data, select: { id: true } });
  if (message.smsMessageId !== null) await withdrawText(tx, message.smsMessageId);
  if (message.mailMessageId !== null) await withdrawMail(tx, message.mailMessageId);
  recordChange(tx, 'cancel', { name: 'external_message.withdrawn', id, changed: ['withdrawnAt'] }, toPatientIds(message));
}

async function find(tx: Tx, id: number): Promise<ExternalMessage> {
  const message = await tx.prisma.externalMessage.findFirst({
    where: { ...tx.practice, id, ...unrestrictedFor(tx) },
    include: EXTERNAL_MESSAGE_INCLUDE,
  });
  const [found] = message ? await withCreators(tx, [message]) : [];
  if (!found) throw notFound('external message');
  return found;
}

/** With their authors, and the addresses that the caller may see. */
async function withCreators(tx: Tx, messages: ExternalMessageRow[]): Promise<ExternalMessage[]> {
  const ids = [...new Set(messages.flatMap(({ createdByUserId }) => createdByUserId ?? []))];
  const select = { id: true, firstName: true, lastName: true } as const;
  const users = ids.length > 0 ? await tx.prisma.user.findMany({ where: { ...tx.practice, id: { in: ids } }, select }) : [];
  const byId = new Map<number | null, (typeof users)[number]>(users.map((user) => [user.id, user]));
  const addresses = await findShownAddresses(
    tx,
    messages.map(({ sentTo: to, text, mail }) => ({ to, toGuardian: (text ?? mail)?.toGuardian })),
  );
  return messages.map((message, index) => ({
    ...message,
    sentTo: addresses[index] ?? null,
    user: byId.get(message.createdByUserId) ?? null,
  }));
}

function recordMessagesRead(
  caller: Caller,
  messages: readonly Pick<ExternalMessageRow, 'id' | 'patientId'>[],
  action: 'read' | 'search',
): void {
  const patientIds = [...new Set(messages.flatMap(({ patientId }) => patientId ?? []))];
  recordReadWithPatients(caller, 'external_message', { ids: messages.map(({ id }) => id), patientIds }, action);
}
