import { NONE } from '../../../database/statements/no-id.ts';
import type { AppointmentSeries, Prisma, VisitChangeNotice } from '../../../generated/prisma/client.ts';
import { recordListed } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { conflict, missing, notFound } from '../../errors.ts';
import { whereVisiblePatient } from '../../patients/chart/find-patient.ts';
import type { Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { nowIn } from '../../values/test-practices.ts';
import { type Moment, readMoment, writeLocal } from '../../values/time/time.ts';
import type { BookedFields } from '../appointment/booking.sql.ts';
import { type AppointmentInput, newAppointment, readBookingContext, timesFrom } from '../booking/appointment-input.ts';
import { changeAppointment } from '../booking/appointments.ts';
import { requireFree, scheduleAppointment } from '../booking/booking.ts';
import { cancelAppointment } from '../booking/cancellation.ts';
import { inputForProvider } from '../hours/reassign.ts';
import { listRecurrences } from './recurrence.ts';
import { type Handled, handleAppointments, type OnConflict } from './series-conflicts.ts';

const OCCURRENCE = {
  id: true,
  patientId: true,
  startsAt: true,
  endsAt: true,
  localStart: true,
  timeZone: true,
  durationMinutes: true,
  providerId: true,
  officeId: true,
  status: true,
} satisfies Prisma.AppointmentSelect;
type Stored = Prisma.AppointmentGetPayload<{ select: typeof OCCURRENCE }>;
/** A visit of a series, which has a date. */
export type SeriesAppointment = Stored & { startsAt: Date; endsAt: Date; localStart: Date };

/** Recurring visits of a patient, by start; without those that lost their date, or have another patient. */
export interface Series extends AppointmentSeries {
  visits: SeriesAppointment[];
}

/** The visits of a series that are meant: one, it and those to come after it, or all that are to come. */
export const SCOPES = ['one', 'following', 'all'] as const;
export interface Scope {
  scope: (typeof SCOPES)[number];
  /** The visit that one and following begin with; of all, the first to come unless given. */
  appointmentId: number | null;
}

/** A series after a change, and the visits that are not in it, or stayed, and why. */
export interface ChangedSeries extends Pick<Handled, 'conflicts'> {
  series: Series;
}

export interface SeriesInput extends Omit<AppointmentInput, 'slotId' | 'holdId'> {
  patientId: number;
  date: string;
  rule: string;
  onConflict: OnConflict;
}

/** Those of a patient, or of all, newest first. */
export async function listSeries(tx: Tx, patientId: number | undefined, page: PageRequest): Promise<Page<Series>> {
  const where = { ...ownedBy(tx), ...(patientId !== undefined && { patientId }) };
  const [found, total] = await Promise.all([
    tx.prisma.appointmentSeries.findMany({ where, orderBy: { id: 'desc' }, ...window(page) }),
    tx.prisma.appointmentSeries.count({ where }),
  ]);
  recordListed(tx, 'appointment_series', found);
  return { ...page, items: await withAppointments(tx, found), total };
}

/** @throws Failure not_found, also for a series of a chart that the caller may not see */
async function findSeries(tx: Tx, id: number): Promise<Series> {
  const [series] = await withAppointments(tx, await tx.prisma.appointmentSeries.findMany({ where: { ...ownedBy(tx), id } }));
  if (!series) throw notFound('appointment series');
  return series;
}

const ownedBy = (caller: Caller) => ({ organizationId: caller.organizationId, patient: whereVisiblePatient(caller) });

async function withAppointments(tx: Tx, found: AppointmentSeries[]): Promise<Series[]> {
  const where = {
    ...tx.practice,
    id: { in: found.flatMap(({ appointmentIds }) => appointmentIds) },
    startsAt: { not: null },
  };
  const rows = await tx.prisma.appointment.findMany({ where, select: OCCURRENCE });
  const visits = new Map(rows.filter(isDated).map((visit) => [visit.id, visit]));
  return found.map((series) => ({
    ...series,
    visits: series.appointmentIds
      .flatMap((id) => visits.get(id) ?? [])
      .filter(({ patientId }) => patientId === series.patientId)
      .sort((one, other) => one.startsAt.getTime() - other.startsAt.getTime() || one.id - other.id),
  }));
}

const isDated = (visit: Stored): visit is SeriesAppointment =>
  visit.startsAt !== null && visit.endsAt !== null && visit.localStart !== null;

/** The same, audited. */
export async function readSeries(tx: Tx, id: number): Promise<Series> {
  const series = await findSeries(tx, id);
  recordListed(tx, 'appointment_series', [series]);
  return series;
}

/**
 * Books a visit at each time of a recurrence rule, at the same time of day on the clocks of the place. The patient hears of the first one.
 * @throws Failure as scheduleAppointment; invalid for a rule; conflict for times that cannot be had, unless those are skipped
 */
export async function bookSeries(tx: Tx, { rule, onConflict, ...input }: SeriesInput): Promise<ChangedSeries> {
  const { patientId } = input;
  const context = await readBookingContext(tx, input);
  const { fields: first, users } = await newAppointment(tx, input, context);
  const { officeId, timeZone, durationMinutes } = first;
  const dates = listRecurrences(rule, toMoment(first)).map((date) => ({ date, id: null }));
  const { done: appointmentIds, conflicts } = await handleAppointments(tx, dates, onConflict, async ({ date }) => {
    const times = timesFrom(readMoment(date, timeZone, 'date'), durationMinutes);
    await requireFree(tx, { ...first, ...times, id: NONE, users }, 'date');
    return (await scheduleAppointment(tx, { ...input, officeId, date })).id;
  });
  const data = { ...tx.practice, patientId, rule, appointmentIds, timeZone };
  const { id } = await tx.prisma.appointmentSeries.create({ data, select: { id: true } });
  tx.journal.audits.push({ action: 'create', resource: 'appointment_series', ids: [id], patientIds: [patientId] });
  return { series: await findSeries(tx, id), conflicts };
}

function toMoment({ startsAt: instant, localStart: local, timeZone }: Pick<BookedFields, 'startsAt' | 'localStart' | 'timeZone'>): Moment {
  if (instant === null || local === null) throw missing('date');
  return { instant, local, timeZone };
}

/** A change of visits of a series. Its date is that of the visit that the scope names; the others move as far, on the wall clock. */
export interface SeriesChange extends Scope {
  onConflict: OnConflict;
  input: Pick<AppointmentInput, 'date' | 'durationMinutes' | 'typeId' | 'officeId' | 'providerId' | 'notify'>;
}

/** @throws Failure not_found for the series or the visit; as changeAppointment; conflict for times that cannot be had, unless those stay */
export async function changeSeries(tx: Tx, id: number, { onConflict, input, ...scope }: SeriesChange): Promise<ChangedSeries> {
  const { series, named, visits } = await chooseAppointments(tx, id, scope);
  const { date, durationMinutes, providerId } = input;
  const to = typeof date === 'string' ? readMoment(date, named.timeZone, 'date') : null;
  const shift = to === null ? 0 : to.local.getTime() - named.localStart.getTime();
  // The last first where they move to a later time, so that none is in the way of another.
  const inOrder = shift > 0 ? visits.toReversed() : visits;
  const dates = inOrder.map((visit) => ({ ...visit, date: writeLocal(new Date(visit.localStart.getTime() + shift)) ?? '' }));
  const { conflicts } = await handleAppointments(tx, dates, onConflict, async (visit) => {
    const { timeZone } = visit;
    const start = shift === 0 ? visit.startsAt : readMoment(visit.date, timeZone, 'date').instant;
    const endsAt = new Date(start.getTime() + (durationMinutes ?? visit.durationMinutes) * 60_000);
    const taken = { id: visit.id, startsAt: start, endsAt, timeZone, providerId: providerId ?? visit.providerId, users: [] };
    if (shift !== 0 || durationMinutes != null || providerId != null) await requireFree(tx, taken, 'date');
    const given = providerId == null ? {} : await inputForProvider(tx, visit.id, providerId);
    return (await changeAppointment(tx, visit.id, { ...input, date: shift === 0 ? undefined : visit.date, ...given })).id;
  });
  return { series: await findSeries(tx, series.id), conflicts };
}

/** @throws Failure not_found for the series or the visit; conflict where none is to come; as cancelAppointment */
export async function cancelSeries(
  tx: Tx,
  id: number,
  { notify, reason, ...scope }: Scope & { notify?: VisitChangeNotice | null | undefined; reason?: string | null | undefined },
): Promise<void> {
  const { visits } = await chooseAppointments(tx, id, scope);
  const dates = visits.map((visit) => ({ ...visit, date: writeLocal(visit.localStart) ?? '' }));
  await handleAppointments(tx, dates, 'refuse', async (visit) => {
    await cancelAppointment(tx, visit.id, notify, reason);
    return visit.id;
  });
}

/** Locks a series until the transaction ends, and finds the visits of it that are meant, by start. */
async function chooseAppointments(tx: Tx, id: number, { scope, appointmentId }: Scope) {
  await tx.prisma.$queryRaw`SELECT FROM appointment_series WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const series = await findSeries(tx, id);
  if (appointmentId === null && scope !== 'all') throw missing('appointmentId');
  const toCome = series.visits.filter(({ status, startsAt }) => status === 'scheduled' && startsAt > nowIn(tx.organizationId));
  const named = appointmentId === null ? toCome[0] : series.visits.find((visit) => visit.id === appointmentId);
  if (!named && appointmentId !== null) throw notFound('appointment', 'appointmentId');
  const visits =
    scope === 'one' && named ? [named] : toCome.filter(({ startsAt }) => scope === 'all' || (named && startsAt >= named.startsAt));
  if (!named || visits.length === 0) throw conflict('no_visits_to_come', 'The series has no upcoming visits.');
  return { series, named, visits };
}
