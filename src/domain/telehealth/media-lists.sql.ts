import { type Statement, statement, written } from '../../database/statement.ts';
import { isShownRecording, SESSIONS_OF_RESTRICTED_ALONE } from '../patients/restricted-charts.sql.ts';
import { setName } from './session-lists.sql.ts';
import { inSessionSet, type NamedPatient, patientsOfSession, type SessionSet } from './session-patients.sql.ts';

/** A picture or a recording of a session. Instants are ISO 8601 texts in UTC. */
export interface MediaRow {
  id: number;
  title: string | null;
  video_session_id: number;
  guid: string;
  host_id: number;
  taken_at: string;
  width: number | null;
  height: number | null;
  file_name: string;
  media_type: string;
  byte_length: number;
  /** The user who uploaded it; null for an upload of the host's visit page. */
  user_id: number | null;
  thumbnail_id: number | null;
  thumbnail_name: string | null;
  patients: NamedPatient[];
}

export interface RecordingRow extends MediaRow {
  duration_seconds: number | null;
  seekable: boolean;
}

const KINDS = {
  image: { table: 'session_image', taken: 'taken_at', more: '' },
  video: { table: 'session_video', taken: 'recorded_at', more: ', m.duration_seconds, m.seekable' },
} as const;
export type MediaKind = keyof typeof KINDS;

const shown = ({ table, taken, more }: (typeof KINDS)[MediaKind]) => `
  SELECT m.id, m.title, m.video_session_id, s.guid, s.host_user_id AS host_id, ${written(`m.${taken}`)} AS taken_at, m.width, m.height,
         f.file_name, f.media_type, f.byte_length, f.uploaded_by_user_id AS user_id,
         t.id AS thumbnail_id, t.file_name AS thumbnail_name, ${patientsOfSession('s')} AS patients${more}
    FROM ${table} m
    JOIN video_session s ON s.organization_id = m.organization_id AND s.id = m.video_session_id
    JOIN attachment f ON f.organization_id = m.organization_id AND f.id = m.attachment_id
    LEFT JOIN attachment t ON t.organization_id = m.organization_id AND t.id = m.thumbnail_attachment_id
   WHERE m.organization_id = $1 AND m.id = ANY ($2::bigint[]) AND ${isShownRecording('m.video_session_id')}`;

/** The sessions of restricted and blocked patients alone, whose pictures and recordings lists leave out. Values: organization. */
export const HIDDEN_MEDIA_SESSIONS: Statement<{ video_session_id: number }> = statement(
  'telehealth_hidden_media_sessions',
  SESSIONS_OF_RESTRICTED_ALONE,
);

/** Values: organization, ids. Unordered. */
export const IMAGES: Statement<MediaRow> = statement('telehealth_images', shown(KINDS.image));
/** Values: organization, ids. Unordered. */
export const RECORDINGS: Statement<RecordingRow> = statement('telehealth_videos', shown(KINDS.video));

/**
 * The ids of a page, the newest first. Values: organization; the first instant and the instant after the last (-infinity and
 * infinity where the range is open); session, host, appointment, part of the title, each null where it does not filter; ids of
 * sessions that are left out; limit, offset; the values of the set.
 */
export function mediaPage(kind: MediaKind, set: SessionSet): Statement<{ id: number }> {
  const { taken } = KINDS[kind];
  return statement(
    `telehealth_${kind}_page_${setName(set)}`,
    `SELECT m.id ${media(kind, set, 11)} ORDER BY m.${taken} DESC, m.id DESC LIMIT $9 OFFSET $10`,
  );
}

/** Values: as mediaPage, without limit and offset. */
export function mediaCount(kind: MediaKind, set: SessionSet): Statement<{ total: number }> {
  return statement(`telehealth_${kind}_count_${setName(set)}`, `SELECT count(*)::int AS total ${media(kind, set, 9)}`);
}

function media(kind: MediaKind, set: SessionSet, next: number): string {
  const { table, taken } = KINDS[kind];
  const conditions = [
    `m.organization_id = $1 AND m.${taken} >= $2::timestamptz AND m.${taken} < $3::timestamptz`,
    '($4::bigint IS NULL OR m.video_session_id = $4) AND ($5::int IS NULL OR s.host_user_id = $5)',
    '($6::bigint IS NULL OR s.appointment_id = $6) AND ($7::text IS NULL OR strpos(fold(m.title), fold($7)) > 0)',
    'm.video_session_id <> ALL ($8::bigint[])',
    ...inSessionSet('m.video_session_id', set, next),
  ];
  return `FROM ${table} m JOIN video_session s ON s.organization_id = m.organization_id AND s.id = m.video_session_id
   WHERE ${conditions.join(' AND ')}`;
}
