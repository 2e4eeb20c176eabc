import { unrestrictedChartFor } from '../../patients/restrictions/restricted-charts.ts';
import type { Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';

/** A person who is no patient, by their number. */
interface ContactInput {
  /** E.164. */
  phone: string;
  firstName?: string | null | undefined;
  lastName?: string | null | undefined;
  email?: string | null | undefined;
  /** Whether a contact that is there takes these values. */
  replaces: boolean;
}

/**
 * Adds contacts, one of each number. A number that a contact has, or a patient whom the caller may see, is not added again: that of another
 * patient is added like one that nobody has.
 */
export async function addContacts(tx: Tx, contacts: readonly ContactInput[]): Promise<('created' | 'updated' | 'skipped')[]> {
  const numbers = contacts.map(({ phone }) => phone);
  const ofNumbers = { in: numbers };
  const [patients, existing] = await Promise.all([
    tx.prisma.patient.findMany({
      where: {
        ...tx.practice,
        status: { not: 'deleted' },
        ...unrestrictedChartFor(tx),
        OR: [{ mobilePhone: ofNumbers }, { homePhone: ofNumbers }],
      },
      select: { mobilePhone: true, homePhone: true },
    }),
    tx.prisma.contact.findMany({ where: { ...tx.practice, patientId: null, phone: ofNumbers }, select: { id: true, phone: true } }),
  ]);
  const taken = new Set(patients.flatMap(({ mobilePhone, homePhone }) => [mobilePhone, homePhone]));
  const known = new Map(existing.map(({ id, phone }) => [phone, id]));
  const outcomes = contacts.map(({ phone, replaces }) => {
    if (taken.has(phone)) return 'skipped';
    return known.has(phone) ? (replaces ? 'updated' : 'skipped') : 'created';
  });
  const given = contacts.map(({ replaces: _, ...fields }) => changesTo({}, fields));
  const created = contacts
    .filter((_, index) => outcomes[index] === 'created')
    .map(({ replaces: _, ...fields }) => ({ ...tx.practice, ...changesTo({}, { ...fields, phone: fields.phone }) }));
  const made = await tx.prisma.contact.createManyAndReturn({ data: created, select: { id: true }, skipDuplicates: true });
  tx.journal.events.push(...made.map(({ id }) => ({ name: 'contact.added' as const, id, changed: ['phone'] })));
  if (made.length > 0) tx.journal.audits.push({ action: 'create', resource: 'contact', ids: made.map(({ id }) => id) });
  const changed: number[] = [];
  for (const [index, { phone }] of contacts.entries()) {
    const id = known.get(phone);
    if (outcomes[index] !== 'updated' || id === undefined) continue;
    await tx.prisma.contact.update({ where: tx.key(id), data: given[index] ?? {}, select: { id: true } });
    changed.push(id);
  }
  if (changed.length > 0) tx.journal.audits.push({ action: 'update', resource: 'contact', ids: changed });
  return outcomes;
}
