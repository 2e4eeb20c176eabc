import { Readable } from 'node:stream';
import { CarrierRefusal } from './carrier.ts';

/** Timeout of a complete download. */
const TIMEOUT_MS = 60_000;
const TWILIO = 'https://api.twilio.com';

export interface TwilioAccount {
  accountSid: string;
  authToken: string;
  /** Replaces https://api.twilio.com, for tests and for a proxy. */
  baseUrl?: string | undefined;
}

/**
 * Downloads a recording from Twilio as MP3. The address comes from a webhook, and the request carries the account's
 * password: so only recordings of this account at Twilio's host (or TWILIO_BASE_URL) are requested, and redirects are
 * not followed.
 * @throws CarrierRefusal `no_recording` for any other address and for a deleted recording; Error after which a retry
 *   may succeed
 */
export async function fetchTwilioRecording(account: TwilioAccount, url: string): Promise<Readable> {
  const path = pathAt(account, url, /^Recordings\/\w+$/);
  if (path === null) throw new CarrierRefusal('no_recording', 'The address is not of a recording at the carrier.');
  return read(await request(`${path}.mp3`, { account, redirect: 'error' }), 'no_recording');
}

/**
 * Downloads a picture of a text. Twilio answers with an address of its store, which is asked without the password: no other is.
 * @throws CarrierRefusal `no_picture` for any other address and for a deleted picture; Error after which a retry may succeed
 */
export async function fetchTwilioPicture(account: TwilioAccount, url: string): Promise<Readable> {
  const path = pathAt(account, url, /^Messages\/\w+\/Media\/\w+$/);
  if (path === null) throw new CarrierRefusal('no_picture', 'The address is not of a picture at the carrier.');
  const answer = await request(path, { account, redirect: 'manual' });
  if (answer.status < 300 || answer.status >= 400) return read(answer, 'no_picture');
  await answer.body?.cancel();
  const stored = URL.parse(answer.headers.get('location') ?? '', path);
  if (stored === null || !isStore(stored, account)) throw new CarrierRefusal('no_picture', 'The carrier redirected to an unknown store.');
  return read(await request(stored.href, { redirect: 'error' }), 'no_picture');
}

/** The stores of Twilio, as its documentation names them. */
function isStore({ protocol, host, pathname, origin }: URL, { baseUrl }: TwilioAccount): boolean {
  if (baseUrl !== undefined && origin === new URL(baseUrl).origin) return true;
  return (
    protocol === 'https:' &&
    (host === 'mms.twiliocdn.com' || (host === 's3-external-1.amazonaws.com' && pathname.startsWith('/media.twiliocdn.com/')))
  );
}

/** The address of a resource of the account at Twilio's host, or at the one in its place; null for any other. */
function pathAt({ accountSid, baseUrl = TWILIO }: TwilioAccount, url: string, resource: RegExp): string | null {
  const [, origin = '', account, path = ''] = /^(https?:\/\/[^/?#@]+)\/2010-04-01\/Accounts\/(\w+)\/([\w/]+)$/.exec(url) ?? [];
  const isOwn = [TWILIO, baseUrl].includes(origin) && account === accountSid && resource.test(path);
  return isOwn ? `${baseUrl}/2010-04-01/Accounts/${accountSid}/${path}` : null;
}

async function read(answer: Response, refusal: 'no_recording' | 'no_picture'): Promise<Readable> {
  if (answer.ok && answer.body) return Readable.fromWeb(answer.body);
  await answer.body?.cancel();
  // 404 may also mean that it is not available yet.
  if (answer.status === 410) throw new CarrierRefusal(refusal, 'The carrier no longer has it.');
  throw new Error(`the carrier answered ${answer.status}`);
}

interface RequestOptions {
  /** The account of the password that the request carries. */
  account?: TwilioAccount;
  redirect: 'error' | 'manual';
}

async function request(address: string, { account, redirect }: RequestOptions): Promise<Response> {
  const headers = account ? { authorization: `Basic ${Buffer.from(`${account.accountSid}:${account.authToken}`).toString('base64')}` } : {};
  try {
    return await fetch(address, { headers, redirect, signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch {
    // The original error contains the address.
    throw new Error('the carrier cannot be reached');
  }
}
