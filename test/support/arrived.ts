import type { Db } from '../../src/database/database.ts';
import type { Keyring } from '../../src/database/encryption/keyring.ts';
import { findDeliveredTexts } from '../../src/gateways/carrier/local-carrier.ts';
import { findDeliveredMails } from '../../src/gateways/mail/local-mailer.ts';
import type { Prisma } from '../../src/generated/prisma/client.ts';

/** The texts that the simulated carrier took, the oldest first, with their bodies in plain text. */
export async function arrivedTexts(db: Db, keyring: Keyring, where: Prisma.CarrierTextWhereInput = {}) {
  const rows = await db.carrierText.findMany({ where, orderBy: { receivedAt: 'asc' } });
  const bodies = await findDeliveredTexts(
    db,
    keyring,
    rows.map(({ reference }) => reference),
  );
  return rows.map((row) => ({ ...row, body: bodies.get(row.reference) ?? '' }));
}

/** The mails that the simulated mailer took, with their bodies in plain text. */
export async function arrivedMails(db: Db, keyring: Keyring, where: Prisma.LocalMailWhereInput = {}) {
  const rows = await db.localMail.findMany({ where, orderBy: { sentAt: 'asc' } });
  const bodies = await findDeliveredMails(
    db,
    keyring,
    rows.map(({ reference }) => reference),
  );
  return rows.map((row) => ({ ...row, body: bodies.get(row.reference) ?? '' }));
}
