import twilio from 'twilio';
import type TwilioRequestClient from 'twilio/lib/base/RequestClient.js';
import type { Db } from '../database/database.ts';
import { type AvailableNumber, type Carrier, CarrierRefusal, type NumberSearch, type OutgoingText, statusAddress } from './carrier.ts';
import { fetchTwilioRecording } from './twilio-recordings.ts';
import { parseTwilioForm, writeTwiml } from './twilio-webhook.ts';

export interface TwilioOptions {
  accountSid: string;
  authToken: string;
  /** Instead of https://api.twilio.com: for tests, and for a proxy. */
  baseUrl?: string | undefined;
  /** Where Twilio tells what comes in on a number that is bought; null where this server cannot be reached from outside. */
  webhookUrl: string | null;
  /** For the ledger of attempts. */
  db: Db;
  timeoutMs?: number;
  /** How old an attempt without an answer must be before the next one is made: by then Twilio shows what came of it. */
  settleMs?: number;
}

/** Twilio, by its own library. */
export function createTwilioCarrier(options: TwilioOptions): Carrier {
  const { accountSid, authToken, baseUrl, db, webhookUrl, timeoutMs = 4_000, settleMs = 20_000 } = options;
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
        // It is gone already.
        if (!(error instanceof twilio.RestException && error.status === 404)) throw toCarrierError(error);
      }
    },
    readWebhook: async ({ url, headers, form }) => {
      const signature = headers['x-twilio-signature'];
      if (typeof signature !== 'string' || !twilio.validateRequest(authToken, signature, url, form))
        throw new CarrierRefusal('wrong_signature', 'The request is not the carrier’s.');
      return parseTwilioForm({ url, form });
    },
    respond: (instruction) => writeTwiml(instruction, webhookUrl),
    fetchRecording: (url) => fetchTwilioRecording(options, url),
  };
}

/** The library's own client, at another address. */
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
  const found = await client.availablePhoneNumbers('US').local.list(wanted).catch(throwCarrierError);
  return found.map(({ phoneNumber, friendlyName, locality, region, capabilities }) => ({
    number: phoneNumber,
    friendlyName,
    locality: locality || null,
    region: region || null,
    capabilities: readCapabilities(capabilities),
  }));
}

/** Twilio writes SMS here and sms there. */
function readCapabilities(written: object) {
  const able = new Set(Object.entries(written).flatMap(([name, isAble]) => (isAble ? [name.toLowerCase()] : [])));
  return { voice: able.has('voice'), sms: able.has('sms'), fax: able.has('fax') };
}

/** Twilio knows no references of ours: the friendly name keeps it, by which an earlier attempt is found again. */
async function purchase(
  client: Client,
  { number, reference }: { number: string; reference: string },
  webhookUrl: string | null,
): Promise<{ id: string }> {
  const before = await findOwnNumber(client, number);
  if (before?.friendlyName === reference) return { id: before.sid };
  if (before) throw new CarrierRefusal('number_taken', 'The number is in use already.');
  const urls = webhookUrl === null ? {} : { smsUrl: webhookUrl, voiceUrl: webhookUrl, statusCallback: webhookUrl };
  try {
    const { sid } = await client.incomingPhoneNumbers.create({ phoneNumber: number, friendlyName: reference, ...urls });
    return { id: sid };
  } catch (error) {
    const problem = toCarrierError(error);
    // Another process may have bought it for us since.
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
 * Twilio has no key under which a text is sent once. So an attempt is written down before it is made, and its answer
 * after. Where the answer is missing, the next attempt waits until Twilio must show what came of the first, and looks:
 * a text with these words between these numbers since then, of no other attempt, is this one. Only where there is none
 * is it sent again. What would still be sent twice is a text that Twilio takes and does not show for that long.
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
    // Of two that find nothing, one goes on.
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
    // An answer is an answer, also no: the next attempt need not look.
    const answered = error instanceof twilio.RestException && error.status < 500;
    if (answered) await db.carrierAttempt.deleteMany({ where: { reference, carrierId: null } });
    throw toCarrierError(error);
  }
}

async function storeCarrierId(db: Db, reference: string, carrierId: string): Promise<{ id: string }> {
  await db.carrierAttempt.update({ where: { reference }, data: { carrierId } });
  return { id: carrierId };
}

/** Clocks differ. */
const CLOCK_SKEW_MS = 60_000;

async function findSentText(client: Client, db: Db, { from, to, body }: OutgoingText, begunAt: Date): Promise<string | null> {
  const since = new Date(begunAt.getTime() - CLOCK_SKEW_MS);
  // Not by date of sending: what still waits at Twilio has none. The newest come first.
  const recent = await client.messages.list({ from, to, limit: 50 }).catch(throwCarrierError);
  const alike = recent.filter((message) => message.body === body && message.dateCreated >= since).map(({ sid }) => sid);
  const others = await db.carrierAttempt.findMany({ where: { carrierId: { in: alike } }, select: { carrierId: true } });
  const known = new Set(others.map(({ carrierId }) => carrierId));
  return alike.find((sid) => !known.has(sid)) ?? null;
}

/** Codes of Twilio that say something of their own. */
const REFUSAL_CODES: Record<number, string> = {
  21211: 'invalid_number',
  21614: 'invalid_number',
  21610: 'opted_out',
  21421: 'number_taken',
  21422: 'number_taken',
  21452: 'number_taken',
};
/** Not about what was asked: somebody has to mend the account, or time to pass. */
const TEMPORARY_STATUSES = [401, 403, 408, 429];

/** In words of ours: those of Twilio and of its HTTP client hold numbers and texts. */
function toCarrierError(error: unknown): Error {
  if (!(error instanceof twilio.RestException)) return new Error('the carrier cannot be reached');
  const { status, code } = error;
  if (status >= 500 || TEMPORARY_STATUSES.includes(status)) return new Error(`the carrier answered ${status}`);
  return new CarrierRefusal(REFUSAL_CODES[code ?? 0] ?? 'refused', `The carrier refuses this (${code ?? status}).`);
}

const throwCarrierError = (error: unknown): never => {
  throw toCarrierError(error);
};
