import type { CarrierEvent } from '../../../gateways/carrier/carrier.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange, recordReadWithPatients, toPatientIds } from '../../audit/journal-entries.ts';
import { unrestrictedFor } from '../../patients/restrictions/restricted-charts.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import type { PersonName } from '../../values/person-names.ts';
import { readRange, type WrittenRange } from '../../values/time/date-range.ts';
import { findOrCreateContactByNumber } from '../contacts/contacts.ts';
import { listRestrictedNumbers } from '../contacts/restricted-numbers.ts';
import { markUrgent, openInboxItem } from '../inbox/inbox.ts';
import { soundsUrgent } from '../inbox/urgent-words.ts';
import { requireChat } from '../numbers/practice-numbers.ts';
import { findOwnNumber, type InboundResult, sanitizeCallerNumber } from './incoming-calls.ts';

const VOICE_MESSAGE_INCLUDE = {
  phoneNumber: { select: { id: true, number: true } },
  attachment: { select: { id: true, fileName: true, mediaType: true, byteLength: true } },
  patient: { select: { id: true, status: true, firstName: true, lastName: true } },
} as const satisfies Prisma.VoicePagerMessageInclude;

type StoredVoiceMessage = Prisma.VoicePagerMessageGetPayload<{ include: typeof VOICE_MESSAGE_INCLUDE }>;

/** A voice message with the number that received it, its recording, and the caller as the log of calls names them. */
export interface VoiceMessage extends Omit<StoredVoiceMessage, 'patient'> {
  /** The patient whose message it was when it came in, else the contact with the number. */
  caller: (PersonName & { id: number; isPatient: boolean }) | null;
}

export interface VoiceMessageFilter {
  /** Digits that occur in the caller's number. */
  from?: string | undefined;
  /** All must occur in the transcript, in any case. */
  words?: string[];
  /** The call group that the number had when the message came in. */
  chatId?: number | undefined;
  received?: WrittenRange;
}

/**
 * Lists voice messages, newest first, without those of restricted and blocked patients. Audited, with the patients whose they are.
 * @throws Failure not_found for the call group
 */
export async function listVoiceMessages(
  tx: Tx,
  { from, words = [], chatId, received }: VoiceMessageFilter,
  page: PageRequest,
): Promise<Page<VoiceMessage>> {
  if (chatId !== undefined) await requireChat(tx, chatId);
  const range = received && (await readRange(received, () => organizationZone(tx)));
  const where: Prisma.VoicePagerMessageWhereInput = {
    ...tx.practice,
    ...(from === undefined ? {} : { fromNumber: { contains: from } }),
    ...(chatId === undefined ? {} : { chatId }),
    receivedAt: { ...(range?.from ? { gte: range.from } : {}), ...(range?.before ? { lt: range.before } : {}) },
    AND: [
      unrestrictedFor(tx),
      { OR: [{ patientId: { not: null } }, { fromNumber: { notIn: await listRestrictedNumbers(tx) } }] },
      ...words.map((word) => ({ transcript: { contains: escapeLike(word), mode: 'insensitive' } as const })),
    ],
  };
  const [items, total] = await Promise.all([
    tx.prisma.voicePagerMessage.findMany({
      where,
      include: VOICE_MESSAGE_INCLUDE,
      orderBy: [{ receivedAt: 'desc' }, { id: 'desc' }],
      ...window(page),
    }),
    tx.prisma.voicePagerMessage.count({ where }),
  ]);
  const shown = { ids: items.map(({ id }) => id), patientIds: [...new Set(items.flatMap(({ patientId }) => patientId ?? []))] };
  if (items.length > 0) recordReadWithPatients(tx, 'voice_pager_message', shown, 'search');
  return { ...page, items: await nameCallers(tx, items), total };
}

async function nameCallers(tx: Tx, messages: StoredVoiceMessage[]): Promise<VoiceMessage[]> {
  const phones = messages.map(({ fromNumber }) => fromNumber);
  const contacts = await tx.prisma.contact.findMany({
    where: { ...tx.practice, patientId: null, phone: { in: phones } },
    select: { id: true, phone: true, firstName: true, lastName: true },
    orderBy: { id: 'asc' },
  });
  return messages.map(({ patient, ...message }) => {
    const known = patient && patient.status !== 'deleted' ? patient : contacts.find(({ phone }) => phone === message.fromNumber);
    return { ...message, caller: known ? { ...known, isPatient: known === patient } : null };
  });
}

/** Escapes the wildcards of LIKE. */
const escapeLike = (word: string) => word.replaceAll(/[\\%_]/g, String.raw`\$&`);

type VoiceMessageEvent = Extract<CarrierEvent, { kind: 'voice_message' }>;

/**
 * Stores a voice message, or adds details that arrive later: the carrier reports the same message again with its
 * transcript. The caller becomes a contact, and the patient whose message it is stays so.
 */
export async function recordVoiceMessage(tx: Tx, event: VoiceMessageEvent): Promise<InboundResult> {
  const number = await findOwnNumber(tx, event.to);
  if (!number) return 'ignored';
  const { id: carrierId, durationSeconds, recordingUrl, at: receivedAt } = event;
  const transcript = event.transcript?.replaceAll('\0', '').toWellFormed() ?? null;
  const { id: phoneNumberId, chatId } = number;
  const row = { ...tx.practice, phoneNumberId, chatId, carrierId, fromNumber: sanitizeCallerNumber(event.from), receivedAt };
  const details = { transcript, durationSeconds, recordingUrl };
  const [stored] = await tx.prisma.voicePagerMessage.createManyAndReturn({
    data: [{ ...row, ...details, recordingDueAt: recordingDueAt(recordingUrl) }],
    skipDuplicates: true,
    select: { id: true },
  });
  if (stored) {
    const contact = await findOrCreateContactByNumber(tx, event.from);
    const patientId = contact?.patientId ?? null;
    const key = tx.key(stored.id);
    if (patientId !== null) await tx.prisma.voicePagerMessage.update({ where: key, data: { patientId }, select: { id: true } });
    recordChange(tx, 'create', { name: 'voice_message.received', id: stored.id }, toPatientIds({ patientId }));
    await openInboxItem(tx, {
      kind: 'voice_message',
      subject: { type: 'voice_pager_message', id: stored.id },
      contactId: contact?.id ?? null,
      patientId,
      number: contact ? event.from : null,
      chatId,
      urgent: transcript !== null && (await soundsUrgent(tx, transcript)),
    });
    return 'stored';
  }
  await addMissingDetails(tx, carrierId, details);
  return 'known';
}

/** A new recording is due at once; a job fetches it (recordings.ts). */
const recordingDueAt = (recordingUrl: string | null): Date | null => (recordingUrl === null ? null : new Date());

/** Adds details that were missing; those already stored stay unchanged. */
async function addMissingDetails(
  tx: Tx,
  carrierId: string,
  details: Pick<StoredVoiceMessage, 'transcript' | 'durationSeconds' | 'recordingUrl'>,
) {
  const { organizationId } = tx;
  const key = { organizationId_carrierId: { organizationId, carrierId } };
  // Concurrent reports of the same message wait here and then see the details that the first one added.
  await tx.prisma.$queryRaw`
    SELECT id FROM voice_pager_message WHERE organization_id = ${organizationId} AND carrier_id = ${carrierId} FOR NO KEY UPDATE`;
  const known = await tx.prisma.voicePagerMessage.findUniqueOrThrow({ where: key });
  const added = (['transcript', 'durationSeconds', 'recordingUrl'] as const).filter(
    (name) => known[name] === null && details[name] !== null,
  );
  if (added.length === 0) return;
  const due = added.includes('recordingUrl') ? { recordingDueAt: recordingDueAt(details.recordingUrl) } : {};
  await tx.prisma.voicePagerMessage.update({
    where: key,
    data: { ...Object.fromEntries(added.map((name) => [name, details[name]])), ...due },
  });
  if (added.includes('transcript') && (await soundsUrgent(tx, details.transcript ?? '')))
    await markUrgent(tx, { type: 'voice_pager_message', id: known.id });
  recordChange(tx, 'update', { name: 'voice_message.changed', id: known.id, changed: added }, toPatientIds(known));
}
