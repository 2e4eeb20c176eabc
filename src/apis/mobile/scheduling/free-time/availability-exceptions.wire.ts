import { z } from 'zod';
import type { HoursChange, HoursChangeInput } from '../../../../domain/scheduling/hours/availability-exceptions.ts';
import { readDay, readMoment, writeInstant, writeLocal } from '../../../../domain/values/time/time.ts';
import { dateBound, flag, id, instant, localTime, optional, renameFields, text } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';

const DAY_MS = 86_400_000;
const REASON = 200;

export const AvailabilityExceptionShape = z
  .strictObject({
    uuid: z.int(),
    provider_id: z.int().nullable().describe('Provider id; null for all'),
    office_id: z.int().nullable().describe('Office id; null for all'),
    from: localTime().describe('Local time of the office, or of each office'),
    until: localTime().describe('End, such as 2026-12-26T00:00:00 for the end of the 25th'),
    available: z.boolean().describe('Whether it adds hours; false: it closes the time'),
    reason: z.string().nullable().describe('Reason, such as vacation'),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'AvailabilityException' });

export const AvailabilityExceptionResponse = one(AvailabilityExceptionShape).meta({ id: 'AvailabilityExceptionResponse' });
export const AvailabilityExceptionList = wrapList(AvailabilityExceptionShape).meta({ id: 'AvailabilityExceptionList' });

/** A wall clock, whose zone is that of each office. A day is its beginning, or its end. */
const wallClock = (dayEnds: boolean) =>
  dateBound({ offsets: false }).transform((written) => {
    const whole = readDay(written);
    return whole ? new Date(whole.getTime() + (dayEnds ? DAY_MS : 0)) : readMoment(written, 'UTC', 'from').local;
  });

const required = {
  from: wallClock(false).describe('Start in local time of the office, without an offset; a day means its start'),
  until: wallClock(true).describe('End in local time of the office, without an offset; a day means its end'),
};
const further = {
  provider_id: optional(id()).describe('Provider of the leave or extra hours; null for all'),
  office_id: optional(id()).describe('Office; null for all. Without a provider and an office it is a holiday of the practice'),
  available: optional(flag()).describe('true for extra hours, which need a provider and an office; false by default'),
  reason: optional(text(REASON).min(1)).describe('Reason, such as vacation'),
};

export const AvailabilityExceptionCreate = z.object({ ...required, ...further }).meta({ id: 'AvailabilityExceptionCreate' });
export const AvailabilityExceptionUpdate = z.object(required).partial().extend(further).meta({ id: 'AvailabilityExceptionUpdate' });
export const exceptionQuery = z.object({
  despite_visits: flag().nullish().describe('Close the time despite upcoming visits, which are kept'),
});
export const availabilityExceptionParams = z.object({ uuid: id().describe('Availability exception id') });

export const EXCEPTION_NAMES = {
  providerId: 'provider_id',
  officeId: 'office_id',
  fromLocal: 'from',
  untilLocal: 'until',
  available: 'available',
  reason: 'reason',
} as const;

export function toNewException(request: z.output<typeof AvailabilityExceptionCreate>): HoursChangeInput {
  const { providerId = null, officeId = null, available, reason = null, ...times } = renameFields(request, EXCEPTION_NAMES);
  return { ...times, providerId, officeId, available: available ?? false, reason };
}

export function toExceptionChanges(request: z.output<typeof AvailabilityExceptionUpdate>): Partial<HoursChangeInput> {
  const fields = renameFields(request, EXCEPTION_NAMES);
  const given = { ...fields, available: fields.available === null ? false : fields.available };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

export const fromException = (exception: HoursChange): z.input<typeof AvailabilityExceptionShape> => ({
  uuid: exception.id,
  provider_id: exception.providerId,
  office_id: exception.officeId,
  from: writeLocal(exception.fromLocal) ?? '',
  until: writeLocal(exception.untilLocal) ?? '',
  available: exception.available,
  reason: exception.reason,
  created_at: writeInstant(exception.createdAt),
  updated_at: writeInstant(exception.updatedAt),
});
