import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { SessionImage } from '../../../../domain/telehealth/media/media-lists.ts';
import { readOrigin } from '../../../../http/wire/links.ts';
import { instant } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';
import { fromMedia, MEDIA_FIELDS, thumbnailAddress } from './video-session-media.wire.ts';

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
