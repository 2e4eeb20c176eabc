import { filter, list, select, sortBy } from '../../../database/statements/list.ts';
import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';
import {
  isShownMedia,
  isUnrestricted,
  SESSIONS_OF_RESTRICTED_ALONE,
  SESSIONS_WITH_RESTRICTED,
} from '../../patients/restrictions/restricted-charts.sql.ts';
import type { NamedPatient } from '../../patients/shared-numbers.sql.ts';
import { mediaFilters } from '../sessions/session-patients.sql.ts';

/** A picture or a recording of a session. Instants are ISO 8601 texts in UTC. */
export interface MediaRow {
  id: number;
  title: string | null;
  body_site: string | null;
  video_session_id: number;
  guid: string;
  host_id: number;
  taken_at: string;
  width: number | null;
  height: number | null;
  file_name: string;
  media_type: string;
  byte_length: number;
  /** The user who uploaded it; null for an upload of a page of the visit. */
  user_id: number | null;
  /** The user who took it, on the page of the visit too. */
  maker_id: number | null;
  /** The patient to whom it belongs; null for nobody. */
  patient_id: number | null;
  thumbnail_id: number | null;
  thumbnail_name: string | null;
  /** The patient to whom it belongs, if the chart is listed: none or one. */
  patients: NamedPatient[];
}

export interface RecordingRow extends MediaRow {
  duration_seconds: number | null;
  seekable: boolean;
  playable: boolean;
}

const KINDS = {
  image: { table: 'session_image', taken: 'taken_at', more: '' },
  video: { table: 'session_video', taken: 'recorded_at', more: ', m.duration_seconds, m.seekable, m.playable' },
} as const;
export type MediaKind = keyof typeof KINDS;

const OWNER = `(
    SELECT coalesce(json_agg(json_build_object('id', p.id, 'firstName', p.first_name, 'lastName', p.last_name)), '[]')
      FROM patient p JOIN patient_name_key k ON k.organization_id = p.organization_id AND k.patient_id = p.id AND k.ordinal = 1
     WHERE p.organization_id = $1 AND p.id = m.patient_id)`;

const selectMedia = ({ table, taken, more }: (typeof KINDS)[MediaKind]) => `
  SELECT m.id, m.title, m.body_site, m.video_session_id, s.guid, s.host_user_id AS host_id, ${selectInstant(`m.${taken}`)} AS taken_at, m.width, m.height,
         f.file_name, f.media_type, f.byte_length, f.uploaded_by_user_id AS user_id, m.maker_user_id AS maker_id, m.patient_id,
         t.id AS thumbnail_id, t.file_name AS thumbnail_name, ${OWNER} AS patients${more}
    FROM ${table} m
    JOIN video_session s ON s.organization_id = m.organization_id AND s.id = m.video_session_id
    JOIN attachment f ON f.organization_id = m.organization_id AND f.id = m.attachment_id
    LEFT JOIN attachment t ON t.organization_id = m.organization_id AND t.id = m.thumbnail_attachment_id
   WHERE m.organization_id = $1 AND m.id = ANY ($2::bigint[]) AND ${isShownMedia('m')}`;

/** The sessions of restricted and blocked patients alone, in which staff keep nothing. Values: organization. */
export const SESSIONS_CLOSED_TO_STAFF: Statement<{ video_session_id: number }> = statement(
  'telehealth_sessions_closed_to_staff',
  SESSIONS_OF_RESTRICTED_ALONE,
);

/**
 * The sessions with a restricted or blocked patient, of which lists leave out the pictures and recordings that belong to nobody.
 * Values: organization.
 */
export const HIDDEN_MEDIA_SESSIONS: Statement<{ video_session_id: number }> = statement(
  'telehealth_hidden_media_sessions',
  SESSIONS_WITH_RESTRICTED,
);

/** Values: organization, ids. Unordered. */
export const IMAGES: Statement<MediaRow> = statement('telehealth_images', selectMedia(KINDS.image));
/** Values: organization, ids. Unordered. */
export const RECORDINGS: Statement<RecordingRow> = statement('telehealth_videos', selectMedia(KINDS.video));

/**
 * Ids of pictures or recordings. Values: organization; the first instant and the instant after the last; ids of sessions whose media that
 * belong to nobody are left out.
 */
function listMedia(kind: MediaKind) {
  const { table, taken } = KINDS[kind];
  return list({
    name: `telehealth_${kind}`,
    select: select<{ id: number }>('m.id'),
    from: `${table} m JOIN video_session s ON s.organization_id = m.organization_id AND s.id = m.video_session_id`,
    where: `m.organization_id = $1 AND m.${taken} >= $2::timestamptz AND m.${taken} < $3::timestamptz
       AND (m.patient_id IS NOT NULL OR m.video_session_id <> ALL ($4::bigint[])) AND ${isUnrestricted('m.patient_id')}`,
    filters: {
      session: filter<number>('bigint', (id) => `m.video_session_id = ${id}`),
      hostUserId: filter<number>('int', (id) => `s.host_user_id = ${id}`),
      appointmentId: filter<number>('bigint', (id) => `s.appointment_id = ${id}`),
      /** A part of the title. Case and accents are ignored. */
      title: filter<string>('text', (part) => `strpos(fold(m.title), fold(${part})) > 0`),
      ...mediaFilters(table),
    },
    orders: { taken: sortBy(`m.${taken}`, 'm.id') },
  });
}

export const MEDIA = { image: listMedia('image'), video: listMedia('video') };
