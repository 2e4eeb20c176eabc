import { Readable } from 'node:stream';
import { CarrierRefusal } from './carrier.ts';
import type { TwilioOptions } from './twilio-carrier.ts';

/** For the whole of a recording to arrive. */
const TIMEOUT_MS = 60_000;
const TWILIO = 'https://api.twilio.com';

/**
 * The bytes of a recording at Twilio, as MP3. The address came from outside, and the account's password goes with the
 * request: only recordings of this account at Twilio's own host (or at TWILIO_BASE_URL) are asked for, and no redirection
 * leads away from there.
 * @throws CarrierRefusal `no_recording` for any other address, and where the recording was deleted
 */
export async function fetchTwilioRecording(
  { accountSid, authToken, baseUrl = TWILIO }: Pick<TwilioOptions, 'accountSid' | 'authToken' | 'baseUrl'>,
  url: string,
): Promise<Readable> {
  const [, origin = '', account, recording] = /^(https?:\/\/[^/?#@]+)\/2010-04-01\/Accounts\/(\w+)\/Recordings\/(\w+)$/.exec(url) ?? [];
  if (![TWILIO, baseUrl].includes(origin) || account !== accountSid)
    throw new CarrierRefusal('no_recording', 'The address is not that of a recording at the carrier.');
  const answer = await requestRecording(
    `${baseUrl}/2010-04-01/Accounts/${accountSid}/Recordings/${recording}.mp3`,
    `${accountSid}:${authToken}`,
  );
  if (answer.ok && answer.body) return Readable.fromWeb(answer.body);
  await answer.body?.cancel();
  // 404 is also what is not there yet.
  if (answer.status === 410) throw new CarrierRefusal('no_recording', 'The carrier has the recording no longer.');
  throw new Error(`the carrier answered ${answer.status}`);
}

async function requestRecording(address: string, account: string): Promise<Response> {
  const authorization = `Basic ${Buffer.from(account).toString('base64')}`;
  try {
    return await fetch(address, { headers: { authorization }, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch {
    // What the error says names the address.
    throw new Error('the carrier cannot be reached');
  }
}
