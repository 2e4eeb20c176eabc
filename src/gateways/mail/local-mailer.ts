import type { Db } from '../../database/database.ts';
import { ENCRYPTED, encryptIn } from '../../database/encryption/encrypted-columns.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { openBodies } from '../files/arrived-bodies.ts';
import type { Mailer } from './mailer.ts';

/**
 * A mailer without a network: mails are stored in a table of their own, where the sandbox displays them. Their bodies are encrypted,
 * as links and one-time codes stand in them.
 */
export function createLocalMailer(db: Db, keyring: Keyring): Mailer {
  return {
    name: 'local',
    async send({ reference, fromName, to, subject, body }) {
      const encrypted = encryptIn(keyring, ENCRYPTED.arrivedMail, { organizationId: null, row: reference }, body);
      // A concurrent insert of the same reference waits here and then finds the row of the first.
      await db.$executeRaw`
        INSERT INTO local_mail (reference, from_name, to_address, subject, body)
        VALUES (${reference}, ${fromName}, ${to}, ${subject}, ${encrypted}) ON CONFLICT (reference) DO NOTHING`;
      return { id: reference };
    },
    check: async () => {},
  };
}

/** Bodies of the delivered mails with these references; of those that arrived within 30 days. */
export async function findDeliveredMails(db: Db, keyring: Keyring, references: readonly string[]): Promise<Map<string, string>> {
  const found = await db.localMail.findMany({
    where: { reference: { in: [...references] }, body: { not: null } },
    select: { reference: true, body: true },
  });
  return openBodies(keyring, ENCRYPTED.arrivedMail, found);
}
