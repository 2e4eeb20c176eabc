import type { Example } from '../../../src/http/openapi-examples.ts';

/** A base address for examples. */
const ADDRESS = 'https://triptych.example.com';

/** Names of fields whose values are secrets, each with the text that stands for one. */
const SECRETS: Record<string, string> = {
  access_token: 'access-token',
  refresh_token: 'refresh-token',
  token: 'refresh-token',
  password: 'correct horse battery staple',
};

/** The secret part of a link that opens a page. */
const LINK = /(?<=\/[vwcm]\/)[\w-]{8,}/g;

/** An example without secrets, and without the address that it was recorded at. */
export function presentable(address: string, example: Example): Example {
  const text = JSON.stringify(example, (key, value: unknown) => (typeof value === 'string' ? (SECRETS[key] ?? value) : value));
  return JSON.parse(text.replaceAll(address, ADDRESS).replaceAll(LINK, 'example-link'));
}
