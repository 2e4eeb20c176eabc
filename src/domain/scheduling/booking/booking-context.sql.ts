import { selectFields } from '../../../database/statements/columns.ts';
import { selectInstant, statement } from '../../../database/statements/statement.ts';
import type { VisitChangeNotice } from '../../../generated/prisma/client.ts';
import { NO_PATIENT, PATIENT_OF_ROW, type PatientOfRow } from '../appointments.sql.ts';

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
export const TEXTS_WAIT = statement<Pick<BookingContext, 'textsWait' | 'mayBeAwaited' | 'changeNotice' | 'ruled'>>(
  'texts_wait',
  `SELECT o.visit_change_notice AS "changeNotice", ${HAS_RULES}, ${textsWait('$2')}, ${mayBeAwaited('$2')} FROM organization o WHERE o.id = $1`,
);

/** Settings of the practice, and the records that an appointment is to refer to; those of the input, else the stored ones. */
export interface BookingContext {
  /** The instant of the transaction, as it is stored and shown. */
  now: string;
  practiceZone: string;
  defaultMinutes: number;
  refusesDoubleBooking: boolean;
  /** All null where there is no chart. */
  patient: PatientOfRow;
  /** The day of the patient's death, `2026-11-01`. */
  deceasedOn: string | null;
  /** Closed ones are found only where the appointment has them already. */
  foundOfficeId: number | null;
  officeZone: string | null;
  foundLocationId: number | null;
  locationOfficeId: number | null;
  foundWaitingRoomId: number | null;
  waitingRoomOfficeId: number | null;
  typeOwner: number | null;
  typeMinutes: number | null;
  typeActive: boolean | null;
  /** Of the input alone. */
  foundProviderId: number | null;
  providerActive: boolean | null;
  /** The provider's user, if active. */
  providerUserId: number | null;
  /** Users who take part so far, by id. */
  participants: number[];
  /** Users whom the input names; the user rows of API clients are none. */
  users: { id: number; active: boolean }[];
  /** Providers whose user takes part, or is named, by id. */
  providers: { id: number; userId: number; active: boolean }[];
  textsWait: boolean;
  mayBeAwaited: boolean;
  /** The way in which the practice tells patients of moved and cancelled visits. */
  changeNotice: VisitChangeNotice;
  /** The practice has rules for messages about visits. */
  ruled: boolean;
}

/** The part of it that the rules of a new appointment must know. */
export type BookingFacts = Omit<BookingContext, 'now' | 'textsWait' | 'mayBeAwaited' | 'changeNotice' | 'ruled' | 'patient'> & {
  patient: Pick<PatientOfRow, 'patientStatus' | 'chartRestricted'>;
};

const PARTICIPANTS =
  'ARRAY(SELECT s.user_id FROM user_appointment s WHERE s.organization_id = $1 AND s.appointment_id = $2 ORDER BY s.user_id)';

/** Apart from the joins, each of which would carry the columns of the chart. */
const ofPatient = (columns: string) =>
  `(SELECT ${columns} FROM patient p WHERE p.organization_id = $1 AND p.id = coalesce($3::int, a.patient_id) AND p.status <> 'deleted')`;

/**
 * Read after the appointment was locked. An own type that is deleted meanwhile fails the foreign key, and the request is tried again.
 * Values: organization, appointment, patient, office, location, waiting room, type, provider, users. NONE stands for the appointment of a new
 * booking and for what is cleared, null for what the input leaves as it is. A patient who is cleared is null too: the stored chart decides
 * whether a response withheld it (keepWithheldPatient).
 */
export const BOOKING_CONTEXT = statement<BookingContext>(
  'booking_context',
  `SELECT ${selectInstant('now()::timestamptz(3)')} AS now, o.time_zone AS "practiceZone", o.default_appointment_length AS "defaultMinutes",
          o.visit_change_notice AS "changeNotice", o.double_booking = 'refuse' AS "refusesDoubleBooking",
          ${ofPatient('p.deceased_date::text')} AS "deceasedOn", f.id AS "foundOfficeId", f.time_zone AS "officeZone",
          l.id AS "foundLocationId", l.office_id AS "locationOfficeId", w.id AS "foundWaitingRoomId", w.office_id AS "waitingRoomOfficeId",
          t.organization_id AS "typeOwner", t.duration_minutes AS "typeMinutes", t.active AS "typeActive",
          v.id AS "foundProviderId", v.active AS "providerActive", u.id AS "providerUserId", ${PARTICIPANTS} AS participants,
          coalesce((SELECT json_agg(json_build_object('id', n.id, 'active', n.active)) FROM "user" n
             WHERE n.organization_id = $1 AND n.id = ANY ($9::int[]) AND n.type <> 'interface'), '[]') AS users,
          coalesce((SELECT json_agg(json_build_object('id', n.id, 'userId', n.user_id, 'active', n.active) ORDER BY n.id) FROM provider n
             WHERE n.organization_id = $1 AND n.user_id = ANY ($9::int[] || ${PARTICIPANTS})), '[]') AS providers,
          coalesce((SELECT row_to_json(r) FROM ${ofPatient(selectFields(PATIENT_OF_ROW))} r), '${JSON.stringify(NO_PATIENT)}') AS patient, ${HAS_RULES}, ${textsWait('$2')}, ${mayBeAwaited('$2')}
     FROM organization o
     LEFT JOIN appointment a ON a.organization_id = $1 AND a.id = $2
     LEFT JOIN office f ON f.organization_id = $1 AND f.id = coalesce($4::int, a.office_id) AND (f.active OR f.id = a.office_id)
     LEFT JOIN location l ON l.organization_id = $1 AND l.id = coalesce($5::int, a.location_id) AND (l.active OR l.id = a.location_id)
     LEFT JOIN waiting_room w ON w.organization_id = $1 AND w.id = coalesce($6::int, a.waiting_room_id) AND (w.active OR w.id = a.waiting_room_id)
     LEFT JOIN provider v ON v.organization_id = $1 AND v.id = $8::int
     LEFT JOIN "user" u ON u.organization_id = $1 AND u.id = v.user_id AND u.active AND u.type <> 'interface'
     LEFT JOIN LATERAL (
            SELECT y.organization_id, y.duration_minutes, y.active FROM appointment_type y
             WHERE y.id = coalesce($7::int, a.type_id) AND (y.organization_id = $1 OR y.is_global)
             ORDER BY y.organization_id = $1 DESC LIMIT 1) t ON true
    WHERE o.id = $1`,
);

/**
 * The office of an appointment that names none: of the open offices that of its location, of its waiting room, the home of its provider, the
 * patient's primary one, else the practice's first. Values: organization, the offices of location and waiting room, provider, patient.
 */
export const DEFAULT_OFFICE = statement<{ id: number }>(
  'default_office',
  `SELECT d.id FROM office d
    WHERE d.organization_id = $1 AND d.active
    ORDER BY array_position(ARRAY[$2::int, $3::int,
               (SELECT v.home_office_id FROM provider v WHERE v.organization_id = $1 AND v.id = $4::int),
               (SELECT p.primary_office_id FROM patient p WHERE p.organization_id = $1 AND p.id = $5::int)], d.id), d.id
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
 * Keeps a chart from being merged, deleted or noted as deceased until the transaction ends: those would miss a booking that is not yet
 * committed. Values: organization, patient.
 */
export const HOLD_CHART = statement<{ id: number }>(
  'hold_chart',
  'SELECT id FROM patient WHERE organization_id = $1 AND id = $2 FOR SHARE',
);

/** Locks another organization's type until the transaction ends, so that it stays global. Values: owner, id. */
export const HOLD_GLOBAL_TYPE = statement<{ id: number }>(
  'hold_global_type',
  'SELECT id FROM appointment_type WHERE organization_id = $1 AND id = $2 AND is_global FOR SHARE',
);
