import { z } from 'zod';
import type { Caller } from '../../caller.ts';
import { invalid, missing, WrongFields } from '../../errors.ts';
import { PATIENT_LIMITS } from '../../patients/field-limits.ts';
import { NUMBERED_APPOINTMENTS } from '../../scheduling/appointment/booking.sql.ts';
import type { BookingFacts } from '../../scheduling/appointment/booking-context.sql.ts';
import { APPOINTMENT_LIMITS } from '../../scheduling/appointment/field-limits.ts';
import type { AppointmentInput } from '../../scheduling/booking/appointment-input.ts';
import { changeAppointment } from '../../scheduling/booking/appointments.ts';
import {
  type CheckedAppointment,
  checkAppointment,
  drawAppointmentIds,
  insertAppointments,
  type KnownOffices,
} from '../../scheduling/booking/book-many.ts';
import type { Tx } from '../../tx.ts';
import { APPOINTMENT_STATUSES, type AppointmentStatus } from '../../values/appointment-status.ts';
import { oneLine, recordNumber } from '../../values/text-form.ts';
import { hasMomentForm, readDay, readUsDay, writeDay } from '../../values/time/time.ts';
import { type Calendar, readCalendar, toBookingFacts } from '../calendar.ts';
import { type Outcome, type ReadRow, toRefusal } from '../outcomes.ts';
import { findReferredCharts, PATIENT_REFERENCE_WORDS, patientCells, referredChart } from '../patient-references.ts';
import { inRounds } from '../rounds.ts';
import { count, id, list, named, optional, read, text } from '../rows/cells.ts';
import { defineKind } from './kind.ts';

/** The statuses, and those of the practice API. */
const STATUSES: ReadonlyMap<string, AppointmentStatus> = new Map([
  ...APPOINTMENT_STATUSES.map((status) => [status, status] as const),
  ['f', 'scheduled'],
  ['2', 'arrived'],
  ['3', 'completed'],
  ['4', 'completed'],
  ['x', 'cancelled'],
]);

const cells = z.object({
  ...patientCells,
  externalId: optional(text(PATIENT_LIMITS.externalId, recordNumber)),
  date: optional(text(APPOINTMENT_LIMITS.date)),
  startTime: optional(text(20)),
  timeZone: optional(text(APPOINTMENT_LIMITS.timeZone)),
  typeId: optional(named()),
  officeId: optional(named()),
  locationId: optional(named()),
  waitingRoomId: optional(named()),
  providerId: optional(named()),
  durationMinutes: optional(count(1, APPOINTMENT_LIMITS.durationMinutes)),
  userIds: optional(list(id(), APPOINTMENT_LIMITS.users)).transform((ids) => ids ?? undefined),
  status: optional(read((sent) => STATUSES.get(oneLine(sent).toLowerCase()) ?? null, `must be one of ${APPOINTMENT_STATUSES.join(', ')}`)),
});
type Cells = z.output<typeof cells>;
type Row = ReadRow<Cells>;

export const appointments = defineKind({
  cells,
  words: {
    ...PATIENT_REFERENCE_WORDS,
    date: ['appointment_date', 'start', 'starts_at'],
    startTime: ['appointment_time', 'time'],
    timeZone: ['appointment_timezone'],
    typeId: ['appointment_type_id', 'appointmenttype', 'type'],
    officeId: ['departmentid', 'office', 'department'],
    locationId: ['location'],
    waitingRoomId: ['waiting_room'],
    providerId: ['provider', 'provider_name'],
    durationMinutes: ['duration'],
    userIds: ['user', 'users'],
    status: ['appointmentstatus'],
  },
  async store(tx, rows) {
    const calendar = await readCalendar(tx);
    // A practice that refuses double booking compares an appointment with those of earlier rows.
    const listKeys = ({ values: { externalId } }: Row) => [
      ...(calendar.refusesDoubleBooking ? ['any'] : []),
      ...(externalId ? [externalId] : []),
    ];
    return inRounds(rows, listKeys, (round) => storeRound(tx, calendar, round));
  },
});

async function storeRound(tx: Tx, calendar: Calendar, rows: readonly Row[]): Promise<Outcome[]> {
  const externalIds = rows.flatMap(({ values }) => values.externalId ?? []);
  const [charts, known, ids] = await Promise.all([
    findReferredCharts(
      tx,
      rows.map(({ values }) => values),
    ),
    externalIds.length === 0 ? [] : tx.rows(NUMBERED_APPOINTMENTS, [externalIds]),
    drawAppointmentIds(tx.prisma, rows.length),
  ]);
  const knownIds = new Map(known.map((one) => [one.externalId, one]));
  const checked: CheckedAppointment[] = [];
  const offices: KnownOffices = new Map();
  const decide = async ({ values, decision }: Row, index: number): Promise<Outcome> => {
    const existing = values.externalId ? knownIds.get(values.externalId) : undefined;
    if (existing && (decision !== 'update' || existing.cancelled)) return { outcome: 'skipped' };
    const { patientOfficeId, input, facts } = findReferred(tx, values, calendar, charts);
    if (existing) {
      await changeAppointment(tx, existing.id, { ...input, notify: 'none' });
      return { outcome: 'updated' };
    }
    requireAppointment(input);
    const { externalId = null, status } = values;
    const appointment = { externalId, status: status ?? 'scheduled', input, facts, patientOfficeId };
    checked.push(await checkAppointment(tx, ids[index] ?? 0, appointment, offices));
    return { outcome: 'created' };
  };
  const outcomes = await Promise.all(rows.map((row, index) => decide(row, index).catch(toRefusal)));
  insertAppointments(tx, checked);
  return outcomes;
}

/** A line of totals is no appointment. @throws Failure invalid where nobody has it, or the date is missing */
function requireAppointment({ patientId, providerId, userIds, date }: AppointmentInput): void {
  const wrong = new WrongFields();
  if (patientId === undefined && providerId === undefined && userIds === undefined) wrong.add(missing('patientId'));
  if (!date) wrong.add(missing('date'));
  wrong.throwIfAny();
}

/** The input of a row with the records that it names, and what the rules of a booking must know of them. @throws Failure */
function findReferred(caller: Caller, row: Cells, calendar: Calendar, charts: Awaited<ReturnType<typeof findReferredCharts>>) {
  const wrong = new WrongFields();
  const find = <F extends 'officeId' | 'locationId' | 'waitingRoomId' | 'typeId' | 'providerId', T extends { id: number }>(
    field: F,
    register: { find(named: number | string, field: string): T },
  ) => {
    const named = row[field];
    return named === null || named === undefined ? null : (wrong.checkNow(() => register.find(named, field)) ?? null);
  };
  const [chart, date] = [wrong.checkNow(() => referredChart(caller, row, charts)), wrong.checkNow(() => readStart(row))];
  const office = find('officeId', calendar.offices);
  const location = find('locationId', calendar.locations);
  const waitingRoom = find('waitingRoomId', calendar.waitingRooms);
  const type = find('typeId', calendar.types);
  const provider = find('providerId', calendar.providers);
  wrong.throwIfAny();
  const input: AppointmentInput = {
    date,
    timeZone: row.timeZone,
    patientId: chart?.id,
    typeId: type?.id,
    officeId: office?.id,
    locationId: location?.id,
    waitingRoomId: waitingRoom?.id,
    durationMinutes: row.durationMinutes,
    providerId: provider?.id,
    userIds: row.userIds,
  };
  return {
    input,
    patientOfficeId: chart?.primaryOfficeId ?? null,
    facts: toBookingFacts(calendar, {
      chart: chart ?? null,
      office,
      location,
      waitingRoom,
      type,
      provider,
      userIds: row.userIds ?? [],
    }) satisfies BookingFacts,
  };
}

const CLOCK = /^(\d{1,2}):(\d{2})(?::\d{2})? ?([ap])?\.?(?:m\.?)?$/i;

/** The start as the rules of appointments read it; a day may be that of either form, with the time beside it or in a cell of its own. */
function readStart({ date, startTime }: Cells): string | null | undefined {
  if (typeof date !== 'string' || (hasMomentForm(date) && !startTime)) return date;
  const [, written = date, rest = ''] = /^(\S+?)[ ,T]+(\S.*)$/.exec(date) ?? [];
  const day = readDay(written) ?? readUsDay(written);
  if (day === null) return date;
  const [, hour = '', minute = '', half] = CLOCK.exec((startTime ?? rest).trim()) ?? [];
  if (hour === '') throw invalid(startTime ? 'startTime' : 'date', 'must have a time such as 14:30 or 2:30 PM', 'invalid_date_time');
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return `${writeDay(day)}T${String(hours).padStart(2, '0')}:${minute}`;
}
