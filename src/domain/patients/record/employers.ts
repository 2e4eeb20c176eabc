import type { Employer, Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { notFound } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';
import type { Slice } from '../../values/paging.ts';

export type { Employer };

export type EmployerInput = Omit<Prisma.EmployerUncheckedCreateInput, 'organizationId' | 'id' | 'createdAt' | 'updatedAt'>;

/** Adds an employer; charts name it by its id. */
export async function createEmployer(tx: Tx, input: EmployerInput): Promise<Employer> {
  const employer = await tx.prisma.employer.create({ data: { ...input, ...tx.practice } });
  recordChange(tx, 'administer', { name: 'employer.created', id: employer.id });
  return employer;
}

/** The employers of the caller's practice, by id. */
export function listEmployers(tx: PracticeTx, { after, limit }: Slice): Promise<Employer[]> {
  return tx.prisma.employer.findMany({
    where: { ...tx.practice, id: { gt: after } },
    orderBy: { id: 'asc' },
    take: limit,
  });
}

/** Changes the given fields that differ. @throws Failure not_found */
export async function updateEmployer(tx: Tx, id: number, input: Partial<EmployerInput>): Promise<void> {
  const where = tx.key(id);
  const before = await tx.prisma.employer.findUnique({ where });
  if (!before) throw notFound('employer');
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return;
  await tx.prisma.employer.update({ where, data: changes, select: { id: true } });
  recordChange(tx, 'administer', { name: 'employer.updated', id, changed });
}

/** Removes an employer to which nothing refers. */
export async function removeEmployer(tx: Tx, id: number): Promise<void> {
  await tx.prisma.employer.delete({ where: tx.key(id), select: { id: true } });
  recordChange(tx, 'administer', { name: 'employer.removed', id });
}
