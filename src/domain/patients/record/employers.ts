import type { Db } from '../../../database/database.ts';
import type { Employer, Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../../caller.ts';
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
