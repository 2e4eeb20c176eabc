import type { Readable } from 'node:stream';

/** Interface to a telephone carrier: texts, numbers, inbound events and recordings. */
export interface Carrier {
  /** Name of the carrier, stored beside the ids that it assigns. */
  readonly name: 'local' | 'twilio';
  /**
   * Hands over a text. A repeated reference is the same text: nothing is sent again, and the same id is returned.
   * @throws CarrierRefusal for a permanent refusal; after any other error a retry may succeed
   */
  sendText(text: OutgoingText): Promise<{ id: string }>;
  searchNumbers(wanted: NumberSearch): Promise<AvailableNumber[]>;
  /** Buys a number. A repeated reference is the same purchase. @throws CarrierRefusal where somebody else has the number */
  purchaseNumber(order: { number: string; reference: string }): Promise<{ id: string }>;
  releaseNumber(id: string): Promise<void>;
  /**
   * Whether carriers of the United States take texts from a number. A number that is in no messaging service joins the one that is set.
   * @throws CarrierRefusal where that service does not take it
   */
  findRegistration(number: CarrierNumber): Promise<Registration>;
  readonly signatureHeader: string;
  /**
   * Verifies and parses a webhook request.
   * @throws CarrierRefusal `wrong_signature` for a request of somebody else, `malformed` for an unreadable one
   */
  readWebhook(request: CarrierRequest): Promise<CarrierEvent[]>;
  respond(instruction: CallInstruction): CarrierResponse;
  /**
   * Downloads a recording that a webhook event named.
   * @throws CarrierRefusal for a deleted recording or an address outside of the carrier; after any other error a retry
   *   may succeed
   */
  fetchRecording(url: string): Promise<Readable>;
  /** The same for a picture, or another file, of a text. */
  fetchPicture(url: string): Promise<Readable>;
  /** Looks at the account, and at the messaging service of the server. @throws Error where one cannot be used */
  check(): Promise<void>;
}

export interface OutgoingText {
  /** Permanent name of the text on our side. */
  reference: string;
  /** E.164, as are all numbers of this interface. */
  from: string;
  to: string;
  body: string;
  /** Address for delivery reports, to which the reference is added; null where this server is not reachable from outside. */
  statusUrl: string | null;
}

export type Registration = 'unregistered' | 'pending' | 'registered';

export interface CarrierNumber {
  id: string;
  /** E.164. */
  number: string;
  /** Messaging service of the practice; null for that of the server. */
  serviceId: string | null;
}

export interface NumberSearch {
  /** Three digits. */
  areaCode: string;
  /** `*` matches any digit; letters are those of a telephone keypad. */
  contains?: string;
  limit: number;
}

export interface AvailableNumber {
  number: string;
  /** In national format: (910) 555-0123. */
  friendlyName: string;
  locality: string | null;
  region: string | null;
  capabilities: { voice: boolean; sms: boolean; fax: boolean };
}

export interface CarrierRequest {
  /** The full address of the request. */
  url: string;
  headers: Record<string, string | string[] | undefined>;
  /** The form fields, unchanged. */
  form: Record<string, string>;
}

export type CarrierEvent =
  | {
      kind: 'status';
      id: string;
      /** Reference of the text, from the address of statusAddress. */
      reference: string | null;
      state: 'sent' | 'delivered' | 'failed';
      reason: string | null;
      at: Date;
    }
  | {
      kind: 'text';
      id: string;
      from: string;
      to: string;
      body: string;
      /** Addresses of its pictures and other files at the carrier. */
      pictures?: string[] | undefined;
      at: Date;
      /** The keyword that the carrier took the text for and has replied to. */
      optOut?: 'stop' | 'start' | 'help' | undefined;
    }
  | { kind: 'call'; id: string; from: string; to: string; status: string; startedAt: Date; endedAt: Date | null }
  | {
      kind: 'voice_message';
      id: string;
      from: string;
      to: string;
      transcript: string | null;
      durationSeconds: number | null;
      /** Address of the recording at the carrier. */
      recordingUrl: string | null;
      at: Date;
    };

/** Instruction to the carrier: for a call that has just come in, or nothing. */
export type CallInstruction = { kind: 'nothing' } | { kind: 'reject' } | { kind: 'take_message'; greeting: string };

export interface CarrierResponse {
  contentType: string;
  body: string;
}

const REFERENCE = 'reference';

/**
 * Address for the delivery reports of one text. It contains the text's reference, which the carrier's signature covers;
 * so a report finds its text in any organization, even before the carrier's id of the text is stored.
 */
export function statusAddress(statusUrl: string, reference: string): string {
  const address = new URL(statusUrl);
  address.searchParams.set(REFERENCE, reference);
  return address.href;
}

export const readReference = (address: string): string | null => URL.parse(address)?.searchParams.get(REFERENCE) ?? null;

/** A permanent refusal of the carrier. */
export class CarrierRefusal extends Error {
  /** Stable code: `invalid_number`, `opted_out`, `number_taken`, `wrong_signature`, `malformed`, `no_recording`, `no_picture` … */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
