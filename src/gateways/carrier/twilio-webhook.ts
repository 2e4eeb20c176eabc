import twilio from 'twilio';
import {
  type CallInstruction,
  type CarrierEvent,
  CarrierRefusal,
  type CarrierRequest,
  type CarrierResponse,
  referenceOf,
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

/** Twilio's error codes with a refusal code of their own. */
const REFUSAL_CODES: Record<number, string> = {
  21211: 'invalid_number',
  21614: 'invalid_number',
  21610: 'opted_out',
  21421: 'number_taken',
  21422: 'number_taken',
  21452: 'number_taken',
};

/** The refusal code of an error code of Twilio that has one. */
export const refusalCode = (code: number): string | undefined => REFUSAL_CODES[code];

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
    const pictures = picturesOf(form);
    const further = { ...(optOut ? { optOut } : {}), ...(pictures.length > 0 ? { pictures } : {}) };
    return from && to ? [{ kind: 'text', id, from, to, body: form.Body ?? '', at: new Date(), ...further }] : [];
  }
  const state = STATES[form.MessageStatus ?? form.SmsStatus ?? ''];
  const reason = state === 'failed' ? (refusalCode(Number(form.ErrorCode)) ?? form.ErrorCode ?? null) : null;
  return state ? [{ kind: 'status', id, reference: referenceOf(url), state, reason, at: new Date() }] : [];
}

/** As many as Twilio sends with one text. */
const MOST_PICTURES = 10;

function picturesOf(form: Form): string[] {
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
