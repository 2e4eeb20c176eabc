import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { LONGEST_BODY_SITE, LONGEST_TITLE } from '../../../../domain/telehealth/media/media.ts';
import type { MediaCorrection, MediaKey } from '../../../../domain/telehealth/media/media-corrections.ts';
import type { MediaFilter, SessionImage, SessionVideo } from '../../../../domain/telehealth/media/media-lists.ts';
import { alsoNamed, filterNames } from '../../../../http/input/query.ts';
import { withChecks } from '../../../../http/wire/checked-shapes.ts';
import { readOrigin } from '../../../../http/wire/links.ts';
import { id, instant, longId, optional, paging, text } from '../../../../http/wire/wire-types.ts';
import { contentAddress } from '../../messaging/attachments/attachments.wire.ts';
import { one, wrapList } from '../../shared.wire.ts';
import { fromNamedPatient, SAME_SEARCH, SESSION_SEARCH, SessionPatientShape, sessionKey, toSessionSearch } from './video-sessions.wire.ts';

const MEDIA_FIELDS = {
  uuid: z.int(),
  title: z.string().nullable(),
  video_session_uuid: z.int(),
  video_session_guid: z.string(),
  host_user_id: z.int(),
  user_id: z.int().nullable().describe('Uploading user; null if uploaded from the page of the room'),
  maker_user_id: z.int().nullable().describe('User who took it, also on the page of the room; can change and delete it, as can admins'),
  patient_uuid: z.int().nullable().describe('Patient in the picture or recording; null if unknown'),
  patients: z.array(SessionPatientShape).describe('The same patient with name: one entry, or none'),
  body_site: z.string().nullable().describe('Part of the body that is shown'),
  file_name: z.string(),
  media_type: z.string().describe('Detected from the content'),
  byte_length: z.int(),
  width: z.int().nullable().describe('In pixels'),
  height: z.int().nullable().describe('In pixels'),
  url: z.string().describe('URL of the content; requires a user token and supports range requests'),
  thumbnail_url: z.string().nullable().describe('URL of a small JPEG preview'),
};

export const mediaParams = z.object({ uuid: longId().describe('Id of the picture or recording') });
export const mediaQuery = z.object(paging);
export const mediaSearchQuery = withChecks(
  z.object({
    ...SESSION_SEARCH,
    video_session_id: alsoNamed(optional(sessionKey()), ...filterNames('video_session')).describe('Video session id or GUID'),
    title: optional(text(200)).describe('Substring of the title'),
    ...paging,
  }),
  SAME_SEARCH,
);
export const mediaUploadParams = z.object({ GUID: sessionKey().describe('Video session GUID or id') });
const title = () => optional(text(LONGEST_TITLE)).describe('Title shown in lists');
const bodySite = () => optional(text(LONGEST_BODY_SITE)).describe('Part of the body that is shown');

export const mediaUploadFields = z.object({
  title: title(),
  body_site: bodySite(),
  patient_uuid: optional(id()).describe(
    'Patient id; required if several patients were in the session, otherwise defaults to its only patient',
  ),
});

export const toNewMedia = ({ title, body_site }: z.output<typeof mediaUploadFields>) => ({ title, bodySite: body_site });

export const mediaCorrectionParams = z.object({
  GUID: sessionKey().describe('Video session GUID or id'),
  uuid: longId().describe('Id of the picture or recording'),
});

export const MediaCorrectionRequest = z
  .object({
    patient_uuid: optional(id()).describe('Patient id; null for none'),
    title: title(),
    body_site: bodySite(),
  })
  .meta({ id: 'VideoSessionMediaUpdate' });

export const toMediaKey = ({ GUID, uuid }: z.output<typeof mediaCorrectionParams>): MediaKey => ({ session: GUID, id: uuid });

export const toCorrection = (body: z.output<typeof MediaCorrectionRequest>): MediaCorrection => ({
  patientId: body.patient_uuid,
  title: body.title,
  bodySite: body.body_site,
});

export const toMediaFilter = (query: z.output<typeof mediaSearchQuery>): MediaFilter => ({
  ...toSessionSearch(query),
  session: query.video_session_id ?? undefined,
  title: query.title ?? undefined,
});

/** MEDIA_FIELDS without the addresses. */
const fromMedia = (media: SessionImage) => ({
  uuid: media.id,
  title: media.title,
  video_session_uuid: media.video_session_id,
  video_session_guid: media.guid,
  host_user_id: media.host_id,
  user_id: media.user_id,
  maker_user_id: media.maker_id,
  patient_uuid: media.patients[0]?.id ?? null,
  patients: media.patients.map(fromNamedPatient),
  body_site: media.body_site,
  file_name: media.file_name,
  media_type: media.media_type,
  byte_length: media.byte_length,
  width: media.width,
  height: media.height,
});

/** Address of the thumbnail of a picture, which is an attachment. */
const thumbnailAddress = (request: FastifyRequest, { thumbnail_id, thumbnail_name }: SessionImage): string | null =>
  thumbnail_id === null || thumbnail_name === null ? null : contentAddress(request, { id: thumbnail_id, fileName: thumbnail_name });

const ImageShape = z.strictObject({ ...MEDIA_FIELDS, taken_at: instant() }).meta({ id: 'VideoSessionImage' });

export const ImageResponse = one(ImageShape).meta({ id: 'VideoSessionImageResponse' });
export const ImageList = wrapList(ImageShape).meta({ id: 'VideoSessionImageList' });

export const fromImage =
  (request: FastifyRequest) =>
  (image: SessionImage): z.input<typeof ImageShape> => ({
    ...fromMedia(image),
    taken_at: image.taken_at,
    url: `${readOrigin(request)}/video-session-image/${image.id}/body`,
    thumbnail_url: thumbnailAddress(request, image),
  });

const VideoShape = z
  .strictObject({
    ...MEDIA_FIELDS,
    duration_seconds: z.int().nullable().describe('Rounded to the nearest second; null if the file does not state its duration'),
    seekable: z.boolean().describe('Whether a player can seek in the recording'),
    playable: z.boolean().describe('False if the recording is incomplete and may not play'),
    recorded_at: instant(),
  })
  .meta({ id: 'VideoSessionVideo' });

export const VideoResponse = one(VideoShape).meta({ id: 'VideoSessionVideoResponse' });
export const VideoList = wrapList(VideoShape).meta({ id: 'VideoSessionVideoList' });

export const fromVideo =
  (request: FastifyRequest) =>
  (video: SessionVideo): z.input<typeof VideoShape> => {
    const address = `${readOrigin(request)}/video-session-video/${video.id}`;
    return {
      ...fromMedia(video),
      duration_seconds: video.duration_seconds,
      seekable: video.seekable,
      playable: video.playable,
      recorded_at: video.taken_at,
      url: `${address}/body`,
      thumbnail_url: video.thumbnail_id === null ? null : `${address}/body-thumbnail`,
    };
  };
