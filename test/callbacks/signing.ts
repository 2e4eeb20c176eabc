import { CARRIER_WEBHOOK } from '../../src/gateways/carrier/create-carrier.ts';
import { LOCAL_SIGNATURE, signLocalForm } from '../../src/gateways/carrier/local-carrier.ts';
import type { Served } from '../support/app.ts';

export type Form = Record<string, string>;

/** Sends a signed request of the local carrier. */
export function sendWebhook(
  { address, keyring, http }: Served,
  form: Form,
  { path = CARRIER_WEBHOOK, signature }: { path?: string; signature?: string } = {},
) {
  const signed = signature ?? signLocalForm(keyring, { url: `${address}${path}`, form });
  return http.post(path).type('form').set(LOCAL_SIGNATURE, signed).send(new URLSearchParams(form).toString());
}
