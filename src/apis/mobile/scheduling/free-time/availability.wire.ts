import { z } from 'zod';
import { APPOINTMENT_LIMITS } from '../../../../domain/scheduling/appointment/field-limits.ts';
import { BOOKERS } from '../../../../domain/scheduling/free-time/opening-hours.ts';
import type { HoursFilter, HoursInput, WeeklyHours } from '../../../../domain/scheduling/hours/availability.ts';
import { writeDay, writeInstant } from '../../../../domain/values/time/time.ts';
import { CLOCK_TIME, readMinute, readWeekday, writeMinute } from '../../../../domain/values/time/week-times.ts';
import { alsoNamed, filterNames } from '../../../../http/input/query.ts';
import { calendarDay, day, id, instant, integerBetween, optional, paging, renameFields, text } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';

const bookers = z.enum(BOOKERS);
const BOOKABLE_BY = 'Who can book: staff, apps (programs) and patient (by a link)';

/** A day of the week as people and programs count them: its name, 1 Monday to 7 Sunday, and 0 for Sunday. */
export const weekday = () =>
  z.preprocess(
    (sent) => {
      if (sent === 0 || sent === '0') return 7;
      return (typeof sent === 'string' && readWeekday(sent)) || sent;
    },
    integerBetween(1, 7),
  );

/** A time of day as minutes; 24:00 is midnight at its end. */
export const clock = () =>
  text(8)
    .regex(CLOCK_TIME, 'must be a time of day from 00:00 to 24:00, such as 09:30')
    .transform((written) => readMinute(written) ?? 0)
    .meta({ pattern: CLOCK_TIME.source });

export const listOrOne = <T extends z.ZodType>(shape: T) =>
  z.preprocess((sent) => (sent === undefined || sent === null || Array.isArray(sent) ? sent : [sent]), shape);

export const bookableBy = () =>
  optional(
    listOrOne(
      z
        .array(bookers)
        .min(1)
        .overwrite((given) => [...new Set(given)]),
    ),
  ).describe(BOOKABLE_BY);
export const BookableByShape = z.array(bookers).describe(BOOKABLE_BY);

export const AvailabilityShape = z
  .strictObject({
    uuid: z.int(),
    provider_id: z.int(),
    office_id: z.int(),
    weekday: z.int().describe('1 Monday to 7 Sunday'),
    from: z.string().describe('Start: local time of day at the office, such as 09:00'),
    until: z.string().describe('End: time of day, up to 24:00'),
    starts_on: calendarDay().nullable().describe('First day; null for no limit'),
    ends_on: calendarDay().nullable().describe('Last day; null for no limit'),
    appointment_type_ids: z.array(z.int()).describe('Types that may be booked; empty for all'),
    capacity: z.int().nullable().describe('Number of patients per slot; null for that of the appointment type'),
    bookable_by: BookableByShape,
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'Availability' });

export const AvailabilityResponse = one(AvailabilityShape).meta({ id: 'AvailabilityResponse' });
export const AvailabilityList = wrapList(AvailabilityShape).meta({ id: 'AvailabilityList' });

const required = {
  provider_id: id().describe('Provider id'),
  office_id: id().describe('Office id'),
  weekday: weekday().describe('1 Monday to 7 Sunday; also by name, and 0 for Sunday'),
  from: clock().describe('Start: local time of day at the office'),
  until: clock().describe('End: time of day on the same day, up to 24:00'),
};
const further = {
  starts_on: optional(day()).describe('First day'),
  ends_on: optional(day()).describe('Last day'),
  appointment_type_ids: optional(listOrOne(z.array(id()).max(APPOINTMENT_LIMITS.typesOfHours))).describe(
    'Types that may be booked; empty for all',
  ),
  capacity: optional(integerBetween(1, APPOINTMENT_LIMITS.capacity)).describe(
    'Number of patients per slot; null for that of the appointment type',
  ),
  bookable_by: bookableBy(),
};

export const AvailabilityCreate = z.object({ ...required, ...further }).meta({ id: 'AvailabilityCreate' });
export const AvailabilityUpdate = z.object(required).partial().extend(further).meta({ id: 'AvailabilityUpdate' });

export const availabilityParams = z.object({ uuid: id().describe('Availability id') });
export const hoursQuery = z.object({
  provider: alsoNamed(id().optional(), ...filterNames('provider')).describe('Provider id'),
  office: alsoNamed(id().optional(), ...filterNames('office')).describe('Office id'),
  ...paging,
});

export const toHoursFilter = ({ provider, office }: { provider?: number | undefined; office?: number | undefined }): HoursFilter => ({
  providerId: provider ?? null,
  officeId: office ?? null,
});

export const AVAILABILITY_NAMES = {
  providerId: 'provider_id',
  officeId: 'office_id',
  weekday: 'weekday',
  fromMinute: 'from',
  untilMinute: 'until',
  startsOn: 'starts_on',
  endsOn: 'ends_on',
  typeIds: 'appointment_type_ids',
  capacity: 'capacity',
  bookableBy: 'bookable_by',
} as const;

/** Null sets a field to what new hours have. */
export function toNewHours(request: z.output<typeof AvailabilityCreate>): HoursInput {
  const fields = renameFields(request, AVAILABILITY_NAMES);
  return {
    ...fields,
    startsOn: fields.startsOn ?? null,
    endsOn: fields.endsOn ?? null,
    typeIds: fields.typeIds ?? [],
    capacity: fields.capacity ?? null,
    bookableBy: fields.bookableBy ?? [...BOOKERS],
  };
}

export function toHoursChanges(request: z.output<typeof AvailabilityUpdate>): Partial<HoursInput> {
  const { typeIds, bookableBy: bookers, ...fields } = renameFields(request, AVAILABILITY_NAMES);
  const given = {
    ...fields,
    typeIds: typeIds === null ? [] : typeIds,
    bookableBy: bookers === null ? [...BOOKERS] : bookers,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

export const fromAvailability = (hours: WeeklyHours): z.input<typeof AvailabilityShape> => ({
  uuid: hours.id,
  provider_id: hours.providerId,
  office_id: hours.officeId,
  weekday: hours.weekday,
  from: writeMinute(hours.fromMinute),
  until: writeMinute(hours.untilMinute),
  starts_on: writeDay(hours.startsOn),
  ends_on: writeDay(hours.endsOn),
  appointment_type_ids: hours.typeIds,
  capacity: hours.capacity,
  bookable_by: z.array(bookers).parse(hours.bookableBy),
  created_at: writeInstant(hours.createdAt),
  updated_at: writeInstant(hours.updatedAt),
});
