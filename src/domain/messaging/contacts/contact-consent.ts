import type { OptOut } from '../../../generated/prisma/client.ts';
import { Failure } from '../../errors.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import type { Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { recordOptIn, recordOptOut } from '../recipients/consent.ts';
import { readContact } from './contacts.ts';

export type ConsentEntry = OptOut;

/**
 * Lists what the mobile number of a contact, or of the guardian of one under age, said about texts, and what staff recorded for it, newest first. Audited as a read of the
 * contact. Empty for a contact without a number.
 * @throws Failure not_found
 */
export async function listConsent(tx: Tx, contactId: number, page: PageRequest): Promise<Page<ConsentEntry>> {
  const { number } = await findConsenting(tx, contactId);
  if (number === null) return { ...page, items: [], total: 0 };
  const where = { ...tx.practice, number };
  const [items, total] = await Promise.all([
    tx.prisma.optOut.findMany({ where, orderBy: [{ recordedAt: 'desc' }, { id: 'desc' }], ...window(page) }),
    tx.prisma.optOut.count({ where }),
  ]);
  return { ...page, items, total };
}

/**
 * Records that a person gave or revoked consent in another way than by a text: it holds as START and STOP do, for everybody who has
 * the number.
 * @param given.note how the person said so
 * @throws Failure not_found; unprocessable for a contact without a mobile number
 */
export async function recordConsent(tx: Tx, contactId: number, { texts, note }: { texts: boolean; note: string }): Promise<ConsentEntry> {
  const { number, patientId } = await findConsenting(tx, contactId);
  if (number === null) throw new Failure('unprocessable', 'no_mobile_number', 'The contact has no mobile number.');
  const given = { number, note, source: 'user', userId: tx.userId, keyword: texts ? 'consent' : 'revocation' } as const;
  const entryId = await (texts ? recordOptIn : recordOptOut)(tx, given, patientId === null ? [] : [patientId]);
  return tx.prisma.optOut.findUniqueOrThrow({ where: tx.key(entryId) });
}

/** The number whose owner consents to texts about a contact. */
async function findConsenting(tx: Tx, contactId: number): Promise<{ number: string | null; patientId: number | null }> {
  const { phone, patient_id: patientId } = await readContact(tx, contactId);
  const reach = patientId === null ? undefined : await findPatientReach(tx, patientId);
  return { number: reach ? reach.mobilePhone : phone, patientId };
}
