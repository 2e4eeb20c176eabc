import { attachFile, findAttachment } from '../../../../domain/messaging/attachments/attachments.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { AttachmentResponse, contentParams, fromAttachment } from './attachments.wire.ts';

const MAX_BYTES = 25 * 1024 * 1024;

export function attachmentRoutes(endpoints: Endpoints): void {
  const { upload, download } = endpoints.group({ tag: 'Attachments' });
  upload('/attachment', {
    operationId: 'uploadAttachment',
    summary: 'Upload a file',
    description:
      'At most 25 MiB. The media type is detected from the content; programs, scripts and installers are refused with 415 `executable_file`.',
    field: 'file',
    largest: MAX_BYTES,
    response: AttachmentResponse,
    status: 201,
    handle: async ({ tx, file, fileName, request }) => ({
      data: fromAttachment(request, await attachFile(tx, file, fileName)),
    }),
  });

  download('/attachment/:attachment/body/:filename', {
    operationId: 'getAttachmentContent',
    summary: 'Download the content of a file',
    description: 'Sent as a download, never displayed as a page of this server.',
    params: contentParams,
    handle: ({ tx, params }) => findAttachment(tx, params.attachment),
  });
}
