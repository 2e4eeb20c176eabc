import { invalid } from '../../errors.ts';
import type { Span } from '../../values/time/wall-clock.ts';
import { type Booker, findOpenWindows, type OpenWindow, overlaps, type Timetable } from './opening-hours.ts';

/** A visit or a hold of a provider: the time that it takes with its buffers, and where and when it begins. */
export interface Busy extends Span {
  providerId: number;
  officeId: number | null;
  typeId: number | null;
  start: number;
}

/** The times that are sought. Instants and lengths are in milliseconds. */
export interface FreeTimeQuery extends Span {
  /** Null for visits without a type. */
  typeId: number | null;
  length: number;
  bufferBefore: number;
  bufferAfter: number;
  /** Patients of one visit, where the hours have no number of their own. */
  capacity: number;
  by: Booker;
  /** Times that the search looks at, at most. */
  most: number;
  /** The field that an error about their number names. */
  field: string;
}

export interface FreeTime {
  providerId: number;
  officeId: number;
  start: number;
  end: number;
  capacity: number;
  /** The places that are left; 1 but for groups. */
  left: number;
}

/**
 * The free times that begin in a range, by start, provider and office. Times begin with the hours and follow each other by the length of
 * the visit; buffers may reach beyond the hours. Each time is there once, though several hours have it.
 * @param busy of the providers, by begin
 * @throws Failure invalid for more times than `most`
 */
export function findFreeTime(timetable: Timetable, busy: readonly Busy[], query: FreeTimeQuery): FreeTime[] {
  const hours = timetable.hours.filter(
    ({ typeIds, bookableBy }) =>
      bookableBy.includes(query.by) && (typeIds.length === 0 || (query.typeId !== null && typeIds.includes(query.typeId))),
  );
  const windows = findOpenWindows({ ...timetable, hours }, query);
  const times = windows.reduce(
    (sum, { from, until }) => sum + 1 + (Math.min(until, query.until) - Math.max(from, query.from)) / query.length,
    0,
  );
  if (times > query.most) throw invalid(query.field, 'asks for too many times: name fewer days, providers or offices', 'too_many_times');
  const busyByProvider = Map.groupBy(busy, ({ providerId }) => providerId);
  const found = windows.flatMap((window) => freeIn(window, busyByProvider.get(window.providerId) ?? [], query));
  // Of a time that several hours have, the one with the most places is first.
  found.sort((a, b) => a.start - b.start || a.providerId - b.providerId || a.officeId - b.officeId || b.left - a.left);
  return found.filter((time, index) => !isSame(time, found[index - 1]));
}

const isSame = (one: FreeTime, other: FreeTime | undefined): boolean =>
  one.start === other?.start && one.providerId === other.providerId && one.officeId === other.officeId;

/** The free times of some hours. @param busy of their provider, by begin */
function freeIn(window: OpenWindow, busy: readonly Busy[], query: FreeTimeQuery): FreeTime[] {
  const { providerId, officeId, closed } = window;
  const { length, bufferBefore, bufferAfter, typeId } = query;
  const capacity = window.capacity ?? query.capacity;
  const skipped = Math.max(0, Math.ceil((query.from - window.from) / length));
  const free: FreeTime[] = [];
  let first = 0;
  for (let start = window.from + skipped * length; start + length <= window.until && start < query.until; start += length) {
    const visit = { from: start, until: start + length };
    const needed = { from: visit.from - bufferBefore, until: visit.until + bufferAfter };
    if (closed.some((one) => overlaps(one, visit))) continue;
    // Ends are in no order: those that are over are passed up to the first that is not.
    while ((busy[first]?.until ?? Number.POSITIVE_INFINITY) <= needed.from) first += 1;
    const left = placesLeft(busy, needed, capacity, { start, officeId, typeId }, first);
    if (left > 0) free.push({ providerId, officeId, start, end: visit.until, capacity, left });
  }
  return free;
}

/**
 * The places that visits leave in a time: none beside another visit, and of a group, those that its own do not have.
 * @param busy by begin, of one provider
 * @param needed the time with its buffers
 */
export function placesLeft(
  busy: readonly Busy[],
  needed: Span,
  capacity: number,
  group: Pick<Busy, 'start' | 'officeId' | 'typeId'>,
  first = 0,
): number {
  let left = capacity;
  for (let at = first; left > 0; at += 1) {
    const one = busy[at];
    if (!one || one.from >= needed.until) break;
    const isOfGroup = capacity > 1 && one.start === group.start && one.officeId === group.officeId && one.typeId === group.typeId;
    if (overlaps(one, needed)) left = isOfGroup ? left - 1 : 0;
  }
  return left;
}
