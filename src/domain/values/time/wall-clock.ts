import { Temporal } from 'temporal-polyfill';

/** From one instant, included, to another, excluded, in milliseconds. */
export interface Span {
  from: number;
  until: number;
}

/** The clocks of a zone over a range of time: spans of one offset each, in order and without gaps. */
export type WallClock = readonly (Span & { offset: number })[];

/** Zone files have a change of the clocks every few months: a year of most zones has three spans. */
export function createWallClock(timeZone: string, range: Span): WallClock {
  const spans: (Span & { offset: number })[] = [];
  let at: Temporal.ZonedDateTime | null = Temporal.Instant.fromEpochMilliseconds(range.from).toZonedDateTimeISO(timeZone);
  while (at !== null && at.epochMilliseconds < range.until) {
    const next: Temporal.ZonedDateTime | null = at.getTimeZoneTransition('next');
    const until = Math.min(next?.epochMilliseconds ?? range.until, range.until);
    spans.push({ from: at.epochMilliseconds, until, offset: at.offsetNanoseconds / 1_000_000 });
    at = next;
  }
  return spans;
}

/** The time on the clocks at an instant, as milliseconds of a time whose UTC fields show it. The instant is in the range of the clock. */
export function localAt(clock: WallClock, instant: number): number {
  const span = clock.find(({ until }) => instant < until) ?? clock.at(-1);
  return instant + (span?.offset ?? 0);
}

/**
 * The instants at which the clocks show a time from one to another, as localAt writes them: none of an hour that they skip, and an hour that
 * they repeat twice.
 */
export function instantsShowing(clock: WallClock, { from, until }: Span): Span[] {
  const shown: Span[] = [];
  for (const span of clock) {
    const part = { from: Math.max(span.from, from - span.offset), until: Math.min(span.until, until - span.offset) };
    const last = shown.at(-1);
    if (part.from >= part.until) continue;
    if (last?.until === part.from) last.until = part.until;
    else shown.push(part);
  }
  return shown;
}
