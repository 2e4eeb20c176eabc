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
export async function fetchTwilioRecording({ accountSid, authToken, baseUrl = TWILIO }: TwilioAccount, url: string): Promise<Readable> {
  const [, origin = '', account, recording] = /^(https?:\/\/[^/?#@]+)\/2010-04-01\/Accounts\/(\w+)\/Recordings\/(\w+)$/.exec(url) ?? [];
  if (![TWILIO, baseUrl].includes(origin) || account !== accountSid)
    throw new CarrierRefusal('no_recording', 'The address is not that of a recording at the carrier.');
  const answer = await requestRecording(
    `${baseUrl}/2010-04-01/Accounts/${accountSid}/Recordings/${recording}.mp3`,
    `${accountSid}:${authToken}`,
  );
  if (answer.ok && answer.body) return Readable.fromWeb(answer.body);
  await answer.body?.cancel();
  // 404 may also mean that the recording is not available yet.
  if (answer.status === 410) throw new CarrierRefusal('no_recording', 'The carrier has the recording no longer.');
  throw new Error(`the carrier answered ${answer.status}`);
}

async function requestRecording(address: string, account: string): Promise<Response> {
  const authorization = `Basic ${Buffer.from(account).toString('base64')}`;
  try {
    return await fetch(address, { headers: { authorization }, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch {
    // The original error contains the address.
    throw new Error('the carrier cannot be reached');
  }
}
