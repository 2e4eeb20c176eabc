import {
  discardPrepared,
  MAX_MEDIA_BYTES,
  prepareImage,
  prepareVideo,
  saveImage,
  saveVideo,
} from '../../../../domain/telehealth/media/media.ts';
import { correctMedia, deleteMedia, readMediaOfSession } from '../../../../domain/telehealth/media/media-corrections.ts';
import {
  findSessionForMedia,
  listImages,
  listVideos,
  readImage,
  readImageFile,
  readVideo,
  readVideoFile,
} from '../../../../domain/telehealth/media/media-lists.ts';
import { findMediaPatient } from '../../../../domain/telehealth/media/media-owners.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  fromImage,
  fromVideo,
  ImageList,
  ImageResponse,
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
  VideoList,
  VideoResponse,
} from './video-session-media.wire.ts';

const UPLOAD = { params: mediaUploadParams, largest: MAX_MEDIA_BYTES, fields: mediaUploadFields, status: 201 } as const;
const CORRECTION = { beyondDocument: true, params: mediaCorrectionParams } as const;

export function sessionImageRoutes(endpoints: Endpoints): void {
  const { get, put, remove, download, upload } = endpoints.group({ tag: 'Video session images' });
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
      handle: async ({ tx, query, request }) => writePage(request, await listImages(tx, {}, query), fromImage(request)),
    });

    get(`${path}/search`, {
      isAlias,
      operationId: 'searchVideoSessionImages',
      summary: 'Search pictures of video sessions',
      description: 'Sorted newest first. The dates refer to when the pictures were taken.',
      query: mediaSearchQuery,
      response: ImageList,
      handle: async ({ tx, query, request }) => writePage(request, await listImages(tx, toMediaFilter(query), query), fromImage(request)),
    });

    get(`${path}/:uuid`, {
      isAlias,
      operationId: 'getVideoSessionImage',
      summary: 'Read the metadata of a picture',
      params: mediaParams,
      response: ImageResponse,
      etag: true,
      handle: async ({ tx, params, request }) => ({
        data: fromImage(request)(await readImage(tx, params.uuid)),
      }),
    });

    download(`${path}/:uuid/body`, {
      isAlias,
      operationId: 'getVideoSessionImageContent',
      summary: 'Download a picture',
      params: mediaParams,
      handle: ({ tx, params }) => readImageFile(tx, params.uuid),
    });
  }

  upload('/video-session/:GUID/images', {
    ...UPLOAD,
    operationId: 'createVideoSessionImage',
    beyondDocument: true,
    summary: 'Upload a picture of a video session',
    description: 'A JPEG, PNG or WebP of at most 25 MiB. The picture is re-encoded, which removes metadata such as location and camera.',
    besides: [],
    response: ImageResponse,
    expect: async ({ tx, params }) => {
      await findSessionForMedia(tx, params.GUID);
    },
    prepare: (store, organizationId, { file }) => prepareImage(store, organizationId, file.path),
    handle: async ({ tx, params, fields, media: made, request }) => {
      const videoSessionId = await findSessionForMedia(tx, params.GUID);
      const patientId = await findMediaPatient(tx, videoSessionId, fields.patient_uuid);
      const id = await saveImage(tx, { videoSessionId, patientId, ...toNewMedia(fields) }, made);
      return { data: fromImage(request)(await readImage(tx, id)) };
    },
    discard: discardPrepared,
  });

  put('/video-session/:GUID/images/:uuid', {
    ...CORRECTION,
    operationId: 'updateVideoSessionImage',
    summary: 'Update the patient and the labels of a picture',
    description:
      'For the user who took it and admins. Only the fields sent are changed. The change is audited for the former and the new patient.',
    body: MediaCorrectionRequest,
    response: ImageResponse,
    etag: true,
    current: async ({ tx, params, request }) => ({
      data: fromImage(request)(await readMediaOfSession(tx, 'image', toMediaKey(params))),
    }),
    handle: async ({ tx, params, body, request }) => {
      await correctMedia(tx, 'image', toMediaKey(params), toCorrection(body));
      return { data: fromImage(request)(await readImage(tx, params.uuid)) };
    },
  });

  remove('/video-session/:GUID/images/:uuid', {
    ...CORRECTION,
    operationId: 'deleteVideoSessionImage',
    summary: 'Delete a picture',
    description: 'For the user who took it and admins. Also deletes its files.',
    current: async ({ tx, params, request }) => ({
      data: fromImage(request)(await readMediaOfSession(tx, 'image', toMediaKey(params))),
    }),
    handle: ({ tx, params }) => deleteMedia(tx, 'image', toMediaKey(params)),
  });
}

export function sessionVideoRoutes(endpoints: Endpoints): void {
  const { get, put, remove, download, upload } = endpoints.group({ tag: 'Video session videos' });
  get('/video-session-video', {
    operationId: 'listVideoSessionVideos',
    summary: 'List recordings of video sessions',
    description: 'Sorted newest first.',
    query: mediaQuery,
    response: VideoList,
    handle: async ({ tx, query, request }) => writePage(request, await listVideos(tx, {}, query), fromVideo(request)),
  });

  get('/video-session-video/search', {
    operationId: 'searchVideoSessionVideos',
    summary: 'Search recordings of video sessions',
    description: 'Sorted newest first. The dates refer to when the recordings were stored.',
    query: mediaSearchQuery,
    response: VideoList,
    handle: async ({ tx, query, request }) => writePage(request, await listVideos(tx, toMediaFilter(query), query), fromVideo(request)),
  });

  get('/video-session-video/:uuid', {
    operationId: 'getVideoSessionVideo',
    summary: 'Read the metadata of a recording',
    params: mediaParams,
    response: VideoResponse,
    etag: true,
    handle: async ({ tx, params, request }) => ({ data: fromVideo(request)(await readVideo(tx, params.uuid)) }),
  });

  download('/video-session-video/:uuid/body', {
    operationId: 'getVideoSessionVideoContent',
    summary: 'Download a recording',
    description: 'Supports range requests, so that a player can seek.',
    params: mediaParams,
    handle: ({ tx, params }) => readVideoFile(tx, { id: params.uuid, part: 'attachment' }),
  });

  download('/video-session-video/:uuid/body-thumbnail', {
    operationId: 'getVideoSessionVideoThumbnail',
    summary: 'Download the thumbnail of a recording',
    description: 'A small JPEG. Responds 404 if the recording was uploaded without a still image.',
    params: mediaParams,
    handle: ({ tx, params }) => readVideoFile(tx, { id: params.uuid, part: 'thumbnail' }),
  });

  upload('/video-session/:GUID/videos', {
    ...UPLOAD,
    operationId: 'createVideoSessionVideo',
    beyondDocument: true,
    summary: 'Upload a recording of a video session',
    description:
      'A WebM or MP4 of at most 25 MiB. It is remuxed without re-encoding, so that a player can seek. If anybody has joined the session here, everybody in the visit must have agreed to a recording: otherwise 409 `recording_not_agreed`. `thumbnail` is a still image: JPEG, PNG or WebP.',
    besides: ['thumbnail'],
    response: VideoResponse,
    expect: async ({ tx, params }) => {
      await findSessionForMedia(tx, params.GUID);
    },
    prepare: (store, organizationId, { file, thumbnail }) => prepareVideo(store, organizationId, file.path, thumbnail?.path),
    handle: async ({ tx, params, fields, media: made, request }) => {
      const videoSessionId = await findSessionForMedia(tx, params.GUID);
      const patientId = await findMediaPatient(tx, videoSessionId, fields.patient_uuid);
      const id = await saveVideo(tx, { videoSessionId, patientId, ...toNewMedia(fields) }, made);
      return { data: fromVideo(request)(await readVideo(tx, id)) };
    },
    discard: discardPrepared,
  });

  put('/video-session/:GUID/videos/:uuid', {
    ...CORRECTION,
    operationId: 'updateVideoSessionVideo',
    summary: 'Update the patient and the labels of a recording',
    description:
      'For the user who took it, and for admins. Only what is sent changes. The change is audited for the patient before and the patient after it.',
    body: MediaCorrectionRequest,
    response: VideoResponse,
    etag: true,
    current: async ({ tx, params, request }) => ({
      data: fromVideo(request)(await readMediaOfSession(tx, 'video', toMediaKey(params))),
    }),
    handle: async ({ tx, params, body, request }) => {
      await correctMedia(tx, 'video', toMediaKey(params), toCorrection(body));
      return { data: fromVideo(request)(await readVideo(tx, params.uuid)) };
    },
  });

  remove('/video-session/:GUID/videos/:uuid', {
    ...CORRECTION,
    operationId: 'deleteVideoSessionVideo',
    summary: 'Delete a recording',
    description: 'For the user who took it, and for admins. Deletes its files too.',
    current: async ({ tx, params, request }) => ({
      data: fromVideo(request)(await readMediaOfSession(tx, 'video', toMediaKey(params))),
    }),
    handle: ({ tx, params }) => deleteMedia(tx, 'video', toMediaKey(params)),
  });
}
