import type { Db } from '../../../database/database.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import type { OptOut } from '../../../generated/prisma/client.ts';
import type { Caller } from '../../caller.ts';
import { Failure } from '../../errors.ts';
import { findPatientReach } from '../../patients/guardians/reach.ts';
import { preparedForIn } from '../../patients/restrictions/opened-charts.sql.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { recordOptIn, recordOptOut } from '../recipients/consent.ts';
import { readContact } from './contacts.ts';

export type ConsentEntry = OptOut;

/**
 * Lists what the mobile number of a contact, or of the guardian of one under age, said about texts, and what staff recorded for it, newest first. Audited as a read of the
 * contact. Empty for a contact without a number.
 * @throws Failure not_found
 */
export async function listConsent(db: Db, caller: Caller, contactId: number, page: PageRequest): Promise<Page<ConsentEntry>> {
  const { number } = await findConsenting(db, caller, contactId);
  if (number === null) return { ...page, items: [], total: 0 };
  const where = { organizationId: caller.organizationId, number };
  const [items, total] = await Promise.all([
    db.optOut.findMany({ where, orderBy: [{ recordedAt: 'desc' }, { id: 'desc' }], ...window(page) }),
    db.optOut.count({ where }),
  ]);
  return { ...page, items, total };
}

/**
 * Records that a person gave or revoked consent in another way than by a text: it holds as START and STOP do, for everybody who has
 * the number.
 * @param given.note how the person said so
 * @throws Failure not_found; unprocessable for a contact without a mobile number
 */
export async function recordConsent(
  db: Db,
  caller: Caller,
  contactId: number,
  { texts, note }: { texts: boolean; note: string },
): Promise<ConsentEntry> {
  const { number, patientId } = await findConsenting(db, caller, contactId);
  if (number === null) throw new Failure('unprocessable', 'no_mobile_number', 'The contact has no mobile number.');
  const given = { number, note, source: 'user', userId: caller.userId, keyword: texts ? 'consent' : 'revocation' } as const;
  const entryId = await (texts ? recordOptIn : recordOptOut)(db, caller, given, patientId === null ? [] : [patientId]);
  return db.optOut.findUniqueOrThrow({ where: { organizationId_id: { organizationId: caller.organizationId, id: entryId } } });
}

/** The number whose owner consents to texts about a contact. */
async function findConsenting(db: Db, caller: Caller, contactId: number): Promise<{ number: string | null; patientId: number | null }> {
  const { phone, patient_id: patientId } = await readContact(preparedForIn(db, caller), caller, contactId);
  const reach = patientId === null ? undefined : await findPatientReach(preparedIn(db), caller, patientId);
  return { number: reach ? reach.mobilePhone : phone, patientId };
}
