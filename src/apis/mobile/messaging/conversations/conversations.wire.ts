import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { invalid, neitherGiven } from '../../../../domain/errors.ts';
import type { AnswerWords, ConversationAnswer } from '../../../../domain/messaging/conversations/conversation-answers.ts';
import type { Conversation, ConversationListFilter, ConversationText } from '../../../../domain/messaging/conversations/conversations.ts';
import { checkSendAt } from '../../../../domain/messaging/queue/send-at.ts';
import { MAX_TEXT_LENGTH } from '../../../../domain/messaging/templates/sms-segments.ts';
import { requireKnownPlaceholders } from '../../../../domain/messaging/templates/template-wordings.ts';
import { readPhone, writePhone } from '../../../../domain/values/phone-numbers.ts';
import { alsoNamed, filterNames } from '../../../../http/input/query.ts';
import { withChecks } from '../../../../http/wire/checked-shapes.ts';
import { bit, id, longId, multilineText, optional, PATTERNS, pagingByPosition, reading, text } from '../../../../http/wire/wire-types.ts';
import { CanTextShape, fromCanText } from '../../can-text.wire.ts';
import { dryRunField } from '../../message-preview.wire.ts';
import { fromPerson, PersonShape } from '../../people/people.wire.ts';
import { sendAt } from '../../send-at.wire.ts';
import { one, wrapList } from '../../shared.wire.ts';
import { urgency } from '../inbox/inbox.wire.ts';
import { fromText, TextShape } from '../texts/sms-messages.wire.ts';
import { fromHolder, Holder } from './holders.wire.ts';

const ConversationShape = z
  .strictObject({
    number: z.string().describe('Telephone number of the other party, which identifies the conversation in paths'),
    contact_uuid: z.int().nullable().describe('Contact id of the first patient, or of a number without a patient; null if there is none'),
    patients: z.array(Holder).describe('Patients who have the number now; a text from it is filed with the first'),
    shared_with: z.array(PersonShape).describe('Further patients who share the number'),
    latest: TextShape.describe('The newest text'),
    inbox: z
      .array(
        z.strictObject({
          uuid: z.int().describe('Inbox item id'),
          state: z.enum(['waiting', 'acknowledged']),
          urgency,
        }),
      )
      .describe('Its open inbox items, urgent ones first'),
    can_text: CanTextShape,
  })
  .meta({ id: 'Conversation' });

const ConversationTextShape = z
  .strictObject({
    ...TextShape.shape,
    other_patients: z.array(Holder).describe('Other patients who have the number now and may have sent the text'),
  })
  .meta({ id: 'ConversationMessage' });

export const ConversationList = wrapList(ConversationShape).meta({ id: 'ConversationList' });
export const ConversationTextList = wrapList(ConversationTextShape).meta({ id: 'ConversationMessageList' });
export const ConversationTextResponse = one(ConversationTextShape).meta({ id: 'ConversationMessageResponse' });

/** Numbers as carriers write them, also some that nobody could dial, such as short codes. */
const AS_CARRIERS_WRITE = /^(?:\+[1-9]\d{6,14}|\d{3,6})$/;

const number = text(40)
  .transform(
    reading(
      (written) => readPhone(written) ?? (AS_CARRIERS_WRITE.test(written) ? written : null),
      'must be a telephone number such as +19105550123',
    ),
  )
  .meta({ pattern: PATTERNS.phone })
  .describe('Telephone number in E.164, such as +19105550123; ten digits are a North American one');

export const conversationParams = z.object({ number });
export const messageParams = z.object({ number, id: longId().describe('Text id') });

const patient = alsoNamed(id().optional(), ...filterNames('patient'));

export const conversationsQuery = z.object({
  patient: patient.describe('Patient id: only conversations with a text of this patient'),
  contact: alsoNamed(id().optional(), ...filterNames('contact')).describe('Contact id: only conversations with this contact'),
  open: bit().optional().describe('1: only conversations with an open inbox item; 0: only those without one'),
  mine: bit()
    .default(false)
    .describe(
      '1: only conversations with an open item that is assigned to you, or that is unassigned and belongs to your call group or the whole practice',
    ),
  ...pagingByPosition,
});

export const messagesQuery = z.object({
  contact: alsoNamed(id().optional(), ...filterNames('contact'), ...filterNames('patient')).describe(
    'Contact or patient id: only texts filed with this patient or, for the contact of a number, texts filed with no patient',
  ),
  ...pagingByPosition,
});

export const toConversationFilter = ({
  patient: patientId,
  contact: contactId,
  open,
  mine,
}: z.output<typeof conversationsQuery>): ConversationListFilter => ({
  patientId,
  contactId,
  open,
  mine,
});

export const AnswerRequest = withChecks(
  z
    .object({
      message: optional(multilineText(MAX_TEXT_LENGTH)).describe('Your own words; placeholders are filled in'),
      canned_reply_id: optional(id()).describe('Canned reply to send instead'),
      template_id: optional(id()).describe('Template to send instead, in the patient’s language'),
      appointment_id: optional(longId()).describe('Appointment of the text; required by a template that asks for a yes or no'),
      patient_uuid: optional(id()).describe(
        'Patient to file it with; by default the patient of the newest text if they still have the number, otherwise the first who has it',
      ),
      send_at: sendAt(),
      ...dryRunField,
    })
    .meta({ id: 'ConversationAnswer' }),
  { besideOthers: { message: (written) => requireKnownPlaceholders(written, 'message'), send_at: checkSendAt } },
);

export const FileRequest = z
  .object({ patient_uuid: id().nullable().describe('Patient to file the text with; null for none') })
  .meta({ id: 'ConversationMessageFiling' });

/** @throws Failure invalid where it has no words, or words of two kinds */
export function toAnswer(body: z.output<typeof AnswerRequest>): ConversationAnswer {
  return {
    words: toAnswerWords(body),
    patientId: body.patient_uuid ?? undefined,
    appointmentId: body.appointment_id ?? undefined,
    sendAt: body.send_at ?? undefined,
  };
}

function toAnswerWords({ message, canned_reply_id: cannedReplyId, template_id: templateId }: z.output<typeof AnswerRequest>): AnswerWords {
  const given = [
    ...(message == null ? [] : [{ message }]),
    ...(cannedReplyId == null ? [] : [{ cannedReplyId }]),
    ...(templateId == null ? [] : [{ templateId }]),
  ];
  const [words, other] = given;
  if (!words) throw neitherGiven('message', 'templateId');
  if (other)
    throw invalid(
      Object.keys(other)[0] ?? '',
      'must be given alone, without the other two of message, canned_reply_id and template_id',
      'contradiction',
    );
  return words;
}

export const fromConversation = (
  request: FastifyRequest,
  { number: with_, contactId, holders, latest, items, canText }: Conversation,
): z.input<typeof ConversationShape> => ({
  number: writePhone(with_) ?? '',
  contact_uuid: contactId,
  patients: holders.map(fromHolder),
  shared_with: holders.slice(1).map(fromPerson),
  latest: fromText(request, latest),
  inbox: items.map(({ id: uuid, urgent, acknowledged }) => ({
    uuid,
    state: acknowledged ? 'acknowledged' : 'waiting',
    urgency: urgent ? 'urgent' : 'normal',
  })),
  can_text: fromCanText(canText),
});

export const fromConversationText = (
  request: FastifyRequest,
  { others, ...message }: ConversationText,
): z.input<typeof ConversationTextShape> => ({
  ...fromText(request, message),
  other_patients: others.map(fromHolder),
});
