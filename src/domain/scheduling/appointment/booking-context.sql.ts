import { buildObject, type Columns, findObject, selectFields } from '../../../database/statements/columns.ts';
import { selectInstant, statement } from '../../../database/statements/statement.ts';
import type { VisitChangeNotice } from '../../../generated/prisma/client.ts';
import type { AppointmentType } from '../types/appointment-types.ts';
import type { AppointmentLocation, AppointmentOffice, AppointmentUser, AppointmentWaitingRoom } from './appointment-view.ts';
import { PATIENT_OF_ROW, type PatientOfRow } from './appointments.sql.ts';
import { LOCATION, OFFICE, TYPE, USER, WAITING_ROOM } from './reference-columns.ts';

/** Whether texts about an appointment wait that nobody has tried to send yet. */
const textsWait = (appointment: string) => `EXISTS (
         SELECT FROM text_appointment v JOIN sms_message m ON m.organization_id = v.organization_id AND m.id = v.sms_message_id
          WHERE v.organization_id = $1 AND v.appointment_id = ${appointment} AND m.state = 'queued' AND m.attempts = 0) AS "textsWait"`;

/** Whether somebody may wait for an appointment on a page: it has a link, a visit or a room. */
const mayBeAwaited = (appointment: string) => `(
         EXISTS (SELECT FROM waiting_room_visit v WHERE v.organization_id = $1 AND v.appointment_id = ${appointment} AND v.left_at IS NULL)
         OR EXISTS (SELECT FROM session_invite i WHERE i.organization_id = $1 AND i.appointment_id = ${appointment})
         OR EXISTS (SELECT FROM video_session s WHERE s.organization_id = $1 AND s.appointment_id = ${appointment})) AS "mayBeAwaited"`;

/** Whether the practice has rules for messages about visits. */
const HAS_RULES = 'EXISTS (SELECT FROM visit_message_rule r WHERE r.organization_id = $1 AND r.enabled) AS "ruled"';

/** For a cancellation. Values: organization, id. */
export const TEXTS_WAIT = statement<Pick<ChangeContext, 'textsWait' | 'mayBeAwaited' | 'changeNotice' | 'ruled'>>(
  'texts_wait',
  `SELECT o.visit_change_notice AS "changeNotice", ${HAS_RULES}, ${textsWait('$2')}, ${mayBeAwaited('$2')} FROM organization o WHERE o.id = $1`,
);

/** A place of a practice, which may be in one of its offices. */
type InOffice<T> = T & { officeId: number | null };

/** The part of a context that the rules of a new appointment must know. */
export interface BookingFacts {
  practiceZone: string;
  defaultMinutes: number;
  refusesDoubleBooking: boolean;
  /** All null where there is no chart. */
  patient: Pick<PatientOfRow, 'patientStatus' | 'chartRestricted'>;
  /** The day of the patient's death, `2026-11-01`. */
  deceasedOn: string | null;
  /** Closed ones are found only where the appointment has them already. The same of the next two. */
  office: { id: number; timeZone: string } | null;
  location: InOffice<unknown> | null;
  waitingRoom: InOffice<unknown> | null;
  type: { owner: number; durationMinutes: number | null; active: boolean } | null;
  /** Of the input alone. */
  provider: { id: number; active: boolean; userId: number | null } | null;
  /** Users who take part so far, by id. */
  participants: number[];
  /** At least those whom the input names, or the provider of the input is. */
  users: Pick<AppointmentUser, 'id' | 'type' | 'active'>[];
  /** Providers whose user takes part, or is named, by id. */
  providers: { id: number; userId: number; active: boolean }[];
}

/** Settings of the practice, and the records that an appointment is to refer to; those of the input, else the stored ones. */
export interface BookingContext extends BookingFacts {
  /** The instant of the transaction, as it is stored and shown. */
  now: string;
  patient: PatientOfRow;
  office: AppointmentOffice | null;
  location: InOffice<AppointmentLocation> | null;
  waitingRoom: InOffice<AppointmentWaitingRoom> | null;
  type: (AppointmentType & { owner: number }) | null;
  /** Those who take part, or made the appointment, too. */
  users: AppointmentUser[];
  /** The practice has rules for messages about visits. */
  ruled: boolean;
}

/** The context of a change. */
export interface ChangeContext extends BookingContext {
  textsWait: boolean;
  mayBeAwaited: boolean;
  /** The way in which the practice tells patients of moved and cancelled visits. */
  changeNotice: VisitChangeNotice;
}

type ChartOfBooking = PatientOfRow & Pick<BookingFacts, 'deceasedOn'>;
const CHART: Columns<ChartOfBooking> = { ...PATIENT_OF_ROW, deceasedOn: 'p.deceased_date::text' };

/** A row of a context without the chart that the input names. */
type ContextRow<C> = Omit<C, 'patient' | 'deceasedOn'>;

const OF_OFFICE = (of: string) => ({ officeId: `${of}.office_id` });
const PROVIDER = { id: 'v.id', active: 'v.active', userId: 'v.user_id' };

/** Columns of a context, and the records that it reads. Values: organization, office, location, waiting room, type, provider, users. */
interface ContextParts {
  columns: string;
  /** Join of the stored appointment `a`. */
  stored: string;
  /** The id of a reference. */
  find: (parameter: string, column: string) => string;
  /** Condition for a place that may be chosen, or stays. */
  isOpen: (place: string, column: string) => string;
  participants: string;
  /** The users who are shown, beside those who are named, as arrays or single ids with `||` between them. */
  shown: string;
  /** Reads the stored type, which may be another practice's. */
  storedType: string;
}

const contextQuery = ({ columns, stored, find, isOpen, participants, shown, storedType }: ContextParts) => `
   SELECT ${selectInstant('now()::timestamptz(3)')} AS now, o.time_zone AS "practiceZone", o.default_appointment_length AS "defaultMinutes",
          o.double_booking = 'refuse' AS "refusesDoubleBooking", ${HAS_RULES}, ${columns}
          ${findObject('f', OFFICE)} AS office, ${findObject('l', { ...LOCATION, ...OF_OFFICE('l') })} AS location,
          ${findObject('w', { ...WAITING_ROOM, ...OF_OFFICE('w') })} AS "waitingRoom",
          ${findObject('t', { ...TYPE, owner: 't.organization_id' })} AS type, ${findObject('v', PROVIDER)} AS provider, ${participants} AS participants,
          coalesce((SELECT json_agg(${buildObject(USER)}) FROM "user" u
             WHERE u.organization_id = $1 AND u.id = ANY ($7::int[] || v.user_id || ${shown})), '[]') AS users,
          coalesce((SELECT json_agg(json_build_object('id', n.id, 'userId', n.user_id, 'active', n.active) ORDER BY n.id) FROM provider n
             WHERE n.organization_id = $1 AND n.user_id = ANY ($7::int[] || ${participants})), '[]') AS providers
     FROM organization o ${stored}
     LEFT JOIN office f ON f.organization_id = $1 AND f.id = ${find('$2', 'office_id')} AND ${isOpen('f', 'office_id')}
     LEFT JOIN location l ON l.organization_id = $1 AND l.id = ${find('$3', 'location_id')} AND ${isOpen('l', 'location_id')}
     LEFT JOIN waiting_room w ON w.organization_id = $1 AND w.id = ${find('$4', 'waiting_room_id')} AND ${isOpen('w', 'waiting_room_id')}
     LEFT JOIN provider v ON v.organization_id = $1 AND v.id = $6::int
     LEFT JOIN LATERAL (
            ${storedType} SELECT y.* FROM appointment_type y WHERE y.organization_id = $1 AND y.id = $5::int
            UNION ALL SELECT y.* FROM appointment_type y WHERE y.is_global AND y.organization_id <> $1 AND y.id = $5::int LIMIT 1) t ON true
    WHERE o.id = $1`;

/** For a new appointment. Values: those of ContextParts, the user who books. */
export const BOOKING_CONTEXT = statement<ContextRow<BookingContext>>(
  'booking_context',
  contextQuery({
    columns: '',
    stored: '',
    find: (parameter) => `${parameter}::int`,
    isOpen: (place) => `${place}.active`,
    participants: `'{}'::int[]`,
    shown: '$8::int',
    storedType: '',
  }),
);

/**
 * Read after the appointment was locked. An own type that is deleted meanwhile fails the foreign key, and the request is tried again.
 * Values: those of ContextParts, appointment. NONE stands for what is cleared, null for what the input leaves as it is.
 */
export const CHANGE_CONTEXT = statement<ContextRow<ChangeContext> & { chart: ChartOfBooking | null }>(
  'change_context',
  contextQuery({
    columns: `o.visit_change_notice AS "changeNotice", ${textsWait('$8')}, ${mayBeAwaited('$8')},
          (SELECT ${buildObject(CHART)} FROM patient p WHERE p.organization_id = $1 AND p.id = a.patient_id AND p.status <> 'deleted') AS chart,`,
    stored: `LEFT JOIN appointment a ON a.organization_id = $1 AND a.id = $8::bigint
     LEFT JOIN LATERAL (SELECT coalesce(array_agg(s.user_id ORDER BY s.user_id), '{}') AS users FROM user_appointment s
                         WHERE s.organization_id = $1 AND s.appointment_id = $8) s ON true`,
    find: (parameter, column) => `coalesce(${parameter}::int, a.${column})`,
    isOpen: (place, column) => `(${place}.active OR ${place}.id = a.${column})`,
    participants: 's.users',
    shown: 'a.created_by_user_id || s.users',
    storedType: `SELECT y.* FROM appointment_type y WHERE $5::int IS NULL AND y.organization_id = a.type_organization_id AND y.id = a.type_id
            UNION ALL`,
  }),
);

/**
 * The office of an appointment that names none: of the open offices that of its location, of its waiting room, the home of its provider, the
 * patient's primary one, else the practice's first. Values: organization, the offices of location and waiting room, provider, patient.
 */
export const DEFAULT_OFFICE = statement<AppointmentOffice>(
  'default_office',
  `SELECT ${selectFields(OFFICE)} FROM office f
    WHERE f.organization_id = $1 AND f.active
    ORDER BY array_position(ARRAY[$2::int, $3::int,
               (SELECT v.home_office_id FROM provider v WHERE v.organization_id = $1 AND v.id = $4::int),
               (SELECT p.primary_office_id FROM patient p WHERE p.organization_id = $1 AND p.id = $5::int)], f.id), f.id
    LIMIT 1`,
);

/** A chart, and the one that all charts of its person have in common. */
interface ChartOfPerson {
  id: number;
  person: number;
  restricted: boolean;
}

/** The charts of a patient and of an appointment's patient, but for deleted ones. Values: organization, appointment, patient. */
export const CHARTS_OF_BOOKING = statement<ChartOfPerson>(
  'charts_of_booking',
  `SELECT p.id, coalesce(p.enterprise_id, p.id) AS person, p.restricted FROM patient p
    WHERE p.organization_id = $1 AND p.status <> 'deleted'
      AND p.id = ANY (ARRAY[$3::int, (SELECT a.patient_id FROM appointment a WHERE a.organization_id = $1 AND a.id = $2)])`,
);

/**
 * Reads a chart, and keeps it from being merged, deleted or noted as deceased until the transaction ends: those would miss a booking that is
 * not yet committed. Values: organization, patient.
 */
export const HOLD_CHART = statement<ChartOfBooking>(
  'hold_chart',
  `SELECT ${selectFields(CHART)} FROM patient p WHERE p.organization_id = $1 AND p.id = $2 AND p.status <> 'deleted' FOR SHARE`,
);

/** Locks another organization's type until the transaction ends, so that it stays global. Values: owner, id. */
export const HOLD_GLOBAL_TYPE = statement<{ id: number }>(
  'hold_global_type',
  'SELECT id FROM appointment_type WHERE organization_id = $1 AND id = $2 AND is_global FOR SHARE',
);
