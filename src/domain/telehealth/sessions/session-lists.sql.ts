import { type FiltersOf, filter, list, nullable, type SortOf, select, sortBy } from '../../../database/statements/list.ts';
import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';
import type { SessionParticipant } from '../../../generated/prisma/client.ts';
import { isOfRestricted, isShownMedia, patientIdsOfSession } from '../../patients/restrictions/restricted-charts.sql.ts';
import type { NamedPatient } from '../../patients/shared-numbers.sql.ts';
import { chartName, isListed, minutesBetween, patientsOfSession, sessionFilters } from './session-patients.sql.ts';

/** A video session with its participants and invites, without links. Instants are ISO 8601 texts in UTC. */
export interface SessionRow {
  id: number;
  guid: string;
  kind: string;
  state: SessionState;
  host_id: number;
  host_first_name: string;
  host_last_name: string;
  appointment_id: number | null;
  appointment_starts_at: string | null;
  appointment_type: string | null;
  created_at: string;
  expires_at: string;
  started_at: string | null;
  ended_at: string | null;
  /** From start to end, rounded; null while it runs. */
  minutes: number | null;
  patients: NamedPatient[];
  /** A patient of the session is left out whose chart is restricted or blocked. */
  patient_restricted: boolean;
  /** In the order in which they arrived. */
  participants: SessionPerson[];
  invites: SentInvite[];
  image_count: number;
  video_count: number;
}

export type SessionState = 'open' | 'running' | 'ended' | 'expired';

/** A participant with times. Patients whose chart is not listed have neither id nor name here. */
export interface SessionPerson extends Pick<SessionParticipant, 'id' | 'role' | 'userId' | 'patientId' | 'recordingWords'> {
  /** The chart of that patient is restricted or blocked. */
  patientRestricted: boolean;
  name: string | null;
  waitingSince: string | null;
  admittedAt: string | null;
  joinedAt: string | null;
  leftAt: string | null;
  /** Whether they agreed to be recorded, when, and in which words they were asked; nulls without an answer. */
  recordingConsent: boolean | null;
  recordingAnsweredAt: string | null;
}

/** An invite and the delivery of its message. Of patients whose chart is not listed it has neither id nor address. */
export interface SentInvite {
  id: number;
  patientId: number | null;
  /** The chart of that patient is restricted or blocked. */
  patientRestricted: boolean;
  channel: string;
  sentTo: string | null;
  createdAt: string;
  expiresAt: string;
  withdrawnAt: string | null;
  /** Of the text or mail; null where there is none. */
  state: string | null;
  reason: string | null;
}

/** A session that expired before anybody came is `expired`; one that was closed before that is `ended`. */
const STATE = `CASE WHEN s.started_at IS NULL AND s.expires_at <= coalesce(s.ended_at, now()) THEN 'expired'
                    WHEN s.ended_at IS NOT NULL THEN 'ended'
                    WHEN s.started_at IS NOT NULL THEN 'running' ELSE 'open' END`;

const SHOWN_PATIENT = `(o.patient_id IS NULL OR ${isListed('o.patient_id')})`;

const PARTICIPANTS = `(
  SELECT coalesce(json_agg(json_build_object('id', o.id, 'role', o.role, 'userId', o.user_id, 'patientId', CASE WHEN ${SHOWN_PATIENT} THEN o.patient_id END,
           'patientRestricted', coalesce(p.restricted, false),
           'name', coalesce(u.first_name || ' ' || u.last_name, CASE WHEN ${SHOWN_PATIENT} THEN coalesce(${chartName('p')}, o.display_name) END),
           'waitingSince', ${selectInstant('o.waiting_since')}, 'admittedAt', ${selectInstant('o.admitted_at')},
           'joinedAt', ${selectInstant('o.joined_at')}, 'leftAt', ${selectInstant('o.left_at')}, 'recordingConsent', o.recording_consent,
           'recordingAnsweredAt', ${selectInstant('o.recording_answered_at')}, 'recordingWords', o.recording_words)
           ORDER BY coalesce(o.joined_at, o.waiting_since), o.id), '[]')
    FROM session_participant o LEFT JOIN "user" u ON u.organization_id = o.organization_id AND u.id = o.user_id
    LEFT JOIN patient p ON p.organization_id = o.organization_id AND p.id = o.patient_id
   WHERE o.organization_id = $1 AND o.video_session_id = s.id)`;

const INVITES = `(
  SELECT coalesce(json_agg(json_build_object('id', o.id, 'patientId', CASE WHEN ${SHOWN_PATIENT} THEN o.patient_id END,
           'patientRestricted', coalesce(p.restricted, false), 'channel', o.channel,
           'sentTo', CASE WHEN ${SHOWN_PATIENT} AND NOT (coalesce(t.to_guardian, m.to_guardian, false) AND ${isOfRestricted('o.sent_to')}) THEN o.sent_to END,
           'createdAt', ${selectInstant('o.created_at')},
           'expiresAt', ${selectInstant('o.expires_at')}, 'withdrawnAt', ${selectInstant('o.withdrawn_at')},
           'state', coalesce(t.state, m.state), 'reason', CASE WHEN p.restricted IS NOT TRUE THEN coalesce(t.reason, m.reason) END) ORDER BY o.id), '[]')
    FROM session_invite o
    LEFT JOIN patient p ON p.organization_id = o.organization_id AND p.id = o.patient_id
    LEFT JOIN sms_message t ON t.organization_id = o.organization_id AND t.id = o.sms_message_id
    LEFT JOIN mail_message m ON m.organization_id = o.organization_id AND m.id = o.mail_message_id
   WHERE o.organization_id = $1 AND o.video_session_id = s.id)`;

export const IS_RESTRICTED = `EXISTS (
  SELECT FROM (${patientIdsOfSession('s')}) AS i JOIN patient p ON p.organization_id = $1 AND p.id = i.patient_id AND p.restricted)`;

/** Values: organization, ids. Unordered. */
export const SESSIONS_BY_ID: Statement<SessionRow> = statement(
  'telehealth_sessions',
  `SELECT s.id, s.guid, s.kind, ${STATE} AS state, s.host_user_id AS host_id, h.first_name AS host_first_name, h.last_name AS host_last_name,
          s.appointment_id, ${selectInstant('a.starts_at')} AS appointment_starts_at, y.name AS appointment_type,
          ${selectInstant('s.created_at')} AS created_at, ${selectInstant('s.expires_at')} AS expires_at,
          ${selectInstant('s.started_at')} AS started_at, ${selectInstant('s.ended_at')} AS ended_at, ${minutesBetween('s.started_at', 's.ended_at')} AS minutes,
          ${patientsOfSession('s')} AS patients, ${IS_RESTRICTED} AS patient_restricted, ${PARTICIPANTS} AS participants, ${INVITES} AS invites,
          (SELECT count(*)::int FROM session_image i WHERE i.organization_id = $1 AND i.video_session_id = s.id AND ${isShownMedia('i')}) AS image_count,
          (SELECT count(*)::int FROM session_video i WHERE i.organization_id = $1 AND i.video_session_id = s.id AND ${isShownMedia('i')}) AS video_count
     FROM video_session s
     JOIN "user" h ON h.organization_id = s.organization_id AND h.id = s.host_user_id
     LEFT JOIN appointment a ON a.organization_id = s.organization_id AND a.id = s.appointment_id
     LEFT JOIN appointment_type y ON y.organization_id = a.type_organization_id AND y.id = a.type_id
    WHERE s.organization_id = $1 AND s.id = ANY ($2::bigint[])`,
);

/** Values: organization, GUID. */
export const SESSION_OF_GUID: Statement<{ id: number }> = statement(
  'telehealth_session_of_guid',
  `SELECT s.id FROM video_session s WHERE s.organization_id = $1 AND s.guid = $2::uuid`,
);

/** Values: organization, id. */
export const SESSION_OF_ID: Statement<{ id: number }> = statement(
  'telehealth_session_of_id',
  `SELECT s.id FROM video_session s WHERE s.organization_id = $1 AND s.id = $2::bigint`,
);

/** Whether a patient of a session has a restricted or blocked chart. Values: organization, id. */
export const SESSION_IS_RESTRICTED: Statement<{ restricted: boolean }> = statement(
  'telehealth_session_is_restricted',
  `SELECT ${IS_RESTRICTED} AS restricted FROM video_session s WHERE s.organization_id = $1 AND s.id = $2::bigint`,
);

/** A name of the host, in the order of letters. */
const ofHost = (column: string) =>
  `(SELECT fold(h.${column}) COLLATE "C" FROM "user" h WHERE h.organization_id = $1 AND h.id = s.host_user_id)`;

/** When a session took place; of one that nobody has joined, when it was opened. An index has this expression. */
const TOOK_PLACE = 'coalesce(s.started_at, s.created_at)';

/** A subquery with a limit is looked up for each session of the page; EXISTS would be answered from the whole table. */
const HELD_PATIENTS = `(s.kind = 'telehealth'
  OR (SELECT true FROM session_participant o WHERE o.organization_id = $1 AND o.video_session_id = s.id AND o.patient_id IS NOT NULL LIMIT 1)
  OR (SELECT true FROM telehealth_visit o WHERE o.organization_id = $1 AND o.video_session_id = s.id AND o.patient_id IS NOT NULL LIMIT 1))`;

/**
 * Ids of sessions. Values: organization; the first instant at which it took place and the instant after the last. A date that is not known yet
 * comes last in both directions.
 */
export const SESSIONS = list({
  name: 'telehealth_session',
  select: select<{ id: number }>('s.id'),
  from: 'video_session s',
  where: `s.organization_id = $1 AND ${TOOK_PLACE} >= $2::timestamptz AND ${TOOK_PLACE} < $3::timestamptz`,
  filters: {
    kind: filter<string>('text', (kind) => `s.kind = ${kind}`),
    state: filter<SessionState>('text', (state) => `${STATE} = ${state}`),
    hostUserId: filter<number>('int', (id) => `s.host_user_id = ${id}`),
    appointmentId: filter<number>('bigint', (id) => `s.appointment_id = ${id}`),
    /** Only telehealth sessions, and meetings in which a patient was. */
    ofPatients: filter<true>([], () => HELD_PATIENTS),
    ...sessionFilters('s.id'),
  },
  orders: {
    createdAt: sortBy('s.created_at', 's.id'),
    startedAt: sortBy(nullable('s.started_at'), 's.id'),
    endedAt: sortBy(nullable('s.ended_at'), 's.id'),
    expiresAt: sortBy('s.expires_at', 's.id'),
    hostUserId: sortBy('s.host_user_id', 's.created_at', 's.id'),
    hostName: sortBy(ofHost('last_name'), ofHost('first_name'), 's.created_at', 's.id'),
    id: sortBy('s.id'),
  },
});
export type SessionSort = SortOf<typeof SESSIONS>;
export type SessionFilters = FiltersOf<typeof SESSIONS>;
