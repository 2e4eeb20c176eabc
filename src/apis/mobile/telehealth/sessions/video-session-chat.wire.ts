import { z } from 'zod';
import type { ChatMessage } from '../../../../domain/telehealth/sessions/chat.ts';
import { instant, paging } from '../../../../http/wire/wire-types.ts';
import { wrapList } from '../../shared.wire.ts';
import { sessionKey } from './video-sessions.wire.ts';

const ChatMessageShape = z
  .strictObject({
    uuid: z.int(),
    visit: z.int().describe('Number of the visit in its session; 0 before the first admission'),
    participant_id: z.int().describe('Participant of the session who wrote it'),
    role: z.string().describe('host or guest'),
    user_id: z.int().nullable().describe('User who wrote it; null for guests'),
    patient_uuid: z.int().nullable().describe('Patient who wrote it; null for users and for guests without a chart'),
    name: z.string().describe('Full name of a user or patient; for a guest without a chart, the name that the guest entered'),
    text: z.string(),
    sent_at: instant(),
  })
  .meta({ id: 'VideoSessionChatMessage' });

export const ChatList = wrapList(ChatMessageShape).meta({ id: 'VideoSessionChatMessageList' });

export const chatParams = z.object({ GUID: sessionKey().describe('Video session GUID or id') });
export const chatQuery = z.object(paging);

export const fromChatMessage = (message: ChatMessage): z.input<typeof ChatMessageShape> => ({
  uuid: message.id,
  visit: message.visit,
  participant_id: message.participant_id,
  role: message.role,
  user_id: message.user_id,
  patient_uuid: message.patient_id,
  name: message.name,
  text: message.text,
  sent_at: message.sent_at,
});
