import type { Readable } from 'node:stream';

/** The telephone network behind one interface: texts, numbers, and what comes in. */
export interface Carrier {
  /** Which one it is; rows keep it beside the ids that it gave. */
  readonly name: 'local' | 'twilio';
  /**
   * Hands a text over. The same reference again is the same text: nothing is sent a second time, and its id is answered.
   * @throws CarrierRefusal where it will never be taken; any other error means that trying again later may help
   */
  sendText(text: OutgoingText): Promise<{ id: string }>;
  /** Numbers that can be had. */
  searchNumbers(wanted: NumberSearch): Promise<AvailableNumber[]>;
  /** The same reference again is the same purchase. @throws CarrierRefusal where somebody else has it */
  purchaseNumber(order: { number: string; reference: string }): Promise<{ id: string }>;
  releaseNumber(id: string): Promise<void>;
  /** What a request of the carrier says. @throws CarrierRefusal `wrong_signature` where it is not the carrier's */
  readWebhook(request: CarrierRequest): Promise<CarrierEvent[]>;
  /** What to answer such a request with. */
  respond(instruction: CallInstruction): CarrierResponse;
  /**
   * The bytes of a recording that it told of.
   * @throws CarrierRefusal where there is none, or the address is not the carrier's; any other error means that trying again later may help
   */
  fetchRecording(url: string): Promise<Readable>;
}

export interface OutgoingText {
  /** Names the text on our side, for ever. */
  reference: string;
  /** E.164, as every number here. */
  from: string;
  to: string;
  body: string;
  /** Where the carrier reports what becomes of it, the reference added; null where this server cannot be reached from outside. */
  statusUrl: string | null;
}

export interface NumberSearch {
  /** Three digits. */
  areaCode: string;
  /** `*` is any digit, letters are those of the keypad. */
  contains?: string;
  limit: number;
}

export interface AvailableNumber {
  number: string;
  /** As people write it: (910) 555-0123. */
  friendlyName: string;
  locality: string | null;
  region: string | null;
  capabilities: { voice: boolean; sms: boolean; fax: boolean };
}

export interface CarrierRequest {
  /** The whole address that the carrier asked for. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  /** The form as it came. */
  form: Record<string, string>;
}

export type CarrierEvent =
  | {
      kind: 'status';
      id: string;
      /** Of the text that it is about: what reportAddress put there. */
      reference: string | null;
      state: 'sent' | 'delivered' | 'failed';
      reason: string | null;
      at: Date;
    }
  | { kind: 'text'; id: string; from: string; to: string; body: string; at: Date }
  | { kind: 'call'; id: string; from: string; to: string; status: string; startedAt: Date; endedAt: Date | null }
  | {
      kind: 'voice_message';
      id: string;
      from: string;
      to: string;
      transcript: string | null;
      durationSeconds: number | null;
      /** Where the carrier keeps the recording. */
      recordingUrl: string | null;
      at: Date;
    };

/** What the carrier is to do now: with a call that has just come in, or with nothing. */
export type CallInstruction = { kind: 'nothing' } | { kind: 'reject' } | { kind: 'take_message'; greeting: string };

export interface CarrierResponse {
  contentType: string;
  body: string;
}

const REFERENCE = 'reference';

/**
 * Where reports of one text go. The text's reference is part of the address, which carriers sign with the rest: so a report
 * finds its text in whatever organization, also one that is here before the carrier's own id of the text.
 */
export function statusAddress(statusUrl: string, reference: string): string {
  const address = new URL(statusUrl);
  address.searchParams.set(REFERENCE, reference);
  return address.href;
}

/** The reference that an address was given by reportAddress, or null. */
export const referenceOf = (address: string): string | null => URL.parse(address)?.searchParams.get(REFERENCE) ?? null;

/** The carrier says no, and will go on saying so. */
export class CarrierRefusal extends Error {
  /** Stable: `invalid_number`, `opted_out`, `number_taken`, `wrong_signature`, `malformed`, `no_recording` … */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
