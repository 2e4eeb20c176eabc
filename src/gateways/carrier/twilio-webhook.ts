import twilio from 'twilio';
import {
  type CallInstruction,
  type CarrierEvent,
  CarrierRefusal,
  type CarrierRequest,
  type CarrierResponse,
  readReference,
} from './carrier.ts';

type Form = CarrierRequest['form'];

/** Twilio's message statuses that are reported; the others are intermediate. */
const STATES: Record<string, 'sent' | 'delivered' | 'failed'> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'delivered',
  undelivered: 'failed',
  failed: 'failed',
};

/** Of texts that Twilio's opt-out management took for a keyword, in whatever words a practice gave it, and replied to. */
const OPT_OUT_TYPES: Record<string, 'stop' | 'start' | 'help'> = { STOP: 'stop', START: 'start', HELP: 'help' };

/** Twilio's error codes by the refusal code that they have here. */
const CODES: Record<string, readonly number[]> = {
  invalid_number: [21211, 21612, 21614, 21635, 30005, 30006],
  opted_out: [21610],
  number_taken: [21421, 21422, 21452],
  region_not_enabled: [21408],
  account_suspended: [30002],
  unreachable: [30003],
  message_blocked: [30004],
  filtered: [30007],
  undeliverable: [30008, 30036],
  too_many_texts: [30001, 30022, 30023, 30027],
  toll_free_not_verified: [30031, 30032],
  campaign_suspended: [30033, 30990],
  number_not_registered: [30034],
  registration_pending: [30035],
  taken_for_fraud: [30450, 30453],
};
const REFUSAL_CODES = new Map(Object.entries(CODES).flatMap(([code, numbers]) => numbers.map((number) => [number, code] as const)));

/** The refusal code of an error code of Twilio that has one. */
export const refusalCode = (code: number): string | undefined => REFUSAL_CODES.get(code);

/** Parses a form of Twilio: delivery status, inbound text, call, or voice message. Empty for intermediate statuses. */
export function parseTwilioForm({ url, form }: Pick<CarrierRequest, 'url' | 'form'>): CarrierEvent[] {
  if (form.RecordingSid) return voiceMessage(form);
  if (form.CallSid) return call(form);
  const id = form.MessageSid ?? form.SmsSid;
  if (!id) throw new CarrierRefusal('malformed', 'The form is not an event of Twilio: it has no id of a message, call or recording.');
  // Only inbound texts have this status.
  if (form.SmsStatus === 'received' || form.MessageStatus === 'received') {
    const { From: from, To: to } = form;
    const optOut = OPT_OUT_TYPES[form.OptOutType?.toUpperCase() ?? ''];
    const pictures = listPictures(form);
    const further = { ...(optOut ? { optOut } : {}), ...(pictures.length > 0 ? { pictures } : {}) };
    return from && to ? [{ kind: 'text', id, from, to, body: form.Body ?? '', at: new Date(), ...further }] : [];
  }
  const state = STATES[form.MessageStatus ?? form.SmsStatus ?? ''];
  const reason = state === 'failed' ? (refusalCode(Number(form.ErrorCode)) ?? form.ErrorCode ?? null) : null;
  return state ? [{ kind: 'status', id, reference: readReference(url), state, reason, at: new Date() }] : [];
}

/** As many as Twilio sends with one text. */
const MOST_PICTURES = 10;

function listPictures(form: Form): string[] {
  const count = /^\d{1,2}$/.test(form.NumMedia ?? '') ? Math.min(Number(form.NumMedia), MOST_PICTURES) : 0;
  return Array.from({ length: count }, (_, at) => form[`MediaUrl${at}`] ?? '').filter((url) => url !== '');
}

/** Call progress: ringing, and at the end the duration. */
function call({ CallSid: id = '', From: from, To: to, CallStatus: status, Timestamp, CallDuration, Direction }: Form): CarrierEvent[] {
  if (!from || !to || !status || Direction?.startsWith('outbound')) return [];
  const at = new Date(Timestamp ?? Number.NaN);
  const now = Number.isNaN(at.getTime()) ? new Date() : at;
  const isOver = ['completed', 'busy', 'failed', 'no-answer', 'canceled'].includes(status);
  const startedAt = new Date(now.getTime() - (isOver ? (seconds(CallDuration) ?? 0) : 0) * 1_000);
  return [{ kind: 'call', id, from, to, status, startedAt, endedAt: isOver ? now : null }];
}

/**
 * Twilio reports a voice message twice: with its recording, and later with its transcript. Both reports have the recording's id.
 * A report that lacks one of the two numbers is ignored.
 */
function voiceMessage({
  RecordingSid: id = '',
  From: from,
  To: to,
  RecordingUrl,
  RecordingDuration,
  TranscriptionText,
}: Form): CarrierEvent[] {
  if (!from || !to) return [];
  return [
    {
      kind: 'voice_message',
      id,
      from,
      to,
      transcript: TranscriptionText || null,
      durationSeconds: seconds(RecordingDuration),
      recordingUrl: RecordingUrl || null,
      at: new Date(),
    },
  ];
}

const seconds = (text: string | undefined): number | null => (text && /^\d{1,6}$/.test(text) ? Number(text) : null);

/** Twilio transcribes no longer message. */
const LONGEST_MESSAGE_SECONDS = 120;
const SILENCE_SECONDS = 10;

/**
 * Writes an instruction as TwiML. The recording is reported to the address of the webhook, its transcript to
 * transcriptUrl; null for no transcript.
 */
export function writeTwiml(instruction: CallInstruction, transcriptUrl: string | null): CarrierResponse {
  const response = new twilio.twiml.VoiceResponse();
  if (instruction.kind === 'reject') response.reject();
  if (instruction.kind === 'take_message') {
    response.say(instruction.greeting);
    const transcribing = transcriptUrl === null ? {} : { transcribe: true, transcribeCallback: transcriptUrl };
    response.record({ maxLength: LONGEST_MESSAGE_SECONDS, timeout: SILENCE_SECONDS, ...transcribing });
  }
  return { contentType: 'text/xml; charset=utf-8', body: response.toString() };
}
