import { createWallClock, instantsShowing, localAt, type Span, type WallClock } from '../../values/time/wall-clock.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Those who may book a time: people of the practice, programs, and the patient at a link. */
export const BOOKERS = ['staff', 'apps', 'patient'] as const;
export type Booker = (typeof BOOKERS)[number];

/** Ways in which a patient comes. */
export const MODALITIES = ['in_person', 'video'] as const;

/** Weekly hours of a provider at an office. Days and minutes are those of its clocks. */
export interface Hours {
  providerId: number;
  officeId: number;
  /** 1 Monday to 7 Sunday. */
  weekday: number;
  fromMinute: number;
  /** Up to 1440, midnight. */
  untilMinute: number;
  /** Midnights as milliseconds in UTC, both included; null without an end. */
  startsOn: number | null;
  endsOn: number | null;
  /** Empty for all types. */
  typeIds: readonly number[];
  /** Null for that of the type. */
  capacity: number | null;
  bookableBy: readonly string[];
}

/** A time on the clocks of each office that differs from the weekly hours; null stands for all providers or offices. */
export interface HoursException extends Span {
  providerId: number | null;
  officeId: number | null;
  available: boolean;
}

/** The time of providers as the practice has set it. */
export interface Timetable {
  hours: readonly Hours[];
  exceptions: readonly HoursException[];
  /** The zone of each office. */
  zones: ReadonlyMap<number, string>;
}

interface Place {
  providerId: number;
  officeId: number;
}

/** Hours of one day at one office, and when they are closed after all. */
export interface OpenWindow extends Span, Place {
  capacity: number | null;
  closed: readonly Span[];
}

/**
 * The hours that have a part in a range of instants, by provider and start. Holidays and closed offices close weekly hours, not the
 * extra hours of an exception; leave of the provider closes both.
 */
export function findOpenWindows({ hours, exceptions, zones }: Timetable, range: Span): OpenWindow[] {
  // Further hours may have begun long before: their times follow each other from there.
  const from = exceptions.reduce((first, one) => (one.available ? Math.min(first, one.from) : first), range.from);
  const clocks = new Map([...zones].map(([officeId, zone]) => [officeId, createWallClock(zone, widen({ ...range, from }))]));
  const closings = exceptions.filter(({ available }) => !available);
  const listClosedSpans = memoize((place: Place, leaveAlone: boolean) =>
    closings
      .filter((one) => isAbout(one, place) && (!leaveAlone || one.providerId !== null))
      .flatMap((one) => instantsShowing(clocks.get(place.officeId) ?? [], one)),
  );
  const weekly = hours.flatMap((one) => {
    const clock = clocks.get(one.officeId) ?? [];
    const { providerId, officeId, capacity } = one;
    const spans = listDays(one, clock, range).flatMap((day) => instantsShowing(clock, timesOn(day, one)));
    return spans.map((span) => ({ ...span, providerId, officeId, capacity, closed: listClosedSpans(one, false) }));
  });
  const further = exceptions.flatMap(({ available, providerId, officeId, ...span }) => {
    if (!available || providerId === null || officeId === null) return [];
    const place = { providerId, officeId };
    const closed = listClosedSpans(place, true);
    return instantsShowing(clocks.get(officeId) ?? [], span).map((open) => ({ ...open, ...place, capacity: null, closed }));
  });
  return [...weekly, ...further]
    .filter(({ from, until }) => from < range.until && until > range.from)
    .sort((a, b) => a.providerId - b.providerId || a.from - b.from);
}

/** Hours that began on the day before, and times of all zones. */
const widen = ({ from, until }: Span): Span => ({ from: from - 2 * DAY_MS, until: until + 2 * DAY_MS });

const timesOn = (day: number, { fromMinute, untilMinute }: Hours): Span => ({
  from: day + fromMinute * MINUTE_MS,
  until: day + untilMinute * MINUTE_MS,
});

/** The days of an office on which weekly hours are, as midnights in UTC. */
function listDays({ weekday, startsOn, endsOn }: Hours, clock: WallClock, range: Span): number[] {
  const days: number[] = [];
  const first = toDay(localAt(clock, range.from)) - DAY_MS;
  const last = toDay(localAt(clock, range.until)) + DAY_MS;
  const start = first + ((weekday - toWeekday(first) + 7) % 7) * DAY_MS;
  for (let day = start; day <= last; day += 7 * DAY_MS)
    if ((startsOn === null || day >= startsOn) && (endsOn === null || day <= endsOn)) days.push(day);
  return days;
}

const toDay = (local: number): number => Math.floor(local / DAY_MS) * DAY_MS;
const toWeekday = (day: number): number => new Date(day).getUTCDay() || 7;

const isAbout = (exception: HoursException, { providerId, officeId }: Place): boolean =>
  (exception.providerId === null || exception.providerId === providerId) &&
  (exception.officeId === null || exception.officeId === officeId);

function memoize(find: (place: Place, leaveAlone: boolean) => Span[]): (place: Place, leaveAlone: boolean) => Span[] {
  const known = new Map<string, Span[]>();
  return (place, leaveAlone) => {
    const key = `${place.providerId} ${place.officeId} ${leaveAlone}`;
    const spans = known.get(key) ?? find(place, leaveAlone);
    known.set(key, spans);
    return spans;
  };
}

/** The reason for which a visit is unusual; null where it is in the hours, or none are kept. */
export type ClosedReason = 'holiday' | 'office_closed' | 'outside_hours';

/** Whether a visit is in the hours of its provider at its office. */
export function findClosedReason(
  timetable: Timetable,
  { providerId, officeId, ...visit }: Span & Partial<Nullable<Place>>,
): ClosedReason | null {
  const keepsHours = timetable.hours.some((one) => one.providerId === providerId);
  if (!keepsHours && timetable.exceptions.length === 0) return null;
  const place = { providerId: providerId ?? 0, officeId: officeId ?? 0 };
  const open = findOpenWindows(timetable, visit).filter((one) => one.providerId === place.providerId && one.officeId === place.officeId);
  if (
    isCovered(
      visit,
      open.filter((one) => one.closed.every((closed) => !overlaps(closed, visit))),
    )
  )
    return null;
  const clock = createWallClock(timetable.zones.get(place.officeId) ?? 'UTC', widen(visit));
  const closings = timetable.exceptions.filter(
    (one) => !one.available && isAbout(one, place) && instantsShowing(clock, one).some((closed) => overlaps(closed, visit)),
  );
  if (closings.some((one) => one.providerId === null && one.officeId === null)) return 'holiday';
  if (closings.some((one) => one.providerId === null)) return 'office_closed';
  return closings.length > 0 || keepsHours ? 'outside_hours' : null;
}

type Nullable<T> = { [K in keyof T]: T[K] | null };

export const overlaps = (one: Span, other: Span): boolean => one.from < other.until && other.from < one.until;

function isCovered({ from, until }: Span, windows: readonly Span[]): boolean {
  const reached = windows
    .toSorted((a, b) => a.from - b.from)
    .reduce((end, one) => (one.from <= end ? Math.max(end, one.until) : end), from);
  return reached >= until;
}
