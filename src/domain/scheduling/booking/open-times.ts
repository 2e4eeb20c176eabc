import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, Failure, notFound } from '../../errors.ts';
import { findOffice } from '../../practices/offices.ts';
import type { Tx } from '../../tx.ts';
import { nowIn } from '../../values/test-practices.ts';
import { readRange, type WrittenRange } from '../../values/time/date-range.ts';
import { lockAppointment } from '../appointment/appointment-lock.ts';
import type { StoredAppointment } from '../appointment/booking.sql.ts';
import type { FreeTime } from '../free-time/free-time.ts';
import type { Booker } from '../free-time/opening-hours.ts';
import { type FoundTimes, searchFreeTime, showSlots } from '../free-time/slots.ts';
import { changeAppointment } from './appointments.ts';
import { scheduleAppointment } from './booking.ts';
import { freezeSlot } from './claims.ts';
import { FREEZE_APPOINTMENT, IS_FROZEN, OPEN_APPOINTMENTS, type OpenTime } from './open-times.sql.ts';

export interface OpenTimesFilter {
  officeId: number;
  /** Null for all. */
  providerIds: readonly number[] | null;
  /** Null for open appointments of all types, and free times without one. */
  typeIds: readonly number[] | null;
  /** The field that an error about a type names. */
  typeField: string;
  dates: WrittenRange;
  atAnyTime: boolean;
  withFrozen: boolean;
  by: Booker;
}

/** The times of an office that can be booked: appointments without a patient, and free times of its providers. By start. */
export async function listOpenTimes(
  tx: Tx,
  filter: OpenTimesFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: OpenTime[]; total: number }> {
  const { officeId, providerIds, typeIds, typeField, dates, atAnyTime, withFrozen, by } = filter;
  const office = await findOffice(tx, officeId);
  const { from, before } = await readRange(dates, async () => office.timeZone);
  const types = typeIds ?? [null];
  const fields = { ...dates.fields, type: typeField };
  const search = { providerIds, officeIds: [officeId], from, before, fields, atAnyTime, searches: types.length };
  const searches = types.map((typeId) => searchFreeTime(tx, { ...search, typeId }, by));
  const earliest = new Date(Math.max(nowIn(tx.organizationId).getTime(), from?.getTime() ?? 0));
  const scope = [officeId, providerIds, typeIds, earliest, before];
  const [open, ...found] = await Promise.all([tx.rows(OPEN_APPOINTMENTS, [...scope, withFrozen]), ...searches]);
  const all: Candidate[] = [
    ...open.map((one) => ({ start: Date.parse(one.startsAt), open: one })),
    ...found.flatMap((times) => times.times.map((time) => ({ start: time.start, free: { time, times } }))),
  ];
  const shown = all.sort((a, b) => a.start - b.start).slice(offset, offset + limit);
  const slots = await Promise.all(found.map((times) => toOpenTimes(tx, times, shown)));
  return { items: [...shown.flatMap(({ open: one }) => one ?? []), ...slots.flat()].sort(byStart), total: all.length };
}

interface Candidate {
  start: number;
  open?: OpenTime;
  free?: { time: FreeTime; times: FoundTimes };
}

const byStart = (one: OpenTime, other: OpenTime): number => one.startsAt.localeCompare(other.startsAt) || one.id - other.id;

async function toOpenTimes(tx: Tx, times: FoundTimes, shown: readonly Candidate[]): Promise<OpenTime[]> {
  const own = shown.flatMap(({ free }) => (free?.times === times ? free.time : []));
  const slots = await showSlots(tx, times, own);
  return slots.map((slot) => ({ ...slot, typeName: times.type?.name ?? null, frozen: false }));
}

/**
 * Books an open appointment, or a slot, for a patient. Asked for again, it is done already.
 * @returns the id of the appointment
 * @throws Failure not_found for an id that is neither; conflict for one that is taken or frozen; as scheduleAppointment
 */
export async function bookOpenTime(tx: Tx, id: number, given: { patientId: number; typeId: number | null }): Promise<number> {
  const { patientId, typeId } = given;
  const open = await lockAppointment(tx, id);
  if (open === null) return bookSlot(tx, id, given);
  if (open.patientId === patientId && open.status !== 'cancelled') return id;
  requireOpen(open);
  const [row] = await tx.rows(IS_FROZEN, [id]);
  if (row?.frozen) throw conflict('appointment_frozen', 'The appointment is frozen: it cannot be booked.');
  const type = typeId === null ? {} : { typeId };
  return (await changeAppointment(tx, id, { patientId, ...type, durationMinutes: open.durationMinutes })).id;
}

/**
 * Books the slot with an id that is of no appointment.
 * @param field that had the id
 * @returns the id of the appointment
 * @throws Failure not_found for an id that is no slot either; as scheduleAppointment
 */
export async function bookSlot(
  tx: Tx,
  slotId: number,
  { patientId, typeId }: { patientId: number | null; typeId: number | null },
  field?: string,
): Promise<number> {
  const input = { slotId, patientId, ...(typeId === null ? {} : { typeId }) };
  return (await scheduleAppointment(tx, input).catch((error) => nameAppointment(error, field))).id;
}

/** An id that is no slot either is one of no appointment. */
function nameAppointment(error: unknown, field?: string): never {
  throw error instanceof Failure && error.code === 'slot_not_found' ? notFound('appointment', field) : error;
}

/** @throws Failure not_found for one without a time; conflict for one that somebody has */
function requireOpen({ startsAt, status, patientId }: StoredAppointment): void {
  if (status === 'cancelled' || startsAt === null) throw notFound('appointment');
  if (status !== 'scheduled' || patientId !== null) throw conflict('appointment_taken', 'Somebody already has this appointment.');
}

/** Lets an open appointment or a slot be booked no more, or again. @returns whether it was not so before. @throws Failure as bookOpenTime */
export async function freezeOpenTime(tx: Tx, id: number, frozen: boolean): Promise<boolean> {
  const open = await lockAppointment(tx, id);
  if (open === null) return freezeSlot(tx, id, frozen).catch((error) => nameAppointment(error));
  requireOpen(open);
  const changed = await tx.rows(FREEZE_APPOINTMENT, [id, frozen]);
  if (changed.length > 0) recordChange(tx, 'update', { name: 'appointment.changed', id, changed: ['frozen'] });
  return changed.length > 0;
}
