import { z } from 'zod';
import type { CannedReplyWithAuthor } from '../../../../domain/messaging/texts/canned-replies.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { id, instant, multilineText, paging } from '../../../../http/wire/wire-types.ts';
import { one, wrapList } from '../../shared.wire.ts';

export const CannedReplyShape = z
  .strictObject({
    uuid: z.int(),
    message: z.string(),
    user: z.strictObject({ uuid: z.int(), firstname: z.string(), lastname: z.string() }).nullable().describe('The author'),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'CannedReply' });

export const CannedReplyResponse = one(CannedReplyShape).meta({ id: 'CannedReplyResponse' });
export const CannedReplyList = wrapList(CannedReplyShape).meta({ id: 'CannedReplyList' });

/** Characters; the limit of carriers for one text. */
const MAX_LENGTH = 1_600;

export const CannedReplyRequest = z.object({ message: multilineText(MAX_LENGTH).min(1) }).meta({ id: 'CannedReplyRequest' });

export const cannedReplyParams = z.object({ id: id().describe('Canned reply id') });
export const cannedRepliesQuery = z.object(paging);

export function fromCannedReply({
  id: uuid,
  message,
  user,
  createdAt,
  updatedAt,
}: CannedReplyWithAuthor): z.input<typeof CannedReplyShape> {
  return {
    uuid,
    message,
    user: user && { uuid: user.id, firstname: user.firstName, lastname: user.lastName },
    created_at: writeInstant(createdAt),
    updated_at: writeInstant(updatedAt),
  };
}
