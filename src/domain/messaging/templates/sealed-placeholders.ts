import { z } from 'zod';
import type { Keyring } from '../../../database/keyring.ts';

/** What a message may say that is kept nowhere in the open: the address of a page, a one-time code. */
export interface SecretPlaceholders {
  url?: string;
  code?: string;
}

/** What they are encrypted for (see keyring.ts). */
export const SEALED_PLACEHOLDERS_PURPOSE = 'message-secrets';
const secrets = z.object({ url: z.string().optional(), code: z.string().optional() });

/** For the `sealed` of a text or mail whose body has `{{url}}` or `{{code}}` in their places. */
export const sealPlaceholders = (keyring: Keyring, told: SecretPlaceholders): string =>
  keyring.encrypt(SEALED_PLACEHOLDERS_PURPOSE, JSON.stringify(told));

/**
 * The words that leave. What was sealed is gone from the row once they did: of a link there is only its hash then.
 * @throws KeyringError where what was sealed does not open
 */
export function fillSealedPlaceholders(keyring: Keyring, { body, sealed }: { body: string; sealed: string | null }): string {
  if (sealed === null) return body;
  const { url, code } = secrets.parse(JSON.parse(keyring.decrypt(SEALED_PLACEHOLDERS_PURPOSE, sealed)));
  return body.replaceAll('{{url}}', () => url ?? '').replaceAll('{{code}}', () => code ?? '');
}
