import { PNG } from '../../apis/mobile/messaging/attachments/uploading.ts';
import { type Ask, readId, valueAt } from './recorder.ts';

const ONE = { limit: 1 };

/** Contacts with their tags, templates, texts, and messages behind a link. */
export async function textExamples(ask: Ask, { patient, appointment }: { patient: number; appointment: number }): Promise<void> {
  const contact = readId(await ask('listContacts', { query: ONE }));
  await ask('getContact', { path: { id: contact } });
  await ask('recordConsent', { path: { id: contact }, body: { texts: true, note: 'By telephone, after a STOP by mistake' } });
  await ask('listConsent', { path: { id: contact }, query: ONE });
  await ask('listContactTags', { query: ONE });
  const tag = readId(await ask('createContactTag', { body: { name: 'Interpreter', color: '#3366cc' } }));
  await ask('updateContactTag', { path: { uuid: tag }, body: { color: '#336699' } });
  const link = readId(await ask('createContactContactTag', { path: { uuid: contact }, body: { contact_tag_uuid: tag } }));
  await ask('listContactContactTags', { query: { contact_uuid: contact, ...ONE } });
  await ask('deleteContactContactTag', { path: { uuid: link } });
  await ask('deleteContactTag', { path: { uuid: tag } });
  await ask('listCannedReplies', { query: ONE });
  const reply = readId(await ask('createCannedReply', { body: { message: 'We will call you back today.' } }));
  await ask('getCannedReply', { path: { id: reply } });
  await ask('updateCannedReply', { path: { id: reply }, body: { message: 'We will call you back tomorrow.' } });

  await ask('listSmsTemplates', { query: ONE });
  const template = readId(
    await ask('createSmsTemplate', {
      body: { category: 'confirmation', name: 'Short reminder', body: 'Hello [patient_first_name], will you come?', tracks_response: 1 },
    }),
  );
  await ask('updateSmsTemplate', { path: { uuid: template }, body: { body: 'Hello, will you come?' } });
  await ask('activateSmsTemplate', { path: { 'template-uuid': template } });
  await ask('renderSmsTemplate', { path: { uuid: template }, query: { appointment_id: appointment } });
  await ask('previewSmsTemplate', { path: { uuid: template }, query: { appointment_id: appointment } });
  await ask('renderTrackingSmsTemplate', { path: { uuid: template }, query: { patient_id: patient } });
  await ask('sendAppointmentSms', { path: { uuid: appointment }, body: { message: 'Please bring your glasses.' } });
  await ask('deleteSmsTemplate', { body: { uuid: template } });
  const reminders = { kind: 'reminder', enabled: true, offsets: ['7d', '1d', '2h'] };
  await ask('updateVisitMessageRules', { body: { data: [reminders, { kind: 'cancelled', enabled: true }] } });
  await ask('listVisitMessageRules');
  const coming = await ask('listVisitMessages', { path: { uuid: appointment }, query: ONE });
  await ask('skipVisitMessage', { path: { uuid: appointment, message: valueAt(coming, 'data', '0', 'id') } });
  await ask('listSmsMessages', { query: ONE });
  await conversationExamples(ask, reply);
  await ask('deleteCannedReply', { path: { id: reply } });
  await ask('reportSmsMessages', { query: { min_date: '2026-01-01', max_date: '2026-01-31' } });

  const file = await ask('uploadAttachment', { files: { file: ['picture.png', new Uint8Array(PNG)] } });
  await ask('getAttachmentContent', { path: { attachment: readId(file), filename: 'picture.png' } });
  const message = readId(
    await ask('createExternalMessage', {
      body: { sent_to: 'sam@example.com', subject: 'Results', message: 'All is well.', extra_auth: 1 },
    }),
  );
  await ask('listExternalMessages', { query: ONE });
  await ask('getExternalMessage', { path: { external_message: message } });
  await ask('withdrawExternalMessage', { path: { external_message: message } });
}

/** What somebody wrote, and an answer that is changed and withdrawn. */
async function conversationExamples(ask: Ask, reply: number): Promise<void> {
  const open = await ask('listConversations', { query: { open: 1, ...ONE } });
  const number = valueAt(open, 'data', '0', 'number');
  const messages = await ask('listConversationMessages', { path: { number }, query: ONE });
  const id = readId(messages);
  await ask('fileConversationMessage', {
    path: { number, id },
    body: { patient_uuid: valueAt(open, 'data', '0', 'patients', '0', 'uuid') },
  });
  const answer = readId(await ask('answerConversation', { path: { number }, body: { canned_reply_id: reply } }));
  await ask('getSmsMessage', { path: { uuid: answer } });
  await ask('updateSmsMessage', { path: { uuid: answer }, body: { message: 'We will call you back on Friday.' } });
  await ask('withdrawSmsMessage', { path: { uuid: answer } });
}

/** Numbers, calls, voice pagers. */
export async function numberExamples(ask: Ask): Promise<void> {
  const available = await ask('listAvailableNumbers', { query: { areaCode: '919', limit: 2 } });
  const [first, second] = ['0', '1'].map((index) => valueAt(available, 'data', index, 'number'));
  await ask('purchaseNumber', { body: { number: first } });
  const faxes = await ask('listFaxNumbers', { query: ONE });
  const chat = valueAt(faxes, 'data', '0', 'chat_id');
  await ask('listFaxNumbersOfChat', { path: { chat_id: chat }, query: ONE });
  await ask('createFaxNumber', { body: { number: second, chat_id: chat } });
  await ask('deleteFaxNumber', { path: { uuid: readId(faxes) } });
  const pagers = await ask('listVoicePagerNumbers', { query: ONE });
  const onCall = valueAt(pagers, 'data', '0', 'chat_id');
  await ask('listVoicePagerNumbersOfChat', { path: { chat_id: onCall }, query: ONE });
  await ask('createVoicePagerNumber', { body: { number: first, chat_id: onCall } });
  await ask('deleteVoicePagerNumber', { path: { uuid: readId(pagers) } });
  await ask('getCallGroup', { path: { chat_id: chat } });
  for (const list of ['listIncomingCalls', 'listVoicePagerMessages']) await ask(list, { query: ONE });
  await ask('searchVoicePagerMessages', { query: { keyword: 'call', ...ONE } });
  await ask('listVoicePagerMessagesOfChat', { path: { chat: onCall }, query: ONE });
}

/** The inbox of the call groups. */
export async function inboxExamples(ask: Ask, user: number): Promise<void> {
  const pagers = await ask('listVoicePagerNumbers', { query: ONE });
  const chat = valueAt(pagers, 'data', '0', 'chat_id');
  const item = readId(await ask('listInbox', { query: { chat_id: chat, open: 1, ...ONE } }));
  await ask('getInboxItem', { path: { uuid: item } });
  await ask('assignInboxItem', { path: { uuid: item }, body: { user_uuid: user } });
  await ask('acknowledgeInboxItem', { path: { uuid: item }, body: { entry_count: 1 } });
  await ask('closeInboxItem', { path: { uuid: item }, body: { note: 'Called back. All is well.' } });
  const faxes = await ask('listFaxNumbers', { query: ONE });
  await ask('setTextAlerts', { path: { chat_id: valueAt(faxes, 'data', '0', 'chat_id') }, body: { text_alerts: false } });
}
