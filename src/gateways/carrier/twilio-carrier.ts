import twilio from 'twilio';
import type TwilioRequestClient from 'twilio/lib/base/RequestClient.js';
import type { Db } from '../../database/database.ts';
import { type AvailableNumber, type Carrier, CarrierRefusal, type NumberSearch, type OutgoingText, statusAddress } from './carrier.ts';
import { fetchTwilioPicture, fetchTwilioRecording, type TwilioAccount } from './twilio-downloads.ts';
import { findTwilioRegistration, isTollFree, leavesAnswersToNumbers } from './twilio-registration.ts';
import { parseTwilioForm, refusalCode, writeTwiml } from './twilio-webhook.ts';

const TWILIO_SIGNATURE = 'x-twilio-signature';

export interface TwilioOptions extends TwilioAccount {
  /** Webhook address for purchased numbers; null where this server is not reachable from outside. */
  webhookUrl: string | null;
  /** The messaging service that numbers join, unless their practice has another; null or undefined for none. */
  messagingServiceSid?: string | null;
  /** Stores attempts to send. */
  db: Db;
  timeoutMs?: number;
  /** Milliseconds after which an unanswered attempt may be repeated: by then Twilio lists the text if it was accepted. */
  settleMs?: number;
}

export function createTwilioCarrier(options: TwilioOptions): Carrier {
  const { accountSid, authToken, baseUrl, db, webhookUrl, messagingServiceSid = null, timeoutMs = 4_000, settleMs = 20_000 } = options;
  const httpClient = baseUrl === undefined ? new twilio.RequestClient({ timeout: timeoutMs }) : new CustomBaseUrlClient(baseUrl, timeoutMs);
  const client = new twilio.Twilio(accountSid, authToken, { httpClient });
  return {
    name: 'twilio',
    sendText: (text) => sendOnce(client, db, settleMs, text),
    searchNumbers: (wanted) => search(client, wanted),
    purchaseNumber: (order) => purchase(client, order, webhookUrl),
    async releaseNumber(id) {
      try {
        await client.incomingPhoneNumbers(id).remove();
      } catch (error) {
        // The number is already released.
        if (!(error instanceof twilio.RestException && error.status === 404)) throw toCarrierError(error);
      }
    },
    findRegistration: ({ serviceId, ...number }) =>
      findTwilioRegistration(client, { ...number, serviceId: serviceId ?? messagingServiceSid }).catch(throwCarrierError),
    signatureHeader: TWILIO_SIGNATURE,
    readWebhook: async ({ url, headers, form }) => {
      const signature = headers[TWILIO_SIGNATURE];
      if (typeof signature !== 'string' || !twilio.validateRequest(authToken, signature, url, form))
        throw new CarrierRefusal('wrong_signature', 'The request is not the carrier’s.');
      return parseTwilioForm({ url, form });
    },
    respond: (instruction) => writeTwiml(instruction, webhookUrl),
    fetchRecording: (url) => fetchTwilioRecording(options, url),
    fetchPicture: (url) => fetchTwilioPicture(options, url),
    async check() {
      const { status } = await client.api.accounts(accountSid).fetch().catch(throwCarrierError);
      if (status !== 'active') throw new CarrierRefusal('account_not_active', `The account is ${status}.`);
      if (messagingServiceSid === null) return;
      if (!(await leavesAnswersToNumbers(client, messagingServiceSid).catch(throwCarrierError)))
        throw new CarrierRefusal(
          'answers_go_elsewhere',
          'The messaging service does not pass on replies. Set it to defer to the sender’s webhook.',
        );
    },
  };
}

class CustomBaseUrlClient extends twilio.RequestClient {
  readonly #baseUrl: string;

  constructor(baseUrl: string, timeout: number) {
    super({ timeout });
    this.#baseUrl = baseUrl;
  }

  override request<T>(call: TwilioRequestClient.RequestOptions<T>) {
    const { pathname, search: query } = new URL(call.uri);
    return super.request<T>({ ...call, uri: `${this.#baseUrl}${pathname}${query}` });
  }
}

type Client = InstanceType<typeof twilio.Twilio>;

async function search(client: Client, { areaCode, contains, limit }: NumberSearch): Promise<AvailableNumber[]> {
  const wanted = { areaCode: Number(areaCode), limit, ...(contains ? { contains } : {}) };
  const { local, tollFree } = client.availablePhoneNumbers('US');
  const found = await (isTollFree(`+1${areaCode}`) ? tollFree.list(wanted) : local.list(wanted)).catch(throwCarrierError);
  return found.map(({ phoneNumber, friendlyName, locality, region, capabilities }) => ({
    number: phoneNumber,
    friendlyName,
    locality: locality || null,
    region: region || null,
    capabilities: readCapabilities(capabilities),
  }));
}

/** Twilio writes SMS in some places and sms in others. */
function readCapabilities(written: object) {
  const able = new Set(Object.entries(written).flatMap(([name, isAble]) => (isAble ? [name.toLowerCase()] : [])));
  return { voice: able.has('voice'), sms: able.has('sms'), fax: able.has('fax') };
}

/** Twilio has no idempotency key for purchases: the reference is stored as the friendly name, by which an earlier attempt is found. */
async function purchase(
  client: Client,
  { number, reference }: { number: string; reference: string },
  webhookUrl: string | null,
): Promise<{ id: string }> {
  const before = await findOwnNumber(client, number);
  if (before?.friendlyName === reference) return { id: before.sid };
  if (before) throw new CarrierRefusal('number_taken', 'The number is already in use.');
  const urls = webhookUrl === null ? {} : { smsUrl: webhookUrl, voiceUrl: webhookUrl, statusCallback: webhookUrl };
  try {
    const { sid } = await client.incomingPhoneNumbers.create({ phoneNumber: number, friendlyName: reference, ...urls });
    return { id: sid };
  } catch (error) {
    const problem = toCarrierError(error);
    // Another process may have bought it for the practice meanwhile.
    const after = problem instanceof CarrierRefusal ? await findOwnNumber(client, number) : undefined;
    if (after?.friendlyName === reference) return { id: after.sid };
    throw problem;
  }
}

async function findOwnNumber(client: Client, phoneNumber: string) {
  const [found] = await client.incomingPhoneNumbers.list({ phoneNumber, limit: 1 }).catch(throwCarrierError);
  return found;
}

/**
 * Sends a text once, although Twilio has no idempotency key. An attempt is recorded before the request and its message
 * id after it. Where the id is missing, the next attempt waits until Twilio must list the message of the first, and
 * searches for it: a message with this body between these numbers since then that belongs to no other attempt. Only if
 * there is none is the text sent again. It would be sent twice only if Twilio accepts a text and does not list it for
 * that long.
 */
async function sendOnce(client: Client, db: Db, settleMs: number, text: OutgoingText): Promise<{ id: string }> {
  const { reference } = text;
  const begun = await db.carrierAttempt.createMany({ data: { reference }, skipDuplicates: true });
  if (begun.count === 0) {
    const { begunAt, carrierId } = await db.carrierAttempt.findUniqueOrThrow({ where: { reference } });
    if (carrierId) return { id: carrierId };
    if (Date.now() - begunAt.getTime() < settleMs) throw new Error('an earlier attempt at this text has no answer yet');
    const sent = await findSentText(client, db, text, begunAt);
    if (sent) return storeCarrierId(db, reference, sent);
    // Of two processes that find nothing, one continues.
    const mine = await db.carrierAttempt.updateMany({ where: { reference, begunAt, carrierId: null }, data: { begunAt: new Date() } });
    if (mine.count === 0) throw new Error('another attempt at this text is being made');
  }
  return storeCarrierId(db, reference, await send(client, db, text));
}

async function send(client: Client, db: Db, { reference, from, to, body, statusUrl }: OutgoingText): Promise<string> {
  try {
    const { sid } = await client.messages.create({
      from,
      to,
      body,
      ...(statusUrl === null ? {} : { statusCallback: statusAddress(statusUrl, reference) }),
    });
    return sid;
  } catch (error) {
    // A refusal is an answer too: the next attempt need not search for the text.
    const answered = error instanceof twilio.RestException && error.status < 500;
    if (answered) await db.carrierAttempt.deleteMany({ where: { reference, carrierId: null } });
    throw toCarrierError(error);
  }
}

async function storeCarrierId(db: Db, reference: string, carrierId: string): Promise<{ id: string }> {
  await db.carrierAttempt.update({ where: { reference }, data: { carrierId } });
  return { id: carrierId };
}

/**
 * How far before the attempt Twilio may have made its message, by clocks that differ. Each older message with the
 * same words belongs to an attempt that is kept for longer than this.
 */
const MOST_SKEW_MS = 24 * 3_600_000;

async function findSentText(client: Client, db: Db, { from, to, body }: OutgoingText, begunAt: Date): Promise<string | null> {
  const since = new Date(begunAt.getTime() - MOST_SKEW_MS);
  // Not filtered by sending date, which texts waiting at Twilio do not have. Newest first.
  const recent = await client.messages.list({ from, to, limit: 50 }).catch(throwCarrierError);
  const alike = recent.filter((message) => message.body === body && message.dateCreated >= since).map(({ sid }) => sid);
  const others = await db.carrierAttempt.findMany({ where: { carrierId: { in: alike } }, select: { carrierId: true } });
  const known = new Set(others.map(({ carrierId }) => carrierId));
  return alike.find((sid) => !known.has(sid)) ?? null;
}

/** Statuses that are not about the request itself: the account must be fixed, or time must pass. */
const TEMPORARY_STATUSES = [401, 403, 408, 429];

/** An error without Twilio's message, which may contain numbers and texts. */
function toCarrierError(error: unknown): Error {
  if (!(error instanceof twilio.RestException)) return new Error('the carrier cannot be reached');
  const { status, code } = error;
  if (status >= 500 || TEMPORARY_STATUSES.includes(status)) return new Error(`the carrier answered ${status}`);
  return new CarrierRefusal(refusalCode(code ?? 0) ?? 'refused', `The carrier refuses this (${code ?? status}).`);
}

const throwCarrierError = (error: unknown): never => {
  throw toCarrierError(error);
};
