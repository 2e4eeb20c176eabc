import type { Db } from '../../../database/database.ts';
import type { Employer, Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { changesTo } from '../../values/changed-fields.ts';
import type { Slice } from '../../values/paging.ts';

export type { Employer };

export type EmployerInput = Omit<Prisma.EmployerUncheckedCreateInput, 'organizationId' | 'id' | 'createdAt' | 'updatedAt'>;

/** Adds an employer; charts name it by its id. */
export async function createEmployer(db: Db, caller: Caller, input: EmployerInput): Promise<Employer> {
  const employer = await db.employer.create({ data: { ...input, organizationId: caller.organizationId } });
  recordChange(caller, 'administer', { name: 'employer.created', id: employer.id });
  return employer;
}

/** The employers of the caller's practice, by id. */
export function listEmployers(db: Db, { organizationId }: CallerIdentity, { after, limit }: Slice): Promise<Employer[]> {
  return db.employer.findMany({ where: { organizationId, id: { gt: after } }, orderBy: { id: 'asc' }, take: limit });
}

/** Changes the given fields that differ. @throws Failure not_found */
export async function updateEmployer(db: Db, caller: Caller, id: number, input: Partial<EmployerInput>): Promise<void> {
  const { organizationId } = caller;
  const where = { organizationId_id: { organizationId, id } };
  const before = await db.employer.findUnique({ where });
  if (!before) throw notFound('employer');
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return;
  await db.employer.update({ where, data: changes, select: { id: true } });
  recordChange(caller, 'administer', { name: 'employer.updated', id, changed });
}

/** Removes an employer to which nothing refers. */
export async function removeEmployer(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  await db.employer.delete({ where: { organizationId_id: { organizationId, id } }, select: { id: true } });
  recordChange(caller, 'administer', { name: 'employer.removed', id });
}
