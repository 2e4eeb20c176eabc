import { Temporal } from 'temporal-polyfill';
import { invalid } from '../../errors.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { dayAt, writeDay } from '../../values/time/time.ts';
import { FIGURES_BY_DAY, FIGURES_BY_USER, type FigureRow, type UserFigureRow } from './reports.sql.ts';

/**
 * Figures about video visits. Each fact is counted once, on the day on which it began: a visit past midnight belongs to the
 * day before. A visit that still runs counts no minutes.
 */
export type Figures = FigureRow;
export type UserFigures = UserFigureRow;

/** A range of days of the organization's calendar, both ends included. */
export interface ReportDays {
  first: Date;
  /** Today unless given. */
  last?: Date | undefined;
  fields: { first: string; last: string };
}

/** Days are written as `2026-03-08`, in `timeZone`. */
interface Report {
  first: string;
  last: string;
  timeZone: string;
  totals: Figures;
}

export interface DayReport extends Report {
  days: (Figures & { day: string })[];
}

export interface UserReport extends Report {
  users: UserFigures[];
}

const MAX_DAYS = 366;
const NO_FIGURES: Figures = {
  sessions: 0,
  visits: 0,
  visit_minutes: 0,
  patients: 0,
  waiting_visits: 0,
  waiting_minutes: 0,
  waiting_average: null,
  waiting_median: null,
  no_shows: 0,
};

/** The figures of the organization, and of each day. @throws Failure invalid for a last day before the first, or more than 366 days */
export async function reportDays(tx: Tx, range: ReportDays): Promise<DayReport> {
  const { days, starts, ...calendar } = await readCalendar(tx, range);
  const [from, before] = [starts.at(0), starts.at(-1)];
  const rows = await tx.rows(FIGURES_BY_DAY, [from, before, starts.slice(0, -1)]);
  const byPlace = new Map(rows.map(({ is_whole, day, ...figures }) => [is_whole ? 0 : day, figures]));
  return {
    ...calendar,
    totals: byPlace.get(0) ?? NO_FIGURES,
    days: days.map((day, index) => ({ ...(byPlace.get(index + 1) ?? NO_FIGURES), day })),
  };
}

/** The figures of the organization, and of each user with any fact. @throws Failure as reportDays */
export async function reportUsers(tx: Tx, range: ReportDays): Promise<UserReport> {
  const { days: _, starts, ...calendar } = await readCalendar(tx, range);
  const rows = await tx.rows(FIGURES_BY_USER, [starts.at(0), starts.at(-1)]);
  const { whole, users } = Object.groupBy(rows, ({ is_whole }) => (is_whole ? 'whole' : 'users'));
  return { ...calendar, totals: whole?.[0] ?? NO_FIGURES, users: users ?? [] };
}

interface Calendar {
  first: string;
  last: string;
  timeZone: string;
  days: string[];
  /** The instants at which each day and the day after the last begin, ISO 8601. */
  starts: string[];
}

async function readCalendar(tx: Tx, { first, last, fields }: ReportDays): Promise<Calendar> {
  const timeZone = await organizationZone(tx);
  const from = Temporal.PlainDate.from(writeDay(first) ?? '');
  const to = Temporal.PlainDate.from(writeDay(last ?? dayAt(new Date(), timeZone)) ?? '');
  const count = from.until(to).days + 1;
  if (count < 1) throw invalid(fields.first, last ? `must not be after ${fields.last}` : 'must not be after today', 'range_is_empty');
  if (count > MAX_DAYS) throw invalid(fields.first, `must be ${MAX_DAYS} days before the last day at most`, 'range_too_long');
  const days = Array.from({ length: count }, (_, index) => from.add({ days: index }));
  const starts = [...days, to.add({ days: 1 })].map((day) => new Date(day.toZonedDateTime(timeZone).epochMilliseconds).toISOString());
  return { first: from.toString(), last: to.toString(), timeZone, days: days.map(String), starts };
}
