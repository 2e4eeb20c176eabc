import { z } from 'zod';
import type { DayReport, Figures, ReportDays, UserReport } from '../../../../domain/telehealth/visits/reports.ts';
import { alsoNamed } from '../../../../http/input/query.ts';
import { calendarDay, day } from '../../../../http/wire/wire-types.ts';
import { one } from '../../shared.wire.ts';

const FIGURES = {
  sessions: z.int().describe('Video sessions that began'),
  visits: z.int().describe('Video visits that began'),
  minutes: z.int().describe('Minutes of the visits that have ended, each visit rounded'),
  patients: z.int().describe('Distinct patients; the counts by day or by user may add up to more than the total'),
  waiting_room_visits: z.int(),
  waiting_minutes: z.int().describe('Waiting minutes of patients who were admitted or left, each visit rounded'),
  waiting_minutes_average: z.number().nullable().describe('Rounded to a tenth; null if nobody waited'),
  waiting_minutes_median: z.number().nullable().describe('Rounded to a tenth; null if nobody waited'),
  no_shows: z.int().describe('Video appointments that the patient missed'),
};

const RANGE = {
  min_date: calendarDay().describe('YYYY-MM-DD'),
  max_date: calendarDay().describe('YYYY-MM-DD'),
  timezone: z.string().describe('IANA time zone of the practice, in which days are counted'),
};

const FiguresShape = z.strictObject(FIGURES).meta({ id: 'TelehealthFigures' });

export const DayReportResponse = one(
  z
    .strictObject({
      ...RANGE,
      totals: FiguresShape,
      days: z
        .array(z.strictObject({ date: calendarDay().describe('YYYY-MM-DD'), ...FIGURES }))
        .describe('Every day in the range, including days without visits'),
    })
    .meta({ id: 'TelehealthData' }),
).meta({ id: 'TelehealthDataResponse' });

export const UserReportResponse = one(
  z
    .strictObject({
      ...RANGE,
      totals: FiguresShape,
      users: z
        .array(
          z.strictObject({
            user_id: z.int().nullable().describe('Null for waiting rooms without a host'),
            firstname: z.string().nullable(),
            lastname: z.string().nullable(),
            ...FIGURES,
          }),
        )
        .describe('Users with any activity, sorted by name'),
    })
    .meta({ id: 'TelehealthUserData' }),
).meta({ id: 'TelehealthUserDataResponse' });

export const reportQuery = z.object({
  'min-date': alsoNamed(day(), 'min_date').describe('First day, YYYY-MM-DD, in the practice’s time zone'),
  'max-date': alsoNamed(day().optional(), 'max_date').describe(
    'Last day (inclusive), YYYY-MM-DD; defaults to today. The range has at most 366 days',
  ),
});

export const toReportDays = (query: z.output<typeof reportQuery>): ReportDays => ({
  first: query['min-date'],
  last: query['max-date'],
  fields: { first: 'min-date', last: 'max-date' },
});

const fromFigures = (figures: Figures): z.input<typeof FiguresShape> => ({
  sessions: figures.sessions,
  visits: figures.visits,
  minutes: figures.visit_minutes,
  patients: figures.patients,
  waiting_room_visits: figures.waiting_visits,
  waiting_minutes: figures.waiting_minutes,
  waiting_minutes_average: figures.waiting_average,
  waiting_minutes_median: figures.waiting_median,
  no_shows: figures.no_shows,
});

const fromRange = ({ first, last, timeZone }: DayReport | UserReport) => ({ min_date: first, max_date: last, timezone: timeZone });

export const fromDayReport = (report: DayReport): z.input<typeof DayReportResponse>['data'] => ({
  ...fromRange(report),
  totals: fromFigures(report.totals),
  days: report.days.map((figures) => ({ date: figures.day, ...fromFigures(figures) })),
});

export const fromUserReport = (report: UserReport): z.input<typeof UserReportResponse>['data'] => ({
  ...fromRange(report),
  totals: fromFigures(report.totals),
  users: report.users.map((figures) => ({
    user_id: figures.user_id,
    firstname: figures.first_name,
    lastname: figures.last_name,
    ...fromFigures(figures),
  })),
});
