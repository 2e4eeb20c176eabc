import type { Prisma, SlotOffer, WaitlistEntry, WaitlistPriority, WaitlistStatus } from '../../../generated/prisma/client.ts';
import { recordChange, recordListed, recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, invalid, notFound, WrongFields } from '../../errors.ts';
import type { Caution } from '../../journal.ts';
import { findPatient, whereVisiblePatient } from '../../patients/chart/find-patient.ts';
import type { Tx } from '../../tx.ts';
import { isActiveAppointment } from '../../values/appointment-status.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { checkPlaces } from '../hours/availability.ts';
import { findAppointmentType } from '../types/appointment-types.ts';
import { endOffer } from './offers.ts';

export type { WaitlistPriority, WaitlistStatus };

/** In the order in which times are offered. */
export const PRIORITIES = ['HIGH', 'NORMAL', 'LOW'] as const satisfies readonly WaitlistPriority[];
/** `booked`: a time that was offered was taken. `ended`: deleted. */
export const WAITLIST_STATUSES = ['waiting', 'booked', 'ended'] as const satisfies readonly WaitlistStatus[];
export const WAITLIST_CHANNELS = ['text', 'email'] as const;

const NEVER_OFFERED: Caution = {
  code: 'not_bookable_by_patients',
  detail: 'Patients may not book appointments of this type, so no time is offered.',
};

/** Longest note, in characters. */
export const WAITLIST_NOTE_LENGTH = 1_000;

/** A patient who waits, with the time that they are asked about; null where there is none. */
export interface Waiting extends WaitlistEntry {
  offer: Pick<SlotOffer, 'startsAt' | 'endsAt' | 'expiresAt'> | null;
}

export type WaitlistInput = Omit<WaitlistEntry, 'organizationId' | 'id' | 'status' | 'createdAt' | 'updatedAt'>;

/** The fields of a new entry that says nothing else. */
export const USUAL = {
  providerId: null,
  officeId: null,
  priority: 'NORMAL',
  weekdays: [],
  fromMinute: 0,
  untilMinute: 1_440,
  earliest: null,
  latest: null,
  waitsUntil: null,
  channel: null,
  note: null,
  appointmentId: null,
} as const satisfies Partial<WaitlistInput>;

/** A search of entries; a field that is undefined passes all. */
type Filtered = 'patientId' | 'typeId' | 'providerId' | 'officeId' | 'priority';
export type WaitlistFilter = { [F in Filtered]?: WaitlistEntry[F] | undefined } & { status: WaitlistStatus };

/** The order in which a time is offered. */
export const BY_RANK = [{ priority: 'asc' }, { createdAt: 'asc' }, { id: 'asc' }] satisfies Prisma.WaitlistEntryOrderByWithRelationInput[];

const OPEN_OFFER = {
  offers: { where: { state: 'open' }, select: { startsAt: true, endsAt: true, expiresAt: true }, take: 1 },
} satisfies Prisma.WaitlistEntryInclude;
type Stored = Prisma.WaitlistEntryGetPayload<{ include: typeof OPEN_OFFER }>;
const toWaiting = ({ offers: [offer], ...entry }: Stored): Waiting => ({ ...entry, offer: offer ?? null });

/** By rank: priority, and then who waits longest. Entries of charts that the caller may not see are left out. */
export async function listWaitlist(
  tx: Tx,
  filter: WaitlistFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: Waiting[]; total: number }> {
  const only = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  const where = { ...tx.practice, patient: whereVisiblePatient(tx), ...only };
  const [items, total] = await Promise.all([
    tx.prisma.waitlistEntry.findMany({ where, include: OPEN_OFFER, orderBy: BY_RANK, take: limit, skip: offset }),
    tx.prisma.waitlistEntry.count({ where }),
  ]);
  recordListed(tx, 'waitlist_entry', items);
  return { items: items.map(toWaiting), total };
}

/** @throws Failure not_found; also for one that was deleted, and of a chart that the caller may not see */
async function findWaiting(tx: Tx, id: number): Promise<Waiting> {
  const where = { ...tx.practice, id, status: { not: 'ended' as const }, patient: whereVisiblePatient(tx) };
  const entry = await tx.prisma.waitlistEntry.findFirst({ where, include: OPEN_OFFER });
  if (!entry) throw notFound('waitlist entry');
  return toWaiting(entry);
}

/** The same, audited. */
export async function readWaiting(tx: Tx, id: number): Promise<Waiting> {
  const entry = await findWaiting(tx, id);
  recordReadWithPatients(tx, 'waitlist_entry', { ids: [id], patientIds: [entry.patientId] }, 'read');
  return entry;
}

/**
 * Adds an entry. A patient who waits for exactly this already waits once.
 * @throws Failure not_found for unknown references; invalid for times in the wrong order; conflict for a patient who has died
 */
export async function addToWaitlist(tx: Tx, input: WaitlistInput): Promise<Waiting> {
  await check(tx, input);
  const same = { ...input, weekdays: { equals: input.weekdays }, ...tx.practice, status: 'waiting' as const };
  const waiting = await tx.prisma.waitlistEntry.findFirst({ where: same, select: { id: true } });
  if (waiting) return findWaiting(tx, waiting.id);
  const { id } = await tx.prisma.waitlistEntry.create({ data: { ...input, ...tx.practice }, select: { id: true } });
  const changed = Object.keys(changesTo<object>(USUAL, input));
  recordChange(tx, 'create', { name: 'waitlist_entry.created', id, changed }, [input.patientId]);
  return findWaiting(tx, id);
}

/** Changes the fields that differ. A time that was offered for what the patient wanted before is offered to others. @throws Failure as addToWaitlist; conflict for one that is booked */
export async function changeWaiting(tx: Tx, id: number, input: Partial<WaitlistInput>): Promise<Waiting> {
  const before = await findWaiting(tx, id);
  if (before.status === 'booked') throw conflict('waitlist_booked', 'The patient has already booked a time. Add a new entry.');
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return before;
  await check(tx, { ...before, ...changes });
  await tx.prisma.waitlistEntry.update({ where: toKey(tx, id), data: changes });
  if (changed.some((field) => field !== 'note' && field !== 'priority')) await withdrawOffers(tx, id);
  recordChange(tx, 'update', { name: 'waitlist_entry.updated', id, changed }, [before.patientId]);
  return findWaiting(tx, id);
}

/** Ends the wait; the entry stays for the report. @throws Failure not_found */
export async function removeFromWaitlist(tx: Tx, id: number): Promise<void> {
  const { patientId } = await findWaiting(tx, id);
  await tx.prisma.waitlistEntry.update({ where: toKey(tx, id), data: { status: 'ended' } });
  await withdrawOffers(tx, id);
  recordChange(tx, 'delete', { name: 'waitlist_entry.deleted', id }, [patientId]);
}

async function withdrawOffers(tx: Tx, entryId: number): Promise<void> {
  const open = await tx.prisma.slotOffer.findMany({ where: { ...tx.practice, entryId, state: 'open' }, select: { id: true } });
  for (const { id } of open) await endOffer(tx, id, 'withdrawn');
}

const toKey = ({ organizationId }: Caller, id: number) => ({ organizationId_id: { organizationId, id } });

async function check(tx: Tx, input: WaitlistInput): Promise<void> {
  const { patientId, typeId, fromMinute, untilMinute, earliest, latest, appointmentId } = input;
  const wrong = new WrongFields();
  const patient = await wrong.check(() => findPatient(tx, patientId, 'patientId'));
  const type = await wrong.check(() => findAppointmentType(tx, typeId, 'typeId'));
  await checkPlaces(tx, [input], wrong);
  // Of a chart that the caller may not see, nothing is said about visits either.
  if (appointmentId !== null && patient) await wrong.check(() => requireOwnAppointment(tx, appointmentId, patientId));
  if (untilMinute <= fromMinute) wrong.add(invalid('untilMinute', 'must be after the earliest time of the visit'));
  if (earliest && latest && latest < earliest) wrong.add(invalid('latest', 'must not be before the earliest day'));
  wrong.throwIfAny();
  if (patient?.deceasedDate) throw conflict('patient_deceased', 'The patient has died: no visit can be booked.', 'patientId');
  if (type && !(type.active && type.bookableBy.includes('patient'))) tx.journal.cautions.push(NEVER_OFFERED);
}

/** @throws Failure not_found for a visit that is not one of the patient to come */
async function requireOwnAppointment(tx: Tx, id: number, patientId: number): Promise<void> {
  const visit = await tx.prisma.appointment.findUnique({
    where: tx.key(id),
    select: { patientId: true, status: true },
  });
  if (visit?.patientId !== patientId || !isActiveAppointment(visit.status)) throw notFound('appointment', 'appointmentId');
}
