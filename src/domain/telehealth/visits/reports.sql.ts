import { type Statement, statement } from '../../../database/statements/statement.ts';
import { isUnrestricted } from '../../patients/restrictions/restricted-charts.sql.ts';
import { minutesBetween } from '../sessions/session-patients.sql.ts';

/** Figures of the organization, of a day, or of a user. */
export interface FigureRow {
  sessions: number;
  visits: number;
  visit_minutes: number;
  /** Distinct patients with a visit. */
  patients: number;
  waiting_visits: number;
  waiting_minutes: number;
  /** Minutes, rounded to a tenth; null where nobody waited. */
  waiting_average: number | null;
  waiting_median: number | null;
  no_shows: number;
}

/** Figures of a day, by its position in the list of days, from 1. Null in the row of the totals. */
export interface DayFigureRow extends FigureRow {
  is_whole: boolean;
  day: number | null;
}

/** Figures of a user. Null in the row of the totals, and for facts that belong to no user. */
export interface UserFigureRow extends FigureRow {
  is_whole: boolean;
  user_id: number | null;
  first_name: string | null;
  last_name: string | null;
}

/**
 * One row for each session, visit, wait and no-show, with the instant by which its day is chosen, and its user; without the visits,
 * waits and no-shows of restricted and blocked patients.
 */
const FACTS = `
  SELECT 'session' AS what, s.started_at AS at, s.host_user_id AS user_id, NULL::int AS patient_id, NULL::int AS minutes, NULL::numeric AS waited
    FROM video_session s
   WHERE s.organization_id = $1 AND s.started_at >= $2::timestamptz AND s.started_at < $3::timestamptz
  UNION ALL
  SELECT 'visit', v.started_at, s.host_user_id, v.patient_id, ${minutesBetween('v.started_at', 'v.ended_at')}, NULL
    FROM telehealth_visit v JOIN video_session s ON s.organization_id = v.organization_id AND s.id = v.video_session_id
   WHERE v.organization_id = $1 AND v.started_at >= $2::timestamptz AND v.started_at < $3::timestamptz
     AND ${isUnrestricted('v.patient_id')}
  UNION ALL
  SELECT 'wait', v.entered_at, coalesce(s.host_user_id, w.user_id), v.patient_id,
         ${minutesBetween('v.entered_at', 'coalesce(v.admitted_at, v.left_at)')},
         extract(epoch FROM coalesce(v.admitted_at, v.left_at) - v.entered_at)
    FROM waiting_room_visit v JOIN waiting_room w ON w.organization_id = v.organization_id AND w.id = v.waiting_room_id
    LEFT JOIN video_session s ON s.organization_id = v.organization_id AND s.id = v.video_session_id
   WHERE v.organization_id = $1 AND v.entered_at >= $2::timestamptz AND v.entered_at < $3::timestamptz
     AND ${isUnrestricted('v.patient_id')}
  UNION ALL
  SELECT 'no_show', a.starts_at, d.user_id, a.patient_id, NULL, NULL
    FROM appointment a LEFT JOIN provider d ON d.organization_id = a.organization_id AND d.id = a.provider_id
   WHERE a.organization_id = $1 AND a.starts_at >= $2::timestamptz AND a.starts_at < $3::timestamptz AND a.status = 'no_show'
     AND ${isUnrestricted('a.patient_id')}
     AND (a.waiting_room_id IS NOT NULL
          OR EXISTS (SELECT FROM video_session s WHERE s.organization_id = $1 AND s.appointment_id = a.id))`;

const FIGURES = `
  count(*) FILTER (WHERE f.what = 'session')::int AS sessions,
  count(*) FILTER (WHERE f.what = 'visit')::int AS visits,
  coalesce(sum(f.minutes) FILTER (WHERE f.what = 'visit'), 0)::int AS visit_minutes,
  count(DISTINCT f.patient_id) FILTER (WHERE f.what = 'visit')::int AS patients,
  count(*) FILTER (WHERE f.what = 'wait')::int AS waiting_visits,
  coalesce(sum(f.minutes) FILTER (WHERE f.what = 'wait'), 0)::int AS waiting_minutes,
  round(avg(f.waited) / 60, 1)::float8 AS waiting_average,
  round((percentile_cont(0.5) WITHIN GROUP (ORDER BY f.waited::float8) / 60)::numeric, 1)::float8 AS waiting_median,
  count(*) FILTER (WHERE f.what = 'no_show')::int AS no_shows`;

/**
 * The totals, and each day with any fact. Values: organization, the first instant and the instant after the last, and the
 * instants at which the days begin, in order.
 */
export const FIGURES_BY_DAY: Statement<DayFigureRow> = statement(
  'telehealth_figures_by_day',
  `SELECT grouping(f.day) = 1 AS is_whole, f.day, ${FIGURES}
     FROM (SELECT *, width_bucket(e.at, $4::timestamptz[]) AS day FROM (${FACTS}) AS e) AS f
    GROUP BY GROUPING SETS ((), (f.day)) ORDER BY 1 DESC, f.day`,
);

/**
 * The totals, and each user with any fact, by name; facts without a user come last. Values: organization, the first instant
 * and the instant after the last.
 */
export const FIGURES_BY_USER: Statement<UserFigureRow> = statement(
  'telehealth_figures_by_user',
  `SELECT g.*, u.first_name, u.last_name
     FROM (SELECT grouping(f.user_id) = 1 AS is_whole, f.user_id, ${FIGURES} FROM (${FACTS}) AS f GROUP BY GROUPING SETS ((), (f.user_id))) AS g
     LEFT JOIN "user" u ON u.organization_id = $1 AND u.id = g.user_id
    ORDER BY g.is_whole DESC, fold(u.last_name), fold(u.first_name), g.user_id`,
);
