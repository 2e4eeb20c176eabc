import { z } from 'zod';
import type { Example } from '../../../src/http/endpoints/examples.ts';

/** A base address for examples. */
const ADDRESS = 'https://triptych.example.com';

/** Names of fields whose values are secrets, each with the text that stands for one. */
const SECRETS: Record<string, string> = {
  access_token: 'access-token',
  refresh_token: 'refresh-token',
  token: 'refresh-token',
  password: 'correct horse battery staple',
  current_password: 'the password until now',
  challenge: 'challenge',
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  otpauth_uri: 'otpauth://totp/Triptych:una%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Triptych',
  recovery_code: 'k7wm-3q9x-t2hn-8vdr-5ybc-j4fz',
  rawId: 'credential-id',
  clientDataJSON: 'client-data',
  attestationObject: 'attestation',
  authenticatorData: 'authenticator-data',
  signature: 'signature',
  client_secret: 'client-secret',
  public_key: 'public-key',
  hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};

const withCode = z.looseObject({ challenge: z.string(), code: z.string() });
const passkey = z.looseObject({ id: z.string(), type: z.literal('public-key') });

/** The code of an authenticator app and the id of a passkey have names that elsewhere are no secret's. */
function withoutSecrets(key: string, value: unknown): unknown {
  if (typeof value === 'string') return SECRETS[key] ?? value;
  if (key === 'recovery_codes' && Array.isArray(value)) return value.map(() => SECRETS.recovery_code);
  // Rows a second: only on a quiet machine the same.
  if (key === 'rate' && typeof value === 'number') return 25;
  const ofApp = withCode.safeParse(value).data;
  if (ofApp) return { ...ofApp, code: '492039' };
  const shown = passkey.safeParse(value).data;
  return shown ? { ...shown, id: 'credential-id' } : value;
}

/** Parts of texts that are secret or another each time, and what is shown in their place. */
const RANDOM: [pattern: RegExp, shown: string][] = [
  // The secret part of a link that opens a page.
  [/(?<=\/[vwcmb]\/)[\w-]{8,}/g, 'example-link'],
  // A sealed position in a list.
  [/(?<=[?&]after=)[\w.-]{60,}/g, 'k1.v2.example.position'],
  // A position in the log of events: in a page, at the end of an export, on a stream.
  [/(?<=(?:"(?:next|feed_cursor)\\?":\\?"|\\nid: ))[A-Za-z\d]{4,}(?=\\|")/g, 'OTI2LjUwMDAwMDAwNzc'],
  // Seconds, which depend on how long the examples before this one took.
  [/(?<=(?:\d{4}-\d\d-\d\dT|\d\d\/\d\d\/\d{4} )\d\d:\d\d):\d\d(?:\.\d+)?/g, ':00'],
  // What a domain has to publish.
  [/(?<=triptych=)[\w-]{20,}/g, 'record-value'],
];

const GUID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g;
/** The numbers of events and of audit rows in a test's database: jobs that run meanwhile take some, more on a busy machine. */
const EVENT_NUMBER = /(?<=evt_)50000\d{5}/g;
const AUDIT_NUMBER = /(?<="uuid":)50000\d{5}(?=.*\/audit\?)|(?<=\/audit\?.*before=)50000\d{5}/g;

/** An example without secrets, without the address that it was recorded at, and the same each time that it is recorded. */
export function presentable(address: string, example: Example): Example {
  const text = JSON.stringify(example, withoutSecrets)
    .replaceAll(address, ADDRESS)
    .replaceAll(
      GUID,
      inOrder((place) => `0f5c3a52-6d0b-4c0e-9a55-${String(place).padStart(12, '5f1f7c2f9a1')}`),
    )
    .replaceAll(EVENT_NUMBER, inOrder(toLogNumber))
    .replaceAll(AUDIT_NUMBER, inOrder(toLogNumber));
  return JSON.parse(RANDOM.reduce((rest, [pattern, shown]) => rest.replaceAll(pattern, shown), text));
}

const toLogNumber = (place: number) => String(5_000_000_100 + place);

/** Shows each value by its place among the different ones, from 1. */
function inOrder(show: (place: number) => string): (value: string) => string {
  const values: string[] = [];
  return (value) => {
    if (!values.includes(value)) values.push(value);
    return show(values.indexOf(value) + 1);
  };
}
