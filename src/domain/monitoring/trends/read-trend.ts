import { isDeepStrictEqual } from 'node:util';
import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { invalid, notFound } from '../../errors.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import { type CalendarStep, calendarSteps, stepFor } from '../../values/time/calendar-steps.ts';
import { readRange, type WrittenRange } from '../../values/time/date-range.ts';
import type { DatabaseAccess } from '../readings/reading-list.ts';
import { readSource } from '../readings/readings.ts';
import { readTargets } from '../targets.ts';
import { plainPoint, stepPoints } from './points.ts';
import { PLAIN_READINGS, STEP_READINGS, TARGET_CHANGES } from './trend.sql.ts';
import type { Trend, TrendSpan } from './trend.ts';

/** More readings than this are shown by steps of time. */
const MAX_PLAIN = 100;
const MAX_STEPS = 100;
const STEPS: readonly CalendarStep[] = [
  { unit: 'hour', count: 1 },
  { unit: 'day', count: 1 },
  { unit: 'week', count: 1 },
  { unit: 'month', count: 1 },
];
/** Days of a range without a start. */
export const USUAL_DAYS = 90;
const DAY_MS = 24 * 3_600_000;

export interface TrendRequest {
  patientId: number;
  itemId: number;
  dates: WrittenRange;
  /** Days of the range where it has no start; 90 unless given. */
  days?: number | undefined;
}

/**
 * Reads the course of an item of a patient: each reading, or from a hundred readings on the lowest, the highest and the average of each
 * hour, day, week or month, with the targets of their time. Audited.
 * @throws Failure not_found for the patient and the item; invalid for a range
 */
export async function readTrend(access: DatabaseAccess, caller: Caller, request: TrendRequest): Promise<Trend> {
  const { db } = access;
  const { organizationId } = caller;
  await findPatient(db, caller, request.patientId);
  const item = await db.item.findUnique({
    where: { organizationId_id: { organizationId, id: request.itemId } },
    select: { id: true, name: true, unit: true },
  });
  if (!item) throw notFound('item');
  return readItemTrend(access, caller, request, item);
}

/** Items of one patient whose trends are shown together. */
const MAX_ITEMS = 20;

/**
 * The trends of all items of a patient that have readings, or that a condition tracks, by name. Audited.
 * @throws Failure not_found for the patient; invalid for a range
 */
export async function readTrends(access: DatabaseAccess, caller: Caller, request: Omit<TrendRequest, 'itemId'>): Promise<Trend[]> {
  const { db } = access;
  const { organizationId } = caller;
  const { patientId } = request;
  await findPatient(db, caller, patientId);
  const tracked = { some: { organizationId, condition: { organizationId, patientId, endedAt: null }, until: null } };
  const items = await db.item.findMany({
    where: { organizationId, OR: [{ readings: { some: { organizationId, patientId } } }, { tracked }] },
    select: { id: true, name: true, unit: true },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    take: MAX_ITEMS,
  });
  const trends: Trend[] = [];
  for (const item of items) trends.push(await readItemTrend(access, caller, { ...request, itemId: item.id }, item));
  return trends;
}

async function readItemTrend({ db, prepared }: DatabaseAccess, caller: Caller, request: TrendRequest, item: Trend['item']): Promise<Trend> {
  const { patientId, itemId } = request;
  const { organizationId } = caller;
  const timeZone = await organizationZone(prepared, caller);
  const range = await readTrendRange(request, timeZone);
  const values = [organizationId, patientId, itemId, range.from, range.before];
  const spans = await readSpans({ db, prepared }, caller, request, range);
  const plain = await prepared.rows(PLAIN_READINGS, [...values, MAX_PLAIN + 1]);
  const isPlain = plain.length <= MAX_PLAIN;
  recordReadWithPatients(caller, 'reading', { ids: isPlain ? plain.map(({ id }) => id) : [], patientIds: [patientId] }, 'read');
  const trend = { item, timeZone, ...range, spans };
  if (isPlain) return { ...trend, step: null, points: plain.map((row) => plainPoint({ ...row, source: readSource(row.source) }, spans)) };
  const step = stepFor(range, MAX_STEPS, STEPS);
  const edges = calendarSteps(range.from, range.before, timeZone, step);
  const limits = (['min', 'max', 'dangerMin', 'dangerMax'] as const).map((name) => spans.map(({ target }) => target?.[name] ?? null));
  const sums = [...values, edges, spans.map(({ from }) => from), spans.map(({ before }) => before), ...limits];
  const rows = await prepared.rows(STEP_READINGS, sums);
  return { ...trend, step, points: stepPoints(rows, edges, spans) };
}

/** Whole days of the practice where the range is not given: until the end of today, or so many days until the given end. */
async function readTrendRange({ dates, days = USUAL_DAYS }: TrendRequest, timeZone: string): Promise<{ from: Date; before: Date }> {
  const given = await readRange(dates, async () => timeZone);
  const before = given.before ?? dayEdge(new Date(), timeZone, 'end');
  // A quarter of a day more than midnight, so that an hour of a clock change leads to no other day.
  const from = given.from ?? dayEdge(new Date(before.getTime() - (days - 0.25) * DAY_MS), timeZone, 'start');
  if (from >= before) throw invalid(dates.fields.min, 'must not be in the future', 'range_is_empty');
  return { from, before };
}

/** Midnight before or after an instant. */
function dayEdge(at: Date, timeZone: string, edge: 'start' | 'end'): Date {
  const [start = at, end = at] = calendarSteps(at, new Date(at.getTime() + 1), timeZone, { unit: 'day', count: 1 });
  return edge === 'start' ? start : end;
}

/** The targets of a range, of which two in succession differ. */
async function readSpans(
  { db, prepared }: DatabaseAccess,
  caller: Caller,
  { patientId, itemId }: TrendRequest,
  { from, before }: { from: Date; before: Date },
): Promise<TrendSpan[]> {
  const changes = await prepared.rows(TARGET_CHANGES, [caller.organizationId, patientId, itemId, from, before]);
  const starts = [from, ...changes.map(({ at }) => at)];
  const targets = await readTargets(
    db,
    caller,
    starts.map((at) => ({ patientId, itemId, at })),
  );
  const spans: TrendSpan[] = [];
  for (const [index, start] of starts.entries()) {
    const [target = null, last] = [targets[index], spans.at(-1)];
    if (last && isDeepStrictEqual(last.target, target)) continue;
    spans.push({ from: start, before, target });
    if (last) last.before = start;
  }
  return spans;
}
