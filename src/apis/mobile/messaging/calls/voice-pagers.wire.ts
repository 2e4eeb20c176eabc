import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { VoiceMessage, VoiceMessageFilter } from '../../../../domain/messaging/calls/voice-messages.ts';
import { fullName } from '../../../../domain/values/person-names.ts';
import { writePhone } from '../../../../domain/values/phone-numbers.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { alsoNamed, filterNames, sameAs } from '../../../../http/input/query.ts';
import { dateBound, id, instant, paging, text } from '../../../../http/wire/wire-types.ts';
import { wrapList } from '../../shared.wire.ts';
import { contentAddress } from '../attachments/attachments.wire.ts';

const VoiceMessageShape = z
  .strictObject({
    uuid: z.int(),
    from: z.string().describe('Ten digits for a North American number; a word or empty if it was withheld'),
    number: z.string().describe('Number of the practice on which it was left'),
    number_id: z.int(),
    chat_id: z.int().nullable().describe('The call group that received it, even if the number rings another one now'),
    transcript: z.string().nullable(),
    duration_seconds: z.int().nullable(),
    attachment: z
      .strictObject({
        uuid: z.int(),
        file_name: z.string(),
        media_type: z.string(),
        byte_length: z.int(),
        url: z.string().describe('Address of the recording; requires a token'),
      })
      .nullable(),
    contact_uuid: z.int().nullable(),
    patient_uuid: z.int().nullable(),
    caller_name: z.string().nullable().describe('The patient who had the number at that time, otherwise the contact with that number'),
    received_at: instant(),
  })
  .meta({ id: 'VoicePagerMessage' });

export const VoiceMessageList = wrapList(VoiceMessageShape).meta({ id: 'VoicePagerMessageList' });

export const voiceMessagesQuery = z.object(paging);
export const voiceMessagesChatParams = z.object({ chat: id().describe('Chat id') });
export const voiceMessageSearch = z.object({
  from: z
    .string()
    .max(40)
    .transform((written) => written.replaceAll(/[\s().+-]/g, ''))
    .pipe(z.string().regex(/^\d{3,15}$/, 'must have 3 to 15 digits'))
    .meta({ minLength: 3, pattern: '^[0-9 ().+-]{3,40}$' })
    .optional()
    .describe('Sequence of digits in the caller’s number'),
  keyword: text(200).optional().describe('Words that must all occur in the transcript, in any case'),
  search: sameAs(text(200).optional(), 'keyword'),
  chat: alsoNamed(id().optional(), ...filterNames('chat')).describe('Chat id'),
  start_date: dateBound().optional().describe('ISO 8601; without an offset in the organization’s time zone'),
  end_date: dateBound().optional().describe('ISO 8601; a day counts to its end; without an offset in the organization’s time zone'),
  ...paging,
});

export function toVoiceMessageFilter({
  from,
  keyword = '',
  search = '',
  chat,
  start_date: min,
  end_date: max,
}: z.output<typeof voiceMessageSearch>): VoiceMessageFilter {
  return {
    from,
    words: `${keyword} ${search}`.split(/\s+/).filter((word) => word !== ''),
    chatId: chat,
    received: { min, max, fields: { min: 'start_date', max: 'end_date' } },
  };
}

export const fromVoiceMessage =
  (request: FastifyRequest) =>
  ({ attachment, phoneNumber, caller, ...message }: VoiceMessage): z.input<typeof VoiceMessageShape> => ({
    uuid: message.id,
    from: writePhone(message.fromNumber) ?? message.fromNumber,
    number: writePhone(phoneNumber.number) ?? phoneNumber.number,
    number_id: phoneNumber.id,
    chat_id: message.chatId,
    transcript: message.transcript,
    duration_seconds: message.durationSeconds,
    attachment: attachment && {
      uuid: attachment.id,
      file_name: attachment.fileName,
      media_type: attachment.mediaType,
      byte_length: attachment.byteLength,
      url: contentAddress(request, attachment),
    },
    contact_uuid: caller?.id ?? null,
    patient_uuid: caller?.isPatient ? caller.id : null,
    caller_name: caller && fullName(caller),
    received_at: writeInstant(message.receivedAt),
  });
