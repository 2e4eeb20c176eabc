import { isDeepStrictEqual } from 'node:util';
import { recordReadWithPatients } from '../../audit/journal-entries.ts';
import { invalid, notFound } from '../../errors.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { type CalendarStep, calendarSteps, stepFor } from '../../values/time/calendar-steps.ts';
import { readRange, type WrittenRange } from '../../values/time/date-range.ts';
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
export async function readTrend(tx: Tx, request: TrendRequest): Promise<Trend> {
  await findPatient(tx, request.patientId);
  const item = await tx.prisma.item.findUnique({
    where: tx.key(request.itemId),
    select: { id: true, name: true, unit: true },
  });
  if (!item) throw notFound('item');
  return readItemTrend(tx, request, item);
}

/** Items of one patient whose trends are shown together. */
const MAX_ITEMS = 20;

/**
 * The trends of all items of a patient that have readings, or that a condition tracks, by name. Audited.
 * @throws Failure not_found for the patient; invalid for a range
 */
export async function readTrends(tx: Tx, request: Omit<TrendRequest, 'itemId'>): Promise<Trend[]> {
  const { patientId } = request;
  await findPatient(tx, patientId);
  const tracked = { some: { ...tx.practice, condition: { ...tx.practice, patientId, endedAt: null }, until: null } };
  const items = await tx.prisma.item.findMany({
    where: { ...tx.practice, OR: [{ readings: { some: { ...tx.practice, patientId } } }, { tracked }] },
    select: { id: true, name: true, unit: true },
    orderBy: [{ name: 'asc' }, { id: 'asc' }],
    take: MAX_ITEMS,
  });
  const trends: Trend[] = [];
  for (const item of items) trends.push(await readItemTrend(tx, { ...request, itemId: item.id }, item));
  return trends;
}

async function readItemTrend(tx: Tx, request: TrendRequest, item: Trend['item']): Promise<Trend> {
  const { patientId, itemId } = request;
  const timeZone = await organizationZone(tx);
  const range = await readTrendRange(request, timeZone);
  const values = [patientId, itemId, range.from, range.before];
  const spans = await readSpans(tx, request, range);
  const plain = await tx.rows(PLAIN_READINGS, [...values, MAX_PLAIN + 1]);
  const isPlain = plain.length <= MAX_PLAIN;
  recordReadWithPatients(tx, 'reading', { ids: isPlain ? plain.map(({ id }) => id) : [], patientIds: [patientId] }, 'read');
  const trend = { item, timeZone, ...range, spans };
  if (isPlain) return { ...trend, step: null, points: plain.map((row) => plainPoint({ ...row, source: readSource(row.source) }, spans)) };
  const step = stepFor(range, MAX_STEPS, STEPS);
  const edges = calendarSteps(range.from, range.before, timeZone, step);
  const limits = (['min', 'max', 'dangerMin', 'dangerMax'] as const).map((name) => spans.map(({ target }) => target?.[name] ?? null));
  const sums = [...values, edges, spans.map(({ from }) => from), spans.map(({ before }) => before), ...limits];
  const rows = await tx.rows(STEP_READINGS, sums);
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
  tx: Tx,
  { patientId, itemId }: TrendRequest,
  { from, before }: { from: Date; before: Date },
): Promise<TrendSpan[]> {
  const changes = await tx.rows(TARGET_CHANGES, [patientId, itemId, from, before]);
  const starts = [from, ...changes.map(({ at }) => at)];
  const targets = await readTargets(
    tx,
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
