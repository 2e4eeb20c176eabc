import { statement } from '../../../database/statements/statement.ts';
import type { Appointment } from '../../../generated/prisma/client.ts';
import { APPOINTMENT, BOOKING } from '../../../records/appointment.ts';
import { columnOf } from '../../../records/field.ts';
import { emptyValue, KINDS } from '../../../records/kinds.ts';
import { activeAppointment } from '../../values/appointment-status.ts';
import type { StatusChange } from './appointment-statuses.ts';
import { APPOINTMENT_LIMITS } from './field-limits.ts';

const STORED = { ...APPOINTMENT, ...BOOKING } as const;
type Field = keyof typeof STORED;
const FIELDS = Object.keys(STORED).filter((name): name is Field => name in STORED);

/** `localStart` is a wall clock as a Date whose UTC fields show it. */
export type BookedFields = Pick<Appointment, Field>;

/** A new appointment without any field; its zone, its length and its author follow from the input and the context. */
export const NO_FIELDS = emptyAppointment();

function emptyAppointment(): Omit<BookedFields, 'timeZone' | 'durationMinutes' | 'createdByUserId'>;
function emptyAppointment(): Record<string, unknown> {
  return Object.fromEntries(FIELDS.map((field) => [field, emptyValue(STORED[field].kind)]));
}

/** An appointment as it is stored. */
export type StoredAppointment = BookedFields &
  Pick<Appointment, 'id' | 'createdAt' | 'updatedAt' | 'checkInStartedAt'> & { statusChanges: StatusChange[] };

/** The value of each column, in the order of the statements. */
export const bookedValues = (fields: BookedFields): unknown[] => FIELDS.map((field) => fields[field]);
const toColumn = (field: Field): string => columnOf(field, STORED[field]);
const columns = FIELDS.map(toColumn);
const types = FIELDS.map((field) => KINDS[STORED[field].kind].sql);
const parameters = types.map((type, n) => `$${n + 3}::${type}`);

/** The driver would read a timestamp without a zone in the zone of this process. */
const stored = FIELDS.map(
  (field) => `a.${toColumn(field)}${STORED[field].kind === 'wallClock' ? " AT TIME ZONE 'UTC'" : ''} AS "${field}"`,
);

/** Locks an appointment until the transaction ends, and reads it. Values: organization, id. */
export const LOCK_APPOINTMENT = statement<StoredAppointment>(
  'lock_appointment',
  `SELECT a.id, a.created_at AS "createdAt", a.updated_at AS "updatedAt", a.status_changes AS "statusChanges", a.check_in_started_at AS "checkInStartedAt", ${stored.join(', ')}
     FROM appointment a WHERE a.organization_id = $1 AND a.id = $2 FOR NO KEY UPDATE`,
);

/** Draws the id of a new appointment. */
export const APPOINTMENT_ID = statement<{ id: number }>('appointment_id', `SELECT nextval('appointment_id_seq') AS id`);

/** A trigger refuses another practice's type that is not global. Values: organization, id, and then bookedValues. */
export const INSERT_APPOINTMENT = statement<never>(
  'insert_appointment',
  `INSERT INTO appointment (organization_id, id, updated_at, ${columns.join(', ')}) VALUES ($1, $2, now(), ${parameters.join(', ')})`,
);

/** Draws ids of new appointments. Value: how many. */
export const APPOINTMENT_IDS = statement<{ id: number }>(
  'appointment_ids',
  `SELECT nextval('appointment_id_seq') AS id FROM generate_series(1, $1::int)`,
);

/** The same for many appointments. Values: organization, appointments as JSON by their columns. */
export const INSERT_APPOINTMENTS = statement<never>(
  'insert_appointments',
  `INSERT INTO appointment (organization_id, id, external_id, updated_at, ${columns.join(', ')})
   SELECT $1::int, r.id, r.external_id, now(), ${columns.map((column) => `r.${column}`).join(', ')}
     FROM jsonb_to_recordset($2::jsonb) AS r (id bigint, external_id text, ${columns.map((column, n) => `${column} ${types[n]}`).join(', ')})`,
);

/** An appointment by the columns of INSERT_APPOINTMENTS; those without a value are left out. */
export function bookedColumns(fields: BookedFields): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const [n, field] of FIELDS.entries()) if (fields[field] !== null) given[columns[n] ?? field] = fields[field];
  return given;
}

/** Values: organization, pairs of an appointment and a user as JSON. */
export const ADD_MANY_PARTICIPANTS = statement<never>(
  'add_many_participants',
  `INSERT INTO user_appointment (organization_id, appointment_id, user_id)
   SELECT $1::int, r.appointment_id, r.user_id FROM jsonb_to_recordset($2::jsonb) AS r (appointment_id bigint, user_id int)`,
);

/** Values: organization, ids of another system. */
export const NUMBERED_APPOINTMENTS = statement<{ id: number; externalId: string; cancelled: boolean }>(
  'numbered_appointments',
  `SELECT id, external_id AS "externalId", status = 'cancelled' AS cancelled FROM appointment WHERE organization_id = $1 AND external_id = ANY ($2::text[])`,
);

/**
 * Writes an appointment that was locked. Triggers copy new times and a new status to its participants, for the overlap, and let its video links
 * end with it. Values: as INSERT_APPOINTMENT.
 */
export const UPDATE_APPOINTMENT = statement<never>(
  'update_appointment',
  `UPDATE appointment SET updated_at = now(), ${columns.map((column, n) => `${column} = ${parameters[n]}`).join(', ')}
    WHERE organization_id = $1 AND id = $2`,
);

/**
 * The trigger user_appointment_times copies the times of the appointment into each row, for the overlap, and whether others may be booked
 * beside it. Values: organization, appointment, users.
 */
export const ADD_PARTICIPANTS = statement<never>(
  'add_participants',
  'INSERT INTO user_appointment (organization_id, appointment_id, user_id) SELECT $1::int, $2::bigint, n FROM unnest($3::int[]) AS n',
);

/** Values: organization, appointment, users who stay. */
export const KEEP_PARTICIPANTS = statement<never>(
  'keep_participants',
  'DELETE FROM user_appointment WHERE organization_id = $1 AND appointment_id = $2 AND user_id <> ALL ($3::int[])',
);

/** Values: organization, appointment. */
export const FORGET_REMINDERS = statement<never>(
  'forget_reminders',
  'DELETE FROM appointment_reminder WHERE organization_id = $1 AND appointment_id = $2',
);

/** Lets bookings of one calendar follow one another. All lock in the same order, against deadlocks. Values: organization, keys (listCalendars). */
export const LOCK_CALENDARS = statement<never>(
  'lock_calendars',
  'SELECT pg_advisory_xact_lock($1::int, n)::text FROM unnest($2::int[]) AS n ORDER BY n',
);

/** Condition: the appointment `a` takes up a part of a span. No visit is longer than the limit, so a short range of an index by start is read. */
export const whereOverlaps = (start: string, end: string): string =>
  `${activeAppointment('a')} AND a.starts_at > ${start}::timestamptz - interval '${APPOINTMENT_LIMITS.durationMinutes} minutes'
      AND a.starts_at < ${end}::timestamptz AND a.ends_at > ${start}::timestamptz`;

/**
 * The first appointment in the way of a slot: of a user, or of the provider, who may be none. Values: organization, users, start, end, the
 * appointment to be booked or NONE, the provider or NONE.
 */
export const OVERLAP = statement<{ appointmentId: number; userId: number | null; startsAt: Date; endsAt: Date }>(
  'overlap',
  `SELECT appointment_id AS "appointmentId", user_id AS "userId", starts_at AS "startsAt", ends_at AS "endsAt"
     FROM user_appointment
    WHERE organization_id = $1 AND user_id = ANY ($2::int[]) AND exclusive AND starts_at IS NOT NULL
      AND tstzrange(starts_at, ends_at) && tstzrange($3, $4) AND appointment_id <> $5
    UNION ALL
   SELECT a.id, NULL, a.starts_at, a.ends_at FROM appointment a
    WHERE a.organization_id = $1 AND a.provider_id = $6::int AND a.id <> $5 AND ${whereOverlaps('$3', '$4')}
    ORDER BY "startsAt", "userId" LIMIT 1`,
);

/**
 * The first appointment that took the time of a visit after the visit left it: of its provider, or of one who takes part. Values: organization,
 * the visit, its start and end, its provider, those who take part, the instant at which it left its time.
 */
export const TAKEN_SINCE = statement<{ id: number; startsAt: Date; endsAt: Date }>(
  'taken_since',
  `SELECT a.id, a.starts_at AS "startsAt", a.ends_at AS "endsAt" FROM appointment a
    WHERE a.organization_id = $1 AND a.id <> $2 AND ${whereOverlaps('$3', '$4')}
      AND (a.provider_id = $5::int OR EXISTS (SELECT FROM user_appointment u
            WHERE u.organization_id = $1 AND u.appointment_id = a.id AND u.user_id = ANY ($6::int[])))
      AND greatest(a.created_at, a.booked_at, a.rescheduled_at) > $7::timestamptz
    ORDER BY a.starts_at, a.id LIMIT 1`,
);
