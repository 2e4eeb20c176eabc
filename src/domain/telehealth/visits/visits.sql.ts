import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';
import { isListed, minutesBetween } from '../sessions/session-patients.sql.ts';

/** A visit by video, or the time in a waiting room before it. */
export type VisitKind = 'telehealth' | 'waiting_room';

/** Columns of visits of both kinds. Instants are ISO 8601 texts in UTC. */
interface BaseVisitRow {
  id: number;
  first_name: string | null;
  last_name: string | null;
  /** The host of the session; before there is a session, the host of the waiting room. */
  host_id: number | null;
  host_first_name: string | null;
  host_last_name: string | null;
  /** For a waiting room visit, the session that the patient was admitted to. */
  video_session_id: number | null;
  guid: string | null;
  appointment_id: number | null;
  appointment_starts_at: string | null;
  appointment_type: string | null;
  began_at: string;
  /** Null for a visit by video. */
  admitted_at: string | null;
  /** Null while it runs. */
  over_at: string | null;
  /** Length of the visit; for a waiting room visit, until the patient was admitted or left. Null while it runs. */
  minutes: number | null;
}

export interface TelehealthVisitRow extends BaseVisitRow {
  kind: 'telehealth';
  /** Null for a guest who is no patient of the practice. */
  patient_id: number | null;
}

export interface WaitingRoomVisitRow extends BaseVisitRow {
  kind: 'waiting_room';
  patient_id: number;
  waiting_room_id: number;
  waiting_room: string;
}

/** Visits of one kind, or of both in one order. */
export interface VisitRows {
  telehealth: TelehealthVisitRow;
  waiting_room: WaitingRoomVisitRow;
  both: TelehealthVisitRow | WaitingRoomVisitRow;
}
export type VisitScope = keyof VisitRows;

const VISIT_TABLES = {
  telehealth: {
    from: 'telehealth_visit v',
    began: 'v.started_at',
    columns: `'telehealth' AS kind, v.id, v.patient_id, v.video_session_id, NULL::int AS waiting_room_id, v.appointment_id,
       v.started_at AS began, NULL::timestamptz AS admitted, v.ended_at AS over`,
  },
  waiting_room: {
    from: 'waiting_room_visit v',
    began: 'v.entered_at',
    columns: `'waiting_room' AS kind, v.id, v.patient_id, v.video_session_id, v.waiting_room_id, v.appointment_id,
       v.entered_at AS began, v.admitted_at AS admitted, v.left_at AS over`,
  },
} as const;

/** Adds the shown columns to selected visits. */
const selectVisits = (visits: string) => `
  SELECT x.kind, x.id, x.patient_id, p.first_name, p.last_name, h.id AS host_id, h.first_name AS host_first_name, h.last_name AS host_last_name,
         x.video_session_id, s.guid, x.waiting_room_id, w.name AS waiting_room, x.appointment_id,
         ${selectInstant('a.starts_at')} AS appointment_starts_at, y.name AS appointment_type, ${selectInstant('x.began')} AS began_at,
         ${selectInstant('x.admitted')} AS admitted_at, ${selectInstant('x.over')} AS over_at,
         CASE x.kind WHEN 'telehealth' THEN ${minutesBetween('x.began', 'x.over')}
                     ELSE ${minutesBetween('x.began', 'coalesce(x.admitted, x.over)')} END AS minutes
    FROM (${visits}) AS x
    LEFT JOIN patient p ON p.organization_id = $1 AND p.id = x.patient_id
    LEFT JOIN video_session s ON s.organization_id = $1 AND s.id = x.video_session_id
    LEFT JOIN waiting_room w ON w.organization_id = $1 AND w.id = x.waiting_room_id
    LEFT JOIN "user" h ON h.organization_id = $1 AND h.id = coalesce(s.host_user_id, w.user_id)
    LEFT JOIN appointment a ON a.organization_id = $1 AND a.id = x.appointment_id
    LEFT JOIN appointment_type y ON y.organization_id = a.type_organization_id AND y.id = a.type_id`;

/** One visit; none where the chart is not listed. Values: organization, id. */
export function visitOfKind<K extends VisitKind>(kind: K): Statement<VisitRows[K]> {
  const { columns, from } = VISIT_TABLES[kind];
  return statement(
    `telehealth_visit_${kind}`,
    selectVisits(
      `SELECT ${columns} FROM ${from} WHERE v.organization_id = $1 AND v.id = $2 AND (v.patient_id IS NULL OR ${isListed('v.patient_id')})`,
    ),
  );
}

const listKinds = (scope: VisitScope): readonly VisitKind[] => (scope === 'both' ? ['telehealth', 'waiting_room'] : [scope]);

/** One page of a patient's visits, in the order in which they began. Values: organization, patient, limit, offset. */
export function visitPage<S extends VisitScope>(scope: S, descending: boolean): Statement<VisitRows[S]> {
  const direction = descending ? 'DESC' : 'ASC';
  // Each table is read by its index and only as far as the page reaches.
  const halves = listKinds(scope).map((kind) => {
    const { columns, from, began } = VISIT_TABLES[kind];
    return `(SELECT ${columns} FROM ${from} WHERE v.organization_id = $1 AND v.patient_id = $2
              ORDER BY ${began} ${direction}, v.id ${direction} LIMIT $3::int + $4::int)`;
  });
  const order = (of: string) => ['began', 'kind', 'id'].map((term) => `${of}.${term} ${direction}`).join(', ');
  const page = `SELECT * FROM (${halves.join(' UNION ALL ')}) AS b ORDER BY ${order('b')} LIMIT $3::int OFFSET $4::int`;
  return statement(`telehealth_visit_page_${scope}_${direction}`, `${selectVisits(page)} ORDER BY ${order('x')}`);
}

/** Values: organization, patient. */
export function visitCount(scope: VisitScope): Statement<{ total: number }> {
  const counts = listKinds(scope).map(
    (kind) => `(SELECT count(*) FROM ${VISIT_TABLES[kind].from} WHERE v.organization_id = $1 AND v.patient_id = $2)`,
  );
  return statement(`telehealth_visit_count_${scope}`, `SELECT (${counts.join(' + ')})::int AS total`);
}

/** One row if the chart is listed. Values: organization, patient. */
export const PATIENT_IS_LISTED: Statement<{ id: number }> = statement(
  'telehealth_patient_listed',
  `SELECT $2::int AS id WHERE ${isListed('$2::int')}`,
);
