import { statement } from '../../../database/statements/statement.ts';
import { activeAppointment } from '../../values/appointment-status.ts';
import type { Busy } from './free-time.ts';
import type { Hours, HoursException, MODALITIES } from './opening-hours.ts';

/** The facts of the practice that a search of free times needs. */
export interface TimetableRow {
  practiceZone: string;
  defaultMinutes: number;
  hours: Hours[];
  exceptions: HoursException[];
  offices: { id: number; zone: string }[];
  /** The type that was asked for; null where the practice may not use it. */
  type: SlotType | null;
}

export interface SlotType {
  name: string;
  minutes: number | null;
  bufferBefore: number;
  bufferAfter: number;
  leadMinutes: number;
  latestDays: number | null;
  capacity: number;
  bookableBy: string[];
  modality: (typeof MODALITIES)[number];
  active: boolean;
}

/** Milliseconds of an instant, or of a wall clock or a day as if it were in UTC. */
const milliseconds = (time: string): string => `(date_part('epoch', ${time}) * 1000)::bigint`;

/** The columns of a type `t` in JSON. */
export const SLOT_TYPE = `json_build_object('name', t.name, 'minutes', t.duration_minutes, 'bufferBefore', t.buffer_before, 'bufferAfter', t.buffer_after,
  'leadMinutes', t.lead_minutes, 'latestDays', t.latest_days, 'capacity', t.capacity, 'bookableBy', t.bookable_by, 'modality', t.modality,
  'active', t.active)`;

/** Parameters: lists of providers and offices (null for all), and the time before which exceptions ended and after which they begin, on any clock. */
interface TimetableParameters {
  providers: string;
  offices: string;
  from: string;
  until: string;
}

/** The hours of active providers at open offices, and what differs from them, of the practice $1. */
export const timetableColumns = ({ providers, offices, from, until }: TimetableParameters) => `
          coalesce((SELECT json_agg(json_build_object('providerId', h.provider_id, 'officeId', h.office_id, 'weekday', h.weekday,
                      'fromMinute', h.from_minute, 'untilMinute', h.until_minute, 'startsOn', ${milliseconds('h.starts_on')},
                      'endsOn', ${milliseconds('h.ends_on')}, 'typeIds', h.type_ids, 'capacity', h.capacity, 'bookableBy', h.bookable_by))
             FROM availability h
             JOIN provider v ON v.organization_id = $1 AND v.id = h.provider_id AND v.active
             JOIN office f ON f.organization_id = $1 AND f.id = h.office_id AND f.active
            WHERE h.organization_id = $1 AND (${providers}::int[] IS NULL OR h.provider_id = ANY (${providers}::int[]))
              AND (${offices}::int[] IS NULL OR h.office_id = ANY (${offices}::int[]))), '[]') AS hours,
          coalesce((SELECT json_agg(json_build_object('providerId', x.provider_id, 'officeId', x.office_id, 'from', ${milliseconds('x.from_local')},
                      'until', ${milliseconds('x.until_local')}, 'available', x.available))
             FROM availability_exception x
             LEFT JOIN provider v ON v.organization_id = $1 AND v.id = x.provider_id
             LEFT JOIN office f ON f.organization_id = $1 AND f.id = x.office_id
            WHERE x.organization_id = $1 AND x.until_local > ${from}::timestamp AND x.from_local < ${until}::timestamp
              AND (x.provider_id IS NULL OR (v.active AND (${providers}::int[] IS NULL OR x.provider_id = ANY (${providers}::int[]))))
              AND (x.office_id IS NULL OR (f.active AND (${offices}::int[] IS NULL OR x.office_id = ANY (${offices}::int[]))))), '[]') AS exceptions`;

/** Values: organization, providers, offices, times as timetableColumns has them, the type or NONE. */
export const TIMETABLE = statement<TimetableRow>(
  'timetable',
  `SELECT o.time_zone AS "practiceZone", o.default_appointment_length AS "defaultMinutes",
          ${timetableColumns({ providers: '$2', offices: '$3', from: '$4', until: '$5' })},
          coalesce((SELECT json_agg(json_build_object('id', f.id, 'zone', f.time_zone)) FROM office f
            WHERE f.organization_id = $1 AND ($3::int[] IS NULL OR f.id = ANY ($3::int[]))), '[]') AS offices,
          (SELECT ${SLOT_TYPE} FROM appointment_type t
            WHERE t.id = $6::int AND (t.organization_id = $1 OR t.is_global) ORDER BY t.organization_id = $1 DESC LIMIT 1) AS type
     FROM organization o WHERE o.id = $1`,
);

type BusyRow = [providerId: number, from: number, until: number, start: number, officeId: number | null, typeId: number | null];

/** Before a range, visits begin that last into it: the longest, with the longest buffers. */
export const LONGEST_APPOINTMENT_MS = 3 * 24 * 3_600_000;

/**
 * The visits that take up the time of providers, as their own or as that of their users, and the slots that are held. Values: organization,
 * providers, the earliest start, and the first one after the range.
 */
export const BUSY = statement<{ busy: BusyRow[] }>(
  'busy_times',
  `WITH own AS MATERIALIZED (
     SELECT a.provider_id, a.id, a.starts_at, a.ends_at, a.office_id, a.type_id, a.type_organization_id
       FROM appointment a
      WHERE a.organization_id = $1 AND a.provider_id = ANY ($2::int[]) AND a.starts_at >= $3 AND a.starts_at < $4 AND ${activeAppointment('a')}),
   joined AS MATERIALIZED (
     SELECT v.id AS provider_id, u.appointment_id
       FROM provider v
       JOIN user_appointment u ON u.organization_id = $1 AND u.user_id = v.user_id AND u.starts_at >= $3 AND u.starts_at < $4
      WHERE v.organization_id = $1 AND v.id = ANY ($2::int[])
        AND NOT EXISTS (SELECT FROM own w WHERE w.id = u.appointment_id AND w.provider_id = v.id)),
   taken AS MATERIALIZED (
     SELECT * FROM own
      UNION ALL
     SELECT j.provider_id, a.id, a.starts_at, a.ends_at, a.office_id, a.type_id, a.type_organization_id
       FROM joined j JOIN appointment a ON a.organization_id = $1 AND a.id = j.appointment_id AND ${activeAppointment('a')}),
   held AS MATERIALIZED (
     SELECT c.provider_id, c.busy_from, c.busy_until, s.starts_at, s.office_id, s.type_id
       FROM slot_claim c JOIN slot s ON s.organization_id = $1 AND s.id = c.slot_id
      WHERE c.organization_id = $1 AND c.provider_id = ANY ($2::int[]) AND c.appointment_id IS NULL
        AND (c.expires_at IS NULL OR c.expires_at > now()) AND tstzrange(c.busy_from, c.busy_until) && tstzrange($3, $4))
   SELECT coalesce(array_to_json(array_agg(ARRAY[b.provider_id, b.busy_from, b.busy_until, b.starts_at, b.office_id, b.type_id])), '[]') AS busy
     FROM (SELECT k.provider_id, ${milliseconds('k.starts_at')} - coalesce(t.buffer_before, 0) * 60000 AS busy_from,
                  ${milliseconds('k.ends_at')} + coalesce(t.buffer_after, 0) * 60000 AS busy_until, ${milliseconds('k.starts_at')} AS starts_at,
                  k.office_id, k.type_id
             FROM taken k LEFT JOIN appointment_type t ON t.organization_id = k.type_organization_id AND t.id = k.type_id
            UNION ALL
           SELECT h.provider_id, ${milliseconds('h.busy_from')}, ${milliseconds('h.busy_until')}, ${milliseconds('h.starts_at')}, h.office_id,
                  nullif(h.type_id, 0)
             FROM held h) b`,
);

export const toBusy = ([row]: { busy: BusyRow[] }[]): Busy[] =>
  (row?.busy ?? [])
    .map(([providerId, from, until, start, officeId, typeId]) => ({ providerId, from, until, start, officeId, typeId }))
    .sort((a, b) => a.from - b.from);
