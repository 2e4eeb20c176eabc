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
};

const withCode = z.looseObject({ challenge: z.string(), code: z.string() });
const passkey = z.looseObject({ id: z.string(), rawId: z.string() });

/** The code of an authenticator app and the id of a passkey have names that elsewhere are no secret's. */
function withoutSecrets(key: string, value: unknown): unknown {
  if (typeof value === 'string') return SECRETS[key] ?? value;
  if (key === 'recovery_codes' && Array.isArray(value)) return value.map(() => SECRETS.recovery_code);
  const ofApp = withCode.safeParse(value).data;
  if (ofApp) return { ...ofApp, code: '492039' };
  const shown = passkey.safeParse(value).data;
  return shown ? { ...shown, id: 'credential-id' } : value;
}

/** The secret part of a link that opens a page. */
const LINK = /(?<=\/[vwcmb]\/)[\w-]{8,}/g;

/** A sealed position in a list, which is another each time. */
const POSITION = /(?<=[?&]after=)[\w.-]{60,}/g;

/** An example without secrets, and without the address that it was recorded at. */
export function presentable(address: string, example: Example): Example {
  const text = JSON.stringify(example, withoutSecrets);
  return JSON.parse(text.replaceAll(address, ADDRESS).replaceAll(LINK, 'example-link').replaceAll(POSITION, 'k1.v2.example.position'));
}
