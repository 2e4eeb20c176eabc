import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';
import { joinGuardian, selectReached } from '../../patients/guardians/reached.sql.ts';
import { IS_RESTRICTED } from '../sessions/session-lists.sql.ts';

/** The names of a person: a patient by the chart, a guest as they wrote. */
export interface NamedGuest {
  patient_id: number | null;
  /** The chart is restricted or blocked. */
  restricted: boolean;
  first_name: string | null;
  last_name: string | null;
  display_name: string | null;
}

/** Somebody who waits: a guest at a link to a session, or a patient in a waiting room. Instants are ISO 8601 texts in UTC. */
export interface LobbyRow extends NamedGuest {
  kind: 'participant' | 'visit';
  /** Of the participant or the waiting room visit. */
  id: number;
  since: string;
  /** The session whose link was opened; null in a waiting room. */
  session_id: number | null;
  /** A patient of that session has a restricted or blocked chart. */
  session_restricted: boolean;
  /** Name of the waiting room; null at a link. */
  waiting_room: string | null;
  /** The user whom they are to meet; null in a waiting room of nobody. */
  host_user_id: number | null;
  host_name: string | null;
  /** Whether it worked in the device check; null where none was made. So is the microphone. */
  camera: boolean | null;
  microphone: boolean | null;
  starts_at: string | null;
  time_zone: string | null;
  /** Whether there is a number to which a text can go. */
  has_phone: boolean;
  late_minutes: number | null;
  late_at: string | null;
}

const LATE = (key: 'participant_id' | 'waiting_room_visit_id', id: string, since: string) => `
    LEFT JOIN LATERAL (
      SELECT n.minutes, n.sent_at FROM late_notice n
       WHERE n.organization_id = $1 AND n.${key} = ${id} AND n.sent_at >= ${since} ORDER BY n.id DESC LIMIT 1) AS late ON true`;

/** The people who wait in a practice, the longest wait first. Values: organization, limit. */
export const LOBBY: Statement<LobbyRow> = statement(
  'telehealth_lobby',
  `SELECT waiting.*, h.first_name || ' ' || h.last_name AS host_name, a.time_zone, ${selectInstant('a.starts_at')} AS starts_at,
          p.first_name, p.last_name, coalesce(p.restricted, false) AS restricted,
          NOT coalesce(p.restricted, false) AND (waiting.invited_by_text OR ${selectReached('mobile_phone')} IS NOT NULL) AS has_phone
     FROM (
       SELECT 'participant' AS kind, o.id, ${selectInstant('o.waiting_since')} AS since, s.id AS session_id, ${IS_RESTRICTED} AS session_restricted, NULL AS waiting_room,
              s.host_user_id, o.patient_id, o.display_name, o.camera, o.microphone, coalesce(i.appointment_id, s.appointment_id) AS appointment_id,
              coalesce(i.channel = 'sms', false) AS invited_by_text, late.minutes AS late_minutes, ${selectInstant('late.sent_at')} AS late_at
         FROM session_participant o
         JOIN video_session s ON s.organization_id = o.organization_id AND s.id = o.video_session_id AND s.ended_at IS NULL
         LEFT JOIN session_invite i ON i.organization_id = o.organization_id AND i.id = o.invite_id${LATE('participant_id', 'o.id', 'o.waiting_since')}
        WHERE o.organization_id = $1 AND o.left_at IS NULL AND o.admitted_at IS NULL AND o.role = 'guest' AND o.connection IS NOT NULL
       UNION ALL
       SELECT 'visit', v.id, ${selectInstant('v.entered_at')}, NULL, false, w.name, w.user_id, v.patient_id, NULL, v.camera, v.microphone, v.appointment_id,
              false, late.minutes, ${selectInstant('late.sent_at')}
         FROM waiting_room_visit v
         JOIN waiting_room w ON w.organization_id = v.organization_id AND w.id = v.waiting_room_id${LATE('waiting_room_visit_id', 'v.id', 'v.entered_at')}
        WHERE v.organization_id = $1 AND v.left_at IS NULL
     ) AS waiting
     LEFT JOIN "user" h ON h.organization_id = $1 AND h.id = waiting.host_user_id
     LEFT JOIN appointment a ON a.organization_id = $1 AND a.id = waiting.appointment_id
     LEFT JOIN patient p ON p.organization_id = $1 AND p.id = waiting.patient_id ${joinGuardian('$1')}
    ORDER BY waiting.since, waiting.kind, waiting.id
    LIMIT $2`,
);

/** A visit of which somebody is in the room. */
export interface UnderWayRow {
  session_id: number;
  guid: string;
  /** A patient of the session has a restricted or blocked chart. */
  session_restricted: boolean;
  host_user_id: number;
  host_name: string;
  /** Since when no host is in the room; null while one is. */
  alone_since: string | null;
  /** The first one that came first; null where a host is alone. */
  guests: (NamedGuest & { id: number })[] | null;
}

/** The visits under way in a practice, those without a host first. Values: organization, limit. */
export const VISITS_UNDER_WAY: Statement<UnderWayRow> = statement(
  'telehealth_visits_under_way',
  `SELECT s.id AS session_id, s.guid, ${IS_RESTRICTED} AS session_restricted, s.host_user_id, h.first_name || ' ' || h.last_name AS host_name,
          CASE WHEN hosts.here THEN NULL ELSE ${selectInstant('greatest(hosts.left_at, here.joined_at)')} END AS alone_since, here.guests
     FROM video_session s
     JOIN "user" h ON h.organization_id = $1 AND h.id = s.host_user_id
    CROSS JOIN LATERAL (
      SELECT min(o.joined_at) AS joined_at,
             json_agg(json_build_object('id', o.id, 'patient_id', o.patient_id, 'restricted', coalesce(p.restricted, false),
                                        'first_name', p.first_name, 'last_name', p.last_name, 'display_name', o.display_name)
                      ORDER BY o.joined_at, o.id) AS guests
        FROM session_participant o LEFT JOIN patient p ON p.organization_id = $1 AND p.id = o.patient_id
       WHERE o.organization_id = $1 AND o.video_session_id = s.id AND o.role = 'guest' AND o.joined_at IS NOT NULL
         AND o.left_at IS NULL AND o.visit = s.visit) AS here
    CROSS JOIN LATERAL (
      SELECT coalesce(bool_or(o.left_at IS NULL), false) AS here, max(o.left_at) AS left_at
        FROM session_participant o
       WHERE o.organization_id = $1 AND o.video_session_id = s.id AND o.role = 'host' AND o.joined_at IS NOT NULL) AS hosts
    WHERE s.organization_id = $1 AND s.ended_at IS NULL AND (here.guests IS NOT NULL OR hosts.here)
    ORDER BY hosts.here, greatest(hosts.left_at, here.joined_at), s.id
    LIMIT $2`,
);
