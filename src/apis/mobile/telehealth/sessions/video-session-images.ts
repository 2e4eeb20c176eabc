import { preparedForIn } from '../../../../domain/patients/restrictions/opened-charts.sql.ts';
import { discardPrepared, MAX_MEDIA_BYTES, prepareImage, saveImage } from '../../../../domain/telehealth/media/media.ts';
import { correctMedia, deleteMedia, readMediaOfSession } from '../../../../domain/telehealth/media/media-corrections.ts';
import { findSessionForMedia, listImages, readImage, readImageFile } from '../../../../domain/telehealth/media/media-lists.ts';
import { findMediaPatient } from '../../../../domain/telehealth/media/media-owners.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { fromImage, ImageList, ImageResponse } from './video-session-images.wire.ts';
import {
  MediaCorrectionRequest,
  mediaCorrectionParams,
  mediaParams,
  mediaQuery,
  mediaSearchQuery,
  mediaUploadFields,
  mediaUploadParams,
  toCorrection,
  toMediaFilter,
  toMediaKey,
  toNewMedia,
} from './video-session-media.wire.ts';

export function sessionImageRoutes(endpoints: Endpoints): void {
  const { get, put, remove, download, media } = endpoints.group({ tag: 'Video session images' });
  // The list of operations also spells it with a capital letter; both work, and the document shows one.
  for (const path of ['/video-session-image', '/video-session-Image']) {
    const isAlias = path === '/video-session-Image';
    get(path, {
      isAlias,
      operationId: 'listVideoSessionImages',
      summary: 'List pictures of video sessions',
      description: 'Sorted newest first. The path may also have a capital I: `/video-session-Image`.',
      query: mediaQuery,
      response: ImageList,
      handle: async ({ prepared, caller, query, request }) =>
        writePage(request, await listImages(prepared, caller, {}, query), fromImage(request)),
    });

    get(`${path}/search`, {
      isAlias,
      operationId: 'searchVideoSessionImages',
      summary: 'Search pictures of video sessions',
      description: 'Sorted newest first. The dates refer to when the pictures were taken.',
      query: mediaSearchQuery,
      response: ImageList,
      handle: async ({ prepared, caller, query, request }) =>
        writePage(request, await listImages(prepared, caller, toMediaFilter(query), query), fromImage(request)),
    });

    get(`${path}/:uuid`, {
      isAlias,
      operationId: 'getVideoSessionImage',
      summary: 'Read the metadata of a picture',
      params: mediaParams,
      response: ImageResponse,
      etag: true,
      handle: async ({ prepared, caller, params, request }) => ({
        data: fromImage(request)(await readImage(prepared, caller, params.uuid)),
      }),
    });

    download(`${path}/:uuid/body`, {
      isAlias,
      operationId: 'getVideoSessionImageContent',
      summary: 'Download a picture',
      params: mediaParams,
      handle: ({ db, prepared, caller, params }) => readImageFile(db, prepared, caller, params.uuid),
    });
  }

  media('/video-session/:GUID/images', {
    operationId: 'createVideoSessionImage',
    beyondDocument: true,
    summary: 'Upload a picture of a video session',
    description: 'A JPEG, PNG or WebP of at most 25 MiB. The picture is re-encoded, which removes metadata such as location and camera.',
    params: mediaUploadParams,
    besides: [],
    largest: MAX_MEDIA_BYTES,
    fields: mediaUploadFields,
    response: ImageResponse,
    status: 201,
    expect: async ({ prepared, caller, params }) => {
      await findSessionForMedia(prepared, caller, params.GUID);
    },
    prepare: (store, organizationId, { file }) => prepareImage(store, organizationId, file.path),
    handle: async ({ db, caller, params, fields, media: made, request }) => {
      const videoSessionId = await findSessionForMedia(preparedForIn(db, caller), caller, params.GUID);
      const patientId = await findMediaPatient(db, caller, videoSessionId, fields.patient_uuid);
      const id = await saveImage(db, caller, { videoSessionId, patientId, ...toNewMedia(fields) }, made);
      return { data: fromImage(request)(await readImage(preparedForIn(db, caller), caller, id)) };
    },
    discard: discardPrepared,
  });

  put('/video-session/:GUID/images/:uuid', {
    operationId: 'updateVideoSessionImage',
    beyondDocument: true,
    summary: 'Update the patient and the labels of a picture',
    description:
      'For the user who took it and admins. Only the fields sent are changed. The change is audited for the former and the new patient.',
    params: mediaCorrectionParams,
    body: MediaCorrectionRequest,
    response: ImageResponse,
    etag: true,
    current: async ({ db, caller, params, request }) => ({
      data: fromImage(request)(await readMediaOfSession(db, caller, 'image', toMediaKey(params))),
    }),
    handle: async ({ db, caller, params, body, request }) => {
      await correctMedia(db, caller, 'image', toMediaKey(params), toCorrection(body));
      return { data: fromImage(request)(await readImage(preparedForIn(db, caller), caller, params.uuid)) };
    },
  });

  remove('/video-session/:GUID/images/:uuid', {
    operationId: 'deleteVideoSessionImage',
    beyondDocument: true,
    summary: 'Delete a picture',
    description: 'For the user who took it and admins. Also deletes its files.',
    params: mediaCorrectionParams,
    current: async ({ db, caller, params, request }) => ({
      data: fromImage(request)(await readMediaOfSession(db, caller, 'image', toMediaKey(params))),
    }),
    handle: ({ db, caller, params }) => deleteMedia(db, caller, 'image', toMediaKey(params)),
  });
}
