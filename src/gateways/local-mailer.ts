import type { Db } from '../database/database.ts';
import type { Mailer } from './mailer.ts';

/** A mailer without a network: mails are stored in a table of their own, where the sandbox displays them. */
export function createLocalMailer(db: Db): Mailer {
  return {
    name: 'local',
    async send({ reference, fromName, to, subject, body }) {
      // A concurrent insert of the same reference waits here and then finds the row of the first.
      await db.$executeRaw`
        INSERT INTO local_mail (reference, from_name, to_address, subject, body)
        VALUES (${reference}, ${fromName}, ${to}, ${subject}, ${body}) ON CONFLICT (reference) DO NOTHING`;
      return { id: reference };
    },
  };
}

/** Bodies of the delivered mails with these references. */
export async function findDeliveredMails(db: Db, references: readonly string[]): Promise<Map<string, string>> {
  const found = await db.localMail.findMany({ where: { reference: { in: [...references] } }, select: { reference: true, body: true } });
  return new Map(found.map(({ reference, body }) => [reference, body]));
}
