import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Attachment } from '../../../../domain/messaging/attachments/attachments.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { readOrigin } from '../../../../http/wire/links.ts';
import { instant, longId } from '../../../../http/wire/wire-types.ts';
import { one } from '../../shared.wire.ts';

export const AttachmentShape = z
  .strictObject({
    uuid: z.int(),
    file_name: z.string().describe('As sent, with unsafe characters removed'),
    media_type: z.string().describe('Detected from the content'),
    byte_length: z.int(),
    sha256: z.string().describe('Digest of the content, in hexadecimal'),
    url: z.string().describe('Address of the content; send a user’s token'),
    user_id: z.int().nullable().describe('Id of the user who uploaded it'),
    created_at: instant(),
  })
  .meta({ id: 'Attachment' });

export const AttachmentResponse = one(AttachmentShape).meta({ id: 'AttachmentResponse' });

export const contentParams = z.object({
  attachment: longId().describe('Attachment id'),
  filename: z.string().min(1).max(1_000).describe('Any value: the attachment id identifies the file'),
});

export function fromAttachment(request: FastifyRequest, attachment: Attachment): z.input<typeof AttachmentShape> {
  const { id: uuid, fileName, mediaType, byteLength, sha256, uploadedByUserId, createdAt } = attachment;
  return {
    uuid,
    file_name: fileName,
    media_type: mediaType,
    byte_length: byteLength,
    sha256: Buffer.from(sha256).toString('hex'),
    url: contentAddress(request, attachment),
    user_id: uploadedByUserId,
    created_at: writeInstant(createdAt),
  };
}

/** Address of the content. It leaves out the file's own name, which may reveal a patient, because addresses are written to logs. */
export function contentAddress(request: FastifyRequest, { id: uuid, fileName }: Pick<Attachment, 'id' | 'fileName'>): string {
  const [ending = ''] = /\.[A-Za-z0-9]{1,8}$/.exec(fileName) ?? [];
  return `${readOrigin(request)}/attachment/${uuid}/body/${uuid}${ending.toLowerCase()}`;
}
