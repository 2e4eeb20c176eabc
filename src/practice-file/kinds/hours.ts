import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { APPOINTMENT_LIMITS } from '../../domain/scheduling/appointment/field-limits.ts';
import { BOOKERS } from '../../domain/scheduling/free-time/opening-hours.ts';
import {
  createAvailabilities,
  deleteAvailability,
  type HoursInput,
  listAvailability,
  type WeeklyHours,
} from '../../domain/scheduling/hours/availability.ts';
import {
  changeAvailabilityException,
  createAvailabilityException,
  deleteAvailabilityException,
  type HoursChangeInput,
  listAvailabilityExceptions,
} from '../../domain/scheduling/hours/availability-exceptions.ts';
import { listOwnAppointmentTypes } from '../../domain/scheduling/types/appointment-types.ts';
import { changesTo } from '../../domain/values/changed-fields.ts';
import { readDay, writeDay, writeLocal } from '../../domain/values/time/time.ts';
import { readMinute, readWeekday, WEEKDAYS, writeMinute } from '../../domain/values/time/week-times.ts';
import { bookers, clearable, day, field, form, reference, text, whole } from '../fields.ts';
import { kind, type Reading, type Work } from '../kind.ts';

const DAY_MS = 86_400_000;
const ALL = { page: 1, limit: 1_000_000 };

const clock = (description: string) =>
  form((written) => {
    const minute = readMinute(written);
    return minute === null ? null : writeMinute(minute);
  }, 'must be a time of day from "00:00" to "24:00", such as "09:30"').describe(description);

const weekday = () =>
  form((written) => WEEKDAYS[(readWeekday(written) ?? 0) - 1] ?? null, 'must be a day of the week such as mon or Monday').meta({
    enum: [...WEEKDAYS],
  });

const HOURS = z
  .strictObject({
    office: reference().describe('Where the provider sees patients'),
    weekdays: z.array(weekday()).min(1).max(7).describe('Days of the week, such as [mon, thu]'),
    from: clock('Time of day on the clocks of the office'),
    until: clock('Time of day, up to "24:00", on the same day'),
    startsOn: clearable(day(), 'First day; null without a first one'),
    endsOn: clearable(day(), 'Last day; null without a last one'),
    appointmentTypes: field(z.array(reference()).max(APPOINTMENT_LIMITS.typesOfHours), 'Types that may be booked; all by default'),
    capacity: clearable(whole(1, APPOINTMENT_LIMITS.capacity), 'Patients in one slot; null: as the type has it'),
    bookableBy: field(bookers(), 'Who may book it: staff, apps (programs), patient (with a link); all by default'),
  })
  .refine(({ from, until }) => (readMinute(until) ?? 0) > (readMinute(from) ?? 0), {
    path: ['until'],
    error: 'must be after from, and at most "24:00"',
  })
  .refine(({ startsOn, endsOn }) => !startsOn || !endsOn || endsOn >= startsOn, {
    path: ['endsOn'],
    error: 'must not be before starts_on',
  });
type Hours = z.output<typeof HOURS>;

/** The weekly hours of a provider, all at once. Hours for types of other practices, which a file cannot name, stay as they are. */
export const weeklyHours = () => field(z.array(HOURS).max(500), 'All weekly hours, which replace the former ones');

const OF_NEW_HOURS = { startsOn: null, endsOn: null, appointmentTypes: [], capacity: null, bookableBy: [...BOOKERS] };

/** Hours of each day by themselves, in which entries of several days may be written in several ways. */
export const byDay = (value: unknown): unknown =>
  z
    .array(HOURS)
    .parse(value ?? [])
    .flatMap(({ weekdays, appointmentTypes = [], ...one }) =>
      [...new Set(weekdays)].map((on) =>
        JSON.stringify(
          Object.entries({ ...OF_NEW_HOURS, ...one, on, appointmentTypes: [...new Set(appointmentTypes)].toSorted() }).toSorted(),
        ),
      ),
    )
    .toSorted();

interface Entry {
  weekdays: string[];
  rest: ReturnType<typeof toFields>;
}

/** The hours of each provider, as the file has them: days of the same hours in one entry. */
export async function readHours(work: Reading): Promise<Map<number, object[]>> {
  const entries = new Map<number, Entry[]>();
  for (const { providerId, weekday: on, ...row } of await listHours(work)) {
    const [rest, known] = [toFields(row), entries.get(providerId) ?? []];
    const same = known.find((entry) => isDeepStrictEqual(entry.rest, rest));
    if (same) same.weekdays.push(...WEEKDAYS.slice(on - 1, on));
    else entries.set(providerId, [...known, { weekdays: WEEKDAYS.slice(on - 1, on), rest }]);
  }
  const toWritten = ({ weekdays, rest: { office, ...rest } }: Entry) => ({ office, weekdays, ...rest });
  return new Map([...entries].map(([providerId, all]) => [providerId, all.map(toWritten)]));
}

/** The fields of hours on each of their days, without those that new hours have. */
function toFields(row: Omit<WeeklyHours, 'providerId' | 'weekday'>): Record<string, unknown> & { office: number } {
  const [startsOn, endsOn, bookableBy] = [
    writeDay(row.startsOn),
    writeDay(row.endsOn),
    BOOKERS.filter((one) => row.bookableBy.includes(one)),
  ];
  return {
    office: row.officeId,
    from: writeMinute(row.fromMinute),
    until: writeMinute(row.untilMinute),
    ...(startsOn === null ? {} : { startsOn }),
    ...(endsOn === null ? {} : { endsOn }),
    ...(row.typeIds.length === 0 ? {} : { appointmentTypes: row.typeIds }),
    ...(row.capacity === null ? {} : { capacity: row.capacity }),
    ...(bookableBy.length === BOOKERS.length ? {} : { bookableBy }),
  };
}

async function listHours({ tx }: Reading, providerId: number | null = null): Promise<WeeklyHours[]> {
  const types = new Set((await listOwnAppointmentTypes(tx)).map(({ id }) => id));
  const { items } = await listAvailability(tx, { providerId, officeId: null }, ALL);
  return items.filter(({ typeIds }) => typeIds.every((id) => types.has(id)));
}

export async function addHours(work: Work, providerId: number, wanted: readonly Hours[]): Promise<void> {
  await createAvailabilities(work.tx, toRows(work, providerId, wanted));
}

/** Hours that are the same stay, all others go, and new ones come. */
export async function setHours(work: Work, providerId: number, wanted: readonly Hours[]): Promise<void> {
  const { tx } = work;
  const left = await listHours(work, providerId);
  const added: HoursInput[] = [];
  for (const row of toRows(work, providerId, wanted)) {
    const same = left.findIndex((one) => Object.keys(changesTo(one, row)).length === 0);
    if (same >= 0) left.splice(same, 1);
    else added.push(row);
  }
  await createAvailabilities(tx, added);
  for (const { id } of left) await deleteAvailability(tx, id);
}

/** Hours of each day by themselves. */
function toRows({ findId }: Work, providerId: number, wanted: readonly Hours[]): HoursInput[] {
  return wanted.flatMap(
    ({ office, weekdays, from, until, startsOn, endsOn, appointmentTypes = [], capacity = null, bookableBy = [...BOOKERS] }) =>
      [...new Set(weekdays)].map((on) => ({
        providerId,
        officeId: findId('offices', office),
        weekday: readWeekday(on) ?? 0,
        fromMinute: readMinute(from) ?? 0,
        untilMinute: readMinute(until) ?? 0,
        startsOn: startsOn ? readDay(startsOn) : null,
        endsOn: endsOn ? readDay(endsOn) : null,
        typeIds: [...new Set(appointmentTypes.map((name) => findId('appointmentTypes', name)))],
        capacity,
        bookableBy,
      })),
  );
}

/** A time on the clocks of each office; one at midnight is written as its day. @param ends whether a day means its end */
const localTime = (ends: boolean) =>
  form((written) => {
    const local = readLocal(written, ends);
    if (local === null) return null;
    const isDay = local.getTime() % DAY_MS === 0;
    return isDay ? writeDay(new Date(local.getTime() - (ends ? DAY_MS : 0))) : writeLocal(local);
  }, 'must be a day such as 2026-12-25, or a time without an offset such as 2026-12-24T12:00');

function readLocal(written: string, ends: boolean): Date | null {
  const [, date = '', time] = /^(\d{4}-\d{2}-\d{2})(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?))?$/.exec(written.trim()) ?? [];
  const midnight = readDay(date);
  if (midnight === null || time === undefined) return midnight && new Date(midnight.getTime() + (ends ? DAY_MS : 0));
  return new Date(`${date}T${time}Z`);
}

const EXCEPTION = z.strictObject({
  from: field(localTime(false), 'Start: a day (its start) or a local time'),
  until: field(localTime(true), 'End: a day (its end) or a local time; the same day by default'),
  provider: clearable(reference(), 'Provider of the leave or extra hours; null for all'),
  office: clearable(reference(), 'Office; null for all. Without a provider and an office it is a holiday of the practice'),
  available: field(z.boolean(), 'true for extra hours, which need a provider and an office'),
  reason: clearable(text(200), 'Reason, such as vacation'),
});
type Exception = z.output<typeof EXCEPTION>;

/** Leave, holidays, closed offices and extra hours. */
export const hoursExceptionKind = kind({
  name: 'hoursExceptions',
  one: 'exception to the hours',
  names: ['from', 'provider', 'office'],
  between: ', ',
  references: { provider: 'providers', office: 'offices' },
  shape: EXCEPTION,
  whole: EXCEPTION.required({ from: true }),
  async read({ tx }) {
    const { items } = await listAvailabilityExceptions(tx, { providerId: null, officeId: null }, ALL);
    return items.map(({ id, fromLocal, untilLocal, providerId: provider, officeId: office, available, reason }) => ({
      id,
      item: { ...EXCEPTION.parse({ from: writeLocal(fromLocal), until: writeLocal(untilLocal) }), provider, office, available, reason },
    }));
  },
  create: (work, { from, until = from, provider = null, office = null, available = false, reason = null }) => {
    const times = { fromLocal: requireLocal(from, false), untilLocal: requireLocal(until, true) };
    const place = { providerId: idIn(work, 'providers', provider), officeId: idIn(work, 'offices', office) };
    return createAvailabilityException(work.tx, { ...times, ...place, available, reason });
  },
  change: (work, id, changes) => changeAvailabilityException(work.tx, id, toColumns(work, changes)),
  remove: ({ tx }, id) => deleteAvailabilityException(tx, id),
});

function toColumns(work: Work, { from, until, provider, office, ...columns }: Exception): Partial<HoursChangeInput> {
  return {
    ...columns,
    ...(from === undefined ? {} : { fromLocal: requireLocal(from, false) }),
    ...(until === undefined ? {} : { untilLocal: requireLocal(until, true) }),
    ...(provider === undefined ? {} : { providerId: idIn(work, 'providers', provider) }),
    ...(office === undefined ? {} : { officeId: idIn(work, 'offices', office) }),
  };
}

const idIn = ({ findId }: Work, target: string, name: string | null) => (name === null ? null : findId(target, name));

function requireLocal(written: string, ends: boolean): Date {
  const local = readLocal(written, ends);
  if (local === null) throw new RangeError(`${written} is no time`);
  return local;
}
