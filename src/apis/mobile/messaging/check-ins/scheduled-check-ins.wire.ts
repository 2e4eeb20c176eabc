import { z } from 'zod';
import { PERIODS, type Period, readClockTime } from '../../../../domain/messaging/check-ins/schedule-times.ts';
import type { ListedSchedule, ScheduleInput, ScheduleView } from '../../../../domain/messaging/check-ins/scheduled-check-ins.ts';
import { momentAt, writeDay, writeInstant, writeLocal } from '../../../../domain/values/time/time.ts';
import { readWeekday, WEEKDAYS } from '../../../../domain/values/time/week-times.ts';
import { alsoNamed, filterNames } from '../../../../http/input/query.ts';
import { calendarDay, count, day, id, instant, localTime, optional, paging, text, timeOfDay } from '../../../../http/wire/wire-types.ts';
import { fromPerson, PersonShape } from '../../people/people.wire.ts';
import { one, wrapList } from '../../shared.wire.ts';
import { channel, channels, namedChannel } from './check-ins.wire.ts';
import { active } from './survey-types.wire.ts';

const listed = {
  uuid: z.int(),
  name: z.string(),
  schedule_time: timeOfDay().describe('HH:MM in the organization’s time zone'),
  schedule_period: z.enum(PERIODS),
  starts_on: calendarDay().nullable(),
  ends_on: calendarDay().nullable().describe('Last day; null for none'),
  max_runs: z.int().nullable().describe('Number of runs after which it ends; null for no limit'),
  weekdays: z.array(z.enum(WEEKDAYS)).describe('Days on which it runs; empty: all days of the period'),
  runs: z.int().describe('Number of runs so far'),
  time_zone: z.string().describe('Time zone of the organization'),
  active: z.literal([0, 1]).describe('1 while the schedule runs; 0 after its end'),
  next_run_at: instant().nullable().describe('Null if it has ended'),
  local_next_run_at: localTime().nullable(),
  surveys: z.array(z.strictObject({ uuid: z.int(), name: z.string(), active: z.literal([0, 1]) })),
  recipient_count: z.int().nullable().describe('Null: all patients who have the RPM flag at the time of sending'),
  sent_count: z.int().describe('Number of check-ins sent, excluding waiting ones'),
  not_sent_count: z.int().describe('Number of check-ins that could not be sent or delivered'),
  answered_count: z.int(),
  created_by: z.int().nullable().describe('User id'),
  created_at: instant(),
  updated_at: instant(),
};

export const ListedScheduleShape = z.strictObject(listed).meta({ id: 'ListedScheduledCheckIn' });
export const ScheduleShape = z
  .strictObject({
    ...listed,
    recipients: z
      .array(
        z.strictObject({
          patient: PersonShape,
          channel: channels.describe(
            'The requested channel, otherwise the one that currently reaches the patient. Each run falls back to the other',
          ),
        }),
      )
      .nullable()
      .describe('Null: every patient with the RPM flag, by text if they accept texts, otherwise by mail'),
  })
  .meta({ id: 'ScheduledCheckIn' });

export const ScheduleResponse = one(ScheduleShape).meta({ id: 'ScheduledCheckInResponse' });
export const ScheduleList = wrapList(ListedScheduleShape).meta({ id: 'ScheduledCheckInList' });

const MOST_SURVEYS = 10;
const MOST_RECIPIENTS = 1_000;
const MOST_RUNS = 10_000;

const patient = <T extends z.ZodType>(shape: T): T =>
  alsoNamed(shape, ...filterNames('patient')).describe('Patient id. Also read as `patient`, `patient_id`, `patient_uuid`');
const sentBy = namedChannel(optional(channel()), 'sms_email', 'By default by text if the patient accepts texts, otherwise by mail');

const recipient = z.object({ recipient_id: patient(id()), sms_email: sentBy });

type Recipient = z.output<typeof recipient>;

const recipients = z
  .array(recipient)
  .min(1)
  .max(MOST_RECIPIENTS)
  .refine((all) => new Set(all.map(({ recipient_id: id }) => id)).size === all.length, 'must name each patient once');

/** The recipients of a schedule: one, or several. Names that say the same are read, so that no schedule for one goes to everybody. */
const sentTo = (description: string) => ({
  recipient_id: patient(optional(id())),
  sms_email: sentBy,
  recipients: alsoNamed(recipients.nullish(), 'recipient', 'recipient_ids', 'patients', 'patient_ids').describe(description),
});

type SentTo = z.output<z.ZodObject<ReturnType<typeof sentTo>>>;

/** The recipients that one part of a request names, null for none. */
const listNamed = ({ recipient_id: one, sms_email, recipients: several }: SentTo): Recipient[] | null =>
  several ?? (typeof one === 'number' ? [{ recipient_id: one, sms_email }] : null);

/** The id of a survey type, or an object with it, which may have the recipients of the schedule too. */
const survey = z.union(
  [
    id().transform((surveyTypeId) => ({ surveyTypeId, sentTo: null })),
    z
      .object({ survey_type_id: id(), ...sentTo('Recipients of the whole schedule') })
      .transform(({ survey_type_id: surveyTypeId, ...named }) => ({ surveyTypeId, sentTo: listNamed(named) })),
  ],
  { error: 'must be the id of a survey type, or {"survey_type_id": …}, optionally with recipients' },
);

/** One text for the same recipients, in whatever order they are named. */
const writeRecipients = (all: readonly Recipient[]): string =>
  JSON.stringify(
    all
      .map(({ recipient_id: id, sms_email: channel = null }) => [id, channel])
      .toSorted(([one = 0], [other = 0]) => Number(one) - Number(other)),
  );

/** The recipients of the whole schedule, by themselves or within the surveys; null for everybody with the RPM flag. */
const readRecipients = (body: SentTo & { surveys: z.output<typeof survey>[] }): Recipient[] | null =>
  listNamed(body) ?? body.surveys.find((named) => named.sentTo !== null)?.sentTo ?? null;

/** Days of the week by their first three letters, also written out. */
const weekday = z
  .string()
  .transform((written, context) => {
    const day = readWeekday(written);
    if (day !== null) return day;
    context.addIssue('must be a day of the week such as mon');
    return z.NEVER;
  })
  .meta({ enum: [...WEEKDAYS] });

const period = z
  .string()
  .transform((written) => written.trim().toLowerCase())
  .pipe(z.enum(PERIODS))
  .meta({ enum: [...PERIODS] satisfies Period[] });

export const ScheduleRequest = z
  .object({
    name: text(200).min(1),
    schedule_time: text(20)
      .transform((written, context) => {
        const read = readClockTime(written);
        if (read !== null) return read;
        context.addIssue('must be a time of day such as 09:00');
        return z.NEVER;
      })
      .meta({ pattern: '^\\d{1,2}:[0-5]\\d(:00)?( ?[AaPp]\\.?[Mm]\\.?)?$' })
      .describe('HH:MM in the organization’s time zone. A time skipped by a clock change moves to the end of the gap'),
    schedule_period: period,
    surveys: z
      .array(survey)
      .min(1)
      .max(MOST_SURVEYS)
      .describe('Ids of survey types. Recipients within them are recipients of the schedule and must be the same in all'),
    ...sentTo('By default, every patient with the RPM flag at the time of each run'),
    starts_on: optional(day()).describe(
      'First day; by default the day of the next run. A weekly schedule repeats the weekday, a monthly one the day of the month, or the last day',
    ),
    ends_on: optional(day()).describe('The last day'),
    max_runs: optional(count(MOST_RUNS)).describe('Number of runs after which it ends'),
    weekdays: optional(z.array(weekday).max(7)).describe('Days on which a daily or weekly schedule runs, such as ["mon", "thu"]'),
  })
  .superRefine((body, context) => {
    const all = writeRecipients(readRecipients(body) ?? []);
    const refuseDifference = (path: (string | number)[], named: Recipient[] | null) => {
      if (named === null || writeRecipients(named) === all) return;
      context.addIssue({ code: 'custom', path, message: OTHER_RECIPIENTS, params: { code: 'contradiction' } });
    };
    refuseDifference(['recipient_id'], listNamed({ ...body, recipients: null }));
    for (const [index, named] of body.surveys.entries()) refuseDifference(['surveys', index], named.sentTo);
    if (body.schedule_period === 'monthly' && (body.weekdays ?? []).length > 0)
      context.addIssue({
        code: 'custom',
        path: ['weekdays'],
        message: 'must be omitted for a monthly schedule',
        params: { code: 'contradiction' },
      });
    if (body.starts_on && body.ends_on && body.ends_on < body.starts_on)
      context.addIssue({ code: 'custom', path: ['ends_on'], message: 'must not be before starts_on', params: { code: 'range_is_empty' } });
  })
  .meta({ id: 'ScheduledCheckInRequest' });

const OTHER_RECIPIENTS = 'has different recipients: a schedule sends every survey to all of its recipients. Create separate schedules';

/** A way of sending that no patient is named for is ignored. */
export const unusedChannel = ({ recipient_id: one, sms_email: channel }: z.output<typeof ScheduleRequest>): string[] =>
  typeof one !== 'number' && typeof channel === 'string' ? ['sms_email'] : [];

export const scheduleParams = z.object({ checkin: id().describe('Scheduled check-in id') });
export const schedulesQuery = z.object({ active, ...paging });

export const toSchedule = (body: z.output<typeof ScheduleRequest>): ScheduleInput => ({
  name: body.name,
  period: body.schedule_period,
  time: body.schedule_time,
  surveyTypeIds: [...new Set(body.surveys.map(({ surveyTypeId }) => surveyTypeId))],
  recipients:
    readRecipients(body)?.map(({ recipient_id: patientId, sms_email: channel }) => ({ patientId, channel: channel ?? undefined })) ?? null,
  startsOn: body.starts_on ?? undefined,
  endsOn: body.ends_on ?? null,
  maxRuns: body.max_runs ?? null,
  weekdays: [...new Set(body.weekdays ?? [])].toSorted((one, other) => one - other),
});

export function fromListedSchedule(schedule: ListedSchedule): z.input<typeof ListedScheduleShape> {
  const { nextRunAt, timeZone, counts } = schedule;
  return {
    uuid: schedule.id,
    name: schedule.name,
    schedule_time: schedule.scheduleTime,
    schedule_period: z.enum(PERIODS).parse(schedule.schedulePeriod),
    starts_on: writeDay(schedule.startsOn),
    ends_on: writeDay(schedule.endsOn),
    max_runs: schedule.maxRuns,
    weekdays: WEEKDAYS.filter((_, index) => schedule.weekdays.includes(index + 1)),
    runs: schedule.runs,
    time_zone: timeZone,
    active: schedule.active ? 1 : 0,
    next_run_at: writeInstant(nextRunAt),
    local_next_run_at: nextRunAt && writeLocal(momentAt(nextRunAt, timeZone).local),
    surveys: schedule.surveys.map(({ survey: { id: uuid, name, active: inUse } }) => ({ uuid, name, active: inUse ? 1 : 0 })),
    recipient_count: schedule.isForNamed ? schedule._count.recipients : null,
    sent_count: counts.sent,
    not_sent_count: counts.notSent,
    answered_count: counts.answered,
    created_by: schedule.createdByUserId,
    created_at: writeInstant(schedule.createdAt),
    updated_at: writeInstant(schedule.updatedAt),
  };
}

export const fromSchedule = (schedule: ScheduleView): z.input<typeof ScheduleShape> => ({
  ...fromListedSchedule(schedule),
  recipients: schedule.isForNamed
    ? schedule.recipients.map(({ patient }) => ({ patient: fromPerson(patient), channel: schedule.channels.get(patient.id) ?? 'sms' }))
    : null,
});
