import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { ExternalMessage } from '../../../generated/prisma/client.ts';
import { recordChange, recordRead, recordReadWithPatients, toPatientIds } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import type { SecretLinkKey } from '../../identity/secret-links.ts';
import type { LinkPractice } from '../../practices/link-practice.ts';
import type { Tx } from '../../tx.ts';
import { type Attachment, findAttachment } from '../attachments/attachments.ts';
import { type CodeStatus, findByLink, findCodeStatus, isProtected, type LinkedMessage } from './external-message-codes.ts';
import { isValidProof } from './external-message-proofs.ts';

/** A request by someone who has the link of a message. */
export interface ExternalMessageVisit {
  link: SecretLinkKey;
  /** Evidence of a correct one-time code, if the visitor has it (external-message-proofs.ts). */
  proof: string | undefined;
  keyring: Keyring;
  now: Date;
}

export interface ExternalMessageContent extends Pick<ExternalMessage, 'subject' | 'message' | 'expiresAt'> {
  practice: LinkPractice;
  /** Name and credentials; null where only the practice is named. */
  sender: string | null;
  files: Pick<Attachment, 'id' | 'fileName' | 'mediaType' | 'byteLength'>[];
}

/** State of the page behind a link, and the code of the patient's language; null where the message is to none, or the chart names none. */
export type ExternalMessageState = { patientLanguage: string | null } & (
  | { state: 'open'; message: ExternalMessageContent }
  /** A one-time code is required first. */
  | { state: 'locked'; codeStatus: CodeStatus }
  | { state: 'expired'; practice: LinkPractice }
);

/**
 * Opens a message by its link.
 * @param isShown false for requests that do not display the message; others count as views and are audited
 * @returns null for an unknown or withdrawn link
 */
export async function openExternalMessage(tx: Tx, visit: ExternalMessageVisit, isShown: boolean): Promise<ExternalMessageState | null> {
  const found = await findByLink(tx.prisma, visit.link);
  if (!found) return null;
  const { message, practice, patientLanguage } = found;
  if (hasExpired(message, visit.now)) return { patientLanguage, state: 'expired', practice };
  if (needsCode(found, visit)) return { patientLanguage, state: 'locked', codeStatus: await findCodeStatus(tx, found, visit.now) };
  if (isShown) {
    if (!(await updateCounters(tx.prisma, message, { totalViews: { increment: 1 }, lastViewedAt: visit.now }))) return null;
    recordAccess(tx, message, 'viewed', ['totalViews', 'lastViewedAt']);
    recordMessageRead(tx, message);
  }
  return { patientLanguage, state: 'open', message: await readContent(tx.prisma, message, practice) };
}

/**
 * Opens a file of a message. Audited; counted as a download at its beginning.
 * @param begins whether the requested part of the file counts as a download
 * @returns null for an unknown link or a file of another message; 'closed' where the page of the message explains why
 */
export async function openExternalMessageFile(
  tx: Tx,
  visit: ExternalMessageVisit,
  attachmentId: number,
  begins: (file: Attachment) => boolean,
): Promise<Attachment | 'closed' | null> {
  const found = await findByLink(tx.prisma, visit.link);
  if (!found) return null;
  const { message } = found;
  if (hasExpired(message, visit.now) || needsCode(found, visit)) return 'closed';
  const { organizationId, id: externalMessageId } = message;
  const key = { organizationId, externalMessageId, attachmentId };
  const isOfMessage = await tx.prisma.externalMessageAttachment.findUnique({
    where: { organizationId_externalMessageId_attachmentId: key },
    select: { attachmentId: true },
  });
  if (!isOfMessage) return null;
  const file = await findAttachment(tx, attachmentId);
  if (begins(file)) {
    if (!(await updateCounters(tx.prisma, message, { totalDownloads: { increment: 1 } }))) return null;
    recordAccess(tx, message, 'downloaded', ['totalDownloads']);
  }
  if (message.patientId !== null) recordRead(tx, 'patient', [message.patientId]);
  return file;
}

const hasExpired = ({ expiresAt }: ExternalMessage, now: Date): boolean => now >= expiresAt;

const needsCode = (found: LinkedMessage, { keyring, proof, now }: ExternalMessageVisit): boolean =>
  isProtected(found) && !isValidProof(keyring, found.message, proof, now);

interface CounterChange {
  totalViews?: { increment: number };
  totalDownloads?: { increment: number };
  lastViewedAt?: Date;
}

/** Increments in the database, so that concurrent requests all count. False where the message was withdrawn meanwhile. */
async function updateCounters(db: Db, { organizationId, id }: ExternalMessage, data: CounterChange): Promise<boolean> {
  return (await db.externalMessage.updateMany({ where: { organizationId, id, withdrawnAt: null }, data })).count > 0;
}

function recordAccess(caller: Caller, message: ExternalMessage, what: 'viewed' | 'downloaded', changed: string[]): void {
  recordChange(caller, 'update', { name: `external_message.${what}`, id: message.id, changed }, toPatientIds(message));
}

function recordMessageRead(caller: Caller, { id, patientId }: ExternalMessage): void {
  recordReadWithPatients(caller, 'external_message', { ids: [id], patientIds: patientId === null ? [] : [patientId] }, 'read');
}

async function readContent(db: Db, row: ExternalMessage, practice: LinkPractice): Promise<ExternalMessageContent> {
  const { organizationId, id: externalMessageId, subject, message, expiresAt } = row;
  const files = await db.externalMessageAttachment.findMany({
    where: { organizationId, externalMessageId },
    select: { attachment: { select: { id: true, fileName: true, mediaType: true, byteLength: true } } },
    orderBy: [{ position: 'asc' }, { attachmentId: 'asc' }],
  });
  return { practice, sender: await findSender(db, row), subject, message, expiresAt, files: files.map(({ attachment }) => attachment) };
}

/** `Ada Quinn, MD` for a clinician, the name alone for others. */
async function findSender(db: Db, { organizationId, displayCredentials, createdByUserId: id }: ExternalMessage): Promise<string | null> {
  if (!displayCredentials || id === null) return null;
  const user = await db.user.findUnique({
    where: { organizationId_id: { organizationId, id } },
    select: {
      firstName: true,
      lastName: true,
      provider: { select: { firstName: true, lastName: true, providerTypeId: true }, orderBy: { id: 'asc' }, take: 1 },
    },
  });
  if (!user) return null;
  const { provider, ...name } = user;
  const { firstName, lastName, providerTypeId } = provider[0] ?? { ...name, providerTypeId: null };
  return [`${firstName} ${lastName}`.trim(), providerTypeId].filter(Boolean).join(', ');
}
