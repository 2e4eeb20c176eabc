import { statement } from '../../../database/statements/statement.ts';

/**
 * Sessions that took place, have nobody in them, and were not ended: expired ones, and those that everybody left a while ago. One in
 * which only hosts were is kept open for those who are still to come: until its appointment ends, and while an invite is unused.
 * Values: seconds since everybody left, limit. Of all organizations, for the job that ends them.
 */
export const DESERTED_SESSIONS = statement<{ organizationId: number; id: number }>(
  'telehealth_deserted_sessions',
  `SELECT s.organization_id AS "organizationId", s.id FROM video_session s
    WHERE s.ended_at IS NULL AND s.started_at IS NOT NULL AND NOT EXISTS (
      SELECT FROM session_participant p WHERE p.organization_id = s.organization_id AND p.video_session_id = s.id
         AND (p.left_at IS NULL OR s.expires_at >= now() AND p.left_at >= now() - make_interval(secs => $1)))
      AND (s.expires_at < now() OR s.visit > 0 OR NOT EXISTS (
             SELECT FROM appointment a WHERE a.organization_id = s.organization_id AND a.id = s.appointment_id
                AND a.ends_at > now() AND a.status <> 'cancelled')
           AND NOT EXISTS (
             SELECT FROM session_invite i WHERE i.organization_id = s.organization_id AND i.video_session_id = s.id
                AND i.withdrawn_at IS NULL AND i.expires_at > now() AND NOT EXISTS (
                  SELECT FROM session_participant g WHERE g.organization_id = i.organization_id AND g.invite_id = i.id)))
    LIMIT $2`,
  { overAllPractices: 'the job looks for rooms that everybody has left' },
);
