import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { SessionVideo } from '../../../../domain/telehealth/media/media-lists.ts';
import { readOrigin } from '../../../../http/wire/links.ts';
import { instant } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';
import { fromMedia, MEDIA_FIELDS } from './video-session-media.wire.ts';

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
