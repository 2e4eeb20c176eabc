import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { AppointmentStatus } from '../../../generated/prisma/client.ts';
import type { Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';
import type { AppointmentOffice } from '../appointment/appointment-view.ts';
import { ADD_MANY_PARTICIPANTS, APPOINTMENT_IDS, bookedColumns, INSERT_APPOINTMENTS, NO_FIELDS } from '../appointment/booking.sql.ts';
import type { BookingFacts } from '../appointment/booking-context.sql.ts';
import { type AppointmentInput, defaultOffice, newAppointment } from './appointment-input.ts';
import { holdCalendars, listCharts } from './booking.ts';

/** An appointment of another system. */
export interface ImportedAppointment {
  externalId: string | null;
  status: AppointmentStatus;
  input: AppointmentInput;
  facts: BookingFacts;
  /** The office of the patient, by which the default one is known for several appointments. */
  patientOfficeId: number | null;
}

/** An appointment that may be stored. */
export interface CheckedAppointment {
  externalId: string | null;
  id: number;
  booked: Awaited<ReturnType<typeof newAppointment>>['fields'] & { status: AppointmentStatus; cancelledAt: Date | null };
  users: number[];
  changed: string[];
}

/** Draws ids for so many appointments. */
export async function drawAppointmentIds(db: Db, count: number): Promise<number[]> {
  return (await preparedIn(db).rows(APPOINTMENT_IDS, [count])).map(({ id }) => id);
}

/** The default offices of many appointments, each asked for once. */
export type KnownOffices = Map<string, Promise<AppointmentOffice | null>>;

/** Checks an appointment as scheduleAppointment does. @throws Failure as that */
export async function checkAppointment(
  tx: Tx,
  id: number,
  { externalId, status, input, facts, patientOfficeId }: ImportedAppointment,
  offices: KnownOffices,
): Promise<CheckedAppointment> {
  const { fields, users } = await newAppointment(tx, input, facts, (place) => {
    const key = [facts.location?.officeId, facts.waitingRoom?.officeId, place.providerId, patientOfficeId].join();
    const office = offices.get(key) ?? defaultOffice(tx, facts, place);
    offices.set(key, office);
    return office;
  });
  const booked = { ...fields, status, cancelledAt: status === 'cancelled' ? new Date() : null };
  if (facts.refusesDoubleBooking) await holdCalendars(tx, { ...booked, id }, { users, field: 'date', claim: null });
  const given = { externalId, ...booked, timeZone: input.timeZone ?? undefined, durationMinutes: input.durationMinutes ?? undefined };
  const changed = Object.keys(changesTo({ externalId: null, ...NO_FIELDS }, given));
  return { externalId, id, booked, users, changed: users.length > 0 ? [...changed, 'users'] : changed };
}

/** Stores appointments that were checked, with one event each and one audit row for all. No text is sent: they were made elsewhere. */
export function insertAppointments(tx: Tx, appointments: readonly CheckedAppointment[]): void {
  if (appointments.length === 0) return;
  const { userId: createdByUserId } = tx;
  const none = { confirmation: 'Pending', confirmedAt: null, confirmedBy: null, createdByUserId } as const;
  const rows = appointments.map(({ id, externalId: external_id, booked }) => ({
    id,
    external_id,
    ...bookedColumns({ ...NO_FIELDS, ...none, ...booked }),
  }));
  tx.later(INSERT_APPOINTMENTS, [JSON.stringify(rows)]);
  const participants = appointments.flatMap(({ id: appointment_id, users }) => users.map((user_id) => ({ appointment_id, user_id })));
  if (participants.length > 0) tx.later(ADD_MANY_PARTICIPANTS, [JSON.stringify(participants)]);
  tx.journal.events.push(...appointments.map(({ id, changed }) => ({ name: 'appointment.imported' as const, id, changed })));
  const patientIds = listCharts(...appointments.map(({ booked }) => booked.patientId));
  const ids = appointments.map(({ id }) => id);
  tx.journal.audits.push({ action: 'create', resource: 'appointment', ids, ...(patientIds.length > 0 ? { patientIds } : {}) });
}
