import { z } from 'zod';
import { APPOINTMENT_LIMITS } from '../../../../domain/scheduling/appointment/field-limits.ts';
import { MOST_APPOINTMENTS } from '../../../../domain/scheduling/series/recurrence.ts';
import {
  type ChangedSeries,
  SCOPES,
  type Series,
  type SeriesChange,
  type SeriesInput,
} from '../../../../domain/scheduling/series/series.ts';
import { ON_CONFLICT } from '../../../../domain/scheduling/series/series-conflicts.ts';
import { writeInstant, writeLocal } from '../../../../domain/values/time/time.ts';
import { alsoNamed, filterNames } from '../../../../http/input/query.ts';
import { appointmentStatus } from '../../../../http/wire/appointment-statuses.ts';
import { cancelQuery } from '../../../../http/wire/change-notices.ts';
import { id, instant, localTime, longId, moment, optional, paging, text } from '../../../../http/wire/wire-types.ts';
import { one, WarningsShape, wrapList } from '../../shared.wire.ts';
import { AppointmentRequest } from './appointments.wire.ts';

const SeriesShape = z
  .strictObject({
    uuid: z.int(),
    patient_id: z.int(),
    rrule: z.string().describe('The rule as it was sent'),
    appointment_timezone: z.string().describe('IANA time zone'),
    visits: z
      .array(
        z.strictObject({
          appointment_id: z.int(),
          appointment_date: instant().describe('UTC'),
          appointment_date_local: localTime().describe('Local time of the visit in the time zone of its office'),
          duration_minutes: z.int(),
          provider_id: z.int().nullable(),
          office_id: z.int().nullable(),
          status: appointmentStatus(),
        }),
      )
      .describe('Visits sorted by start, including cancelled ones'),
    created_at: instant(),
  })
  .meta({ id: 'AppointmentSeries' });

const ConflictShape = z.strictObject({
  appointment_id: z.int().nullable().describe('The visit that was not moved; null if none was booked'),
  appointment_date_local: localTime().describe('The unavailable time'),
  code: z.enum(['skipped_by_clock_change', 'double_booked', 'time_taken']).describe('Why'),
  detail: z.string().describe('Reason as text'),
});

export const SeriesResponse = one(SeriesShape).meta({ id: 'AppointmentSeriesResponse' });
export const SeriesList = wrapList(SeriesShape).meta({ id: 'AppointmentSeriesList' });
export const SavedSeriesResponse = one(SeriesShape)
  .extend({ conflicts: z.array(ConflictShape).describe('Unavailable times'), warnings: WarningsShape })
  .meta({ id: 'SavedAppointmentSeriesResponse' });

const fields = AppointmentRequest.shape;
const { notify, duration_minutes, provider_id, office_id, appointment_type_id } = fields;
const changed = { duration_minutes, provider_id, office_id, appointment_type_id, notify };
const on_conflict = optional(z.enum(ON_CONFLICT)).describe(
  'What to do about unavailable times: skip and report them, or refuse the whole request, which is the default',
);

export const SeriesRequest = z
  .object({
    patient_id: id().describe('Patient id'),
    appointment_date: moment(APPOINTMENT_LIMITS.date).describe('Start of the first possible visit; all visits have its time of day'),
    rrule: text(500).describe(
      `Rule of RFC 5545 with COUNT or UNTIL, such as FREQ=WEEKLY;BYDAY=TU;COUNT=10; it yields ${MOST_APPOINTMENTS} visits at most`,
    ),
    on_conflict,
    ...changed,
    appointment_timezone: fields.appointment_timezone,
    location_id: fields.location_id,
    'user[]': fields['user[]'],
  })
  .meta({ id: 'AppointmentSeriesRequest' });

const scope = z.enum(SCOPES).describe('Visits to change: one, that one and the following ones, or all future ones');
const appointment_id = longId().nullish().describe('Id of the visit, for one and following');

export const SeriesUpdate = z
  .object({
    scope,
    appointment_id,
    on_conflict,
    ...changed,
    appointment_date: fields.appointment_date.describe(
      'New local time of the named visit, otherwise of the next one; the others move by the same difference',
    ),
  })
  .meta({ id: 'AppointmentSeriesUpdate' });

export const seriesParams = z.object({ uuid: longId().describe('Series id') });
export const seriesQuery = z.object({
  patient: alsoNamed(id().optional(), ...filterNames('patient')).describe('Patient id'),
  ...paging,
});
export const cancelSeriesQuery = cancelQuery.extend({ scope, appointment_id: appointment_id.optional() });

/** Name on the wire of a field that only a series has. */
export const SERIES_NAMES = { rule: 'rrule' } as const;

const toChanges = (request: Omit<z.output<typeof SeriesUpdate>, 'scope' | 'appointment_date'>) => ({
  durationMinutes: request.duration_minutes,
  providerId: request.provider_id,
  officeId: request.office_id,
  typeId: request.appointment_type_id,
  notify: request.notify,
});

export const toSeries = (request: z.output<typeof SeriesRequest>): SeriesInput => ({
  ...toChanges(request),
  date: request.appointment_date,
  patientId: request.patient_id,
  timeZone: request.appointment_timezone,
  locationId: request.location_id,
  userIds: request['user[]'] ?? undefined,
  rule: request.rrule,
  onConflict: request.on_conflict ?? 'refuse',
});

export const toSeriesChange = (request: z.output<typeof SeriesUpdate>): SeriesChange => ({
  input: { ...toChanges(request), date: request.appointment_date },
  scope: request.scope,
  appointmentId: request.appointment_id ?? null,
  onConflict: request.on_conflict ?? 'refuse',
});

export const fromSeries = (series: Series): z.input<typeof SeriesShape> => ({
  uuid: series.id,
  patient_id: series.patientId,
  rrule: series.rule,
  appointment_timezone: series.timeZone,
  visits: series.visits.map((visit) => ({
    appointment_id: visit.id,
    appointment_date: writeInstant(visit.startsAt),
    appointment_date_local: writeLocal(visit.localStart) ?? '',
    duration_minutes: visit.durationMinutes,
    provider_id: visit.providerId,
    office_id: visit.officeId,
    status: visit.status,
  })),
  created_at: writeInstant(series.createdAt),
});

export const fromChanged = ({ series, conflicts }: ChangedSeries) => ({
  data: fromSeries(series),
  conflicts: conflicts.map(({ id: appointment_id, date, code, detail }) => ({
    appointment_id,
    appointment_date_local: date,
    detail,
    code: ConflictShape.shape.code.parse(code),
  })),
});
