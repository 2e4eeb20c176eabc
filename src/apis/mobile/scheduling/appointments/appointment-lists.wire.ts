import { z } from 'zod';
import type { CallerIdentity } from '../../../../domain/caller.ts';
import { type ConfirmationAnswer, type ConfirmationCounts, toPercentage } from '../../../../domain/scheduling/appointment/confirmation.ts';
import type { StatusCounts } from '../../../../domain/scheduling/lists/appointment-list-queries.sql.ts';
import type { AppointmentFilter } from '../../../../domain/scheduling/lists/appointment-lists.ts';
import type { AppointmentStatus } from '../../../../domain/values/appointment-status.ts';
import type { TimeZone } from '../../../../domain/values/time/time-zones.ts';
import { alsoNamed, filterNames } from '../../../../http/input/query.ts';
import { dateBound, id, paging, pagingByPosition, updatedSince } from '../../../../http/wire/wire-types.ts';
import { confirmations, DATE, FILTER, one, PATIENT, TASKS, wrapList } from '../../shared.wire.ts';
import { AppointmentShape } from './appointments.wire.ts';

export const AppointmentList = wrapList(AppointmentShape).meta({ id: 'AppointmentList' });

const user = alsoNamed(id().optional(), 'user_uuid').describe('Id of a participant');

export const ownAppointmentsQuery = z.object({
  ...DATE,
  ...FILTER,
  'user[]': FILTER['user[]'].describe('Provider ids'),
  ...PATIENT,
  ...updatedSince,
  ...pagingByPosition,
});
export const allAppointmentsQuery = z.object({ user_id: user, ...DATE, ...FILTER, ...PATIENT, ...updatedSince, ...pagingByPosition });
export const appointmentSearchQuery = z.object({ ...TASKS, ...DATE, ...FILTER, ...PATIENT, ...updatedSince, ...pagingByPosition });
export const patientAppointmentsQuery = z.object({ ...DATE, ...FILTER, ...updatedSince, ...pagingByPosition });
export const patientAppointmentsParams = z.object({ uuid: id().describe('Patient id') });
export const statusQuery = z.object({
  user_id: alsoNamed(id().optional(), ...filterNames('user')).describe('Id of a participant; defaults to the calling user'),
  status: confirmations.default('Yes').describe('Confirmation status of the patient'),
  ...DATE,
  ...PATIENT,
  ...updatedSince,
  ...pagingByPosition,
});
export const allStatusQuery = z.object({
  user_id: user,
  status: confirmations.optional().describe('Confirmation status of the patient; any by default'),
  ...DATE,
  ...FILTER,
  ...PATIENT,
  ...updatedSince,
  ...pagingByPosition,
});

const withoutOffset = dateBound({ offsets: false }).optional().describe('ISO 8601 without an offset, in the organization’s time zone');
export const percentageQuery = z.object({
  ...TASKS,
  min_appointment_date: withoutOffset,
  max_appointment_date: withoutOffset,
  ...FILTER,
  ...PATIENT,
});

interface ListQuery extends z.output<z.ZodObject<typeof DATE & typeof FILTER & typeof PATIENT & typeof TASKS>> {
  user_id?: number | undefined;
  status?: ConfirmationAnswer | undefined;
  updated_since?: Date | undefined;
}

const DATES = { min: 'min_appointment_date', max: 'max_appointment_date' };

export function toFilter(query: Partial<ListQuery>): AppointmentFilter {
  return {
    dates: { min: query.min_appointment_date, max: query.max_appointment_date, fields: DATES },
    userId: query.user_id,
    userIds: query['user[]'],
    patientId: query.patient,
    typeId: query.type,
    officeId: query.office,
    locationId: query.location,
    confirmation: query.status,
    showOnTasks: query.show_on_tasks,
    updatedSince: query.updated_since,
    externalId: query.external_id,
  };
}

/** The caller's own, unless user_id says whose; `user[]` names providers there. */
export function toOwnFilter(query: Partial<ListQuery>, { userId }: CallerIdentity): AppointmentFilter {
  return { ...toFilter(query), userId: query.user_id ?? userId ?? undefined, userIds: undefined, providerIds: query['user[]'] };
}

const inStatus = () => z.int().describe('Number of appointments in this status');

const statusCounts = z.strictObject({
  scheduled: inStatus(),
  arrived: inStatus(),
  roomed: inStatus(),
  in_progress: inStatus(),
  checked_out: inStatus(),
  completed: inStatus(),
  no_show: inStatus(),
  cancelled: inStatus(),
} satisfies Record<AppointmentStatus, z.ZodType>);

export const PercentageResponse = one(
  z
    .strictObject({
      percentage: z.number().describe('Percentage of confirmed appointments, to two decimals; 0 without appointments'),
      confirmed: z.int(),
      declined: z.int(),
      pending: z.int(),
      total: z.int().describe('Number of appointments, excluding cancelled ones'),
      statuses: statusCounts.describe('Number of appointments in each status'),
      no_show_percentage: z
        .number()
        .describe('Percentage of missed appointments among those that took place or were missed, to two decimals'),
      cancelled_percentage: z.number().describe('Percentage of cancelled appointments among all, to two decimals'),
    })
    .describe('Percentages of confirmed, missed and cancelled appointments'),
).meta({ id: 'PercentageResponse' });

type AppointmentCounts = ConfirmationCounts & { statuses: StatusCounts };

export function fromAppointmentCounts({ statuses, ...counts }: AppointmentCounts): z.input<typeof PercentageResponse>['data'] {
  const { scheduled: _, cancelled, ...begun } = statuses;
  const cameOrMissed = Object.values(begun).reduce((sum, count) => sum + count, 0);
  return {
    percentage: toPercentage(counts.confirmed, counts.total),
    ...counts,
    statuses,
    no_show_percentage: toPercentage(begun.no_show, cameOrMissed),
    cancelled_percentage: toPercentage(cancelled, counts.total + cancelled),
  };
}

const TimeZoneShape = z
  .strictObject({
    name: z.string().describe('Name in the IANA database'),
    offset: z.string().describe('Current offset from UTC, such as +05:30'),
    offset_minutes: z.int(),
    abbreviation: z.string().describe('Current abbreviation, such as EDT'),
  })
  .meta({ id: 'TimeZoneRecord' });

export const TimeZoneList = wrapList(TimeZoneShape).meta({ id: 'TimeZoneList' });
export const timeZonesQuery = z.object(paging);

export function fromTimeZone({ name, offset, offsetMinutes, abbreviation }: TimeZone): z.input<typeof TimeZoneShape> {
  return { name, offset, offset_minutes: offsetMinutes, abbreviation };
}
