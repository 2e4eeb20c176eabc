import type { Keyring } from '../../src/database/encryption/keyring.ts';
import { fillSealedPlaceholders } from '../../src/domain/messaging/templates/sealed-placeholders.ts';

interface SealedMessage {
  organizationId: number;
  id: number;
  body: string;
  sealed: string | null;
}

/** The words of a message as it leaves, which is a text or a mail; null where it is neither. */
export function fillSealedMessage(
  keyring: Keyring,
  { text, mail }: { text: SealedMessage | null; mail: SealedMessage | null },
): string | null {
  if (text) return fillSealedPlaceholders(keyring, 'text', text);
  return mail && fillSealedPlaceholders(keyring, 'mail', mail);
}
