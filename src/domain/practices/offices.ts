import type { Db } from '../../database/database.ts';
import type { Office, Prisma } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../caller.ts';
import { notFound } from '../errors.ts';
import { changesTo } from '../values/changed-fields.ts';
import { type Page, type PageRequest, window } from '../values/paging.ts';
import { findOrganization, requireTimeZone } from './organizations.ts';

export type { Office };

export type OfficeInput = Partial<Omit<Prisma.OfficeUncheckedCreateInput, 'organizationId' | 'id'>> & { name: string };

/** The offices of the caller's practice, by id. */
export function listOffices(db: Db, { organizationId }: CallerIdentity): Promise<Office[]> {
  return db.office.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
}

const WITH_DETAILS = {
  locations: { where: { active: true }, orderBy: { id: 'asc' } },
  waitingRooms: { where: { active: true }, orderBy: { id: 'asc' } },
} as const satisfies Prisma.OfficeInclude;

export type OfficeDetails = Prisma.OfficeGetPayload<{ include: typeof WITH_DETAILS }>;

/** The active offices of the caller's practice, by id. */
export async function listActiveOffices(db: Db, { organizationId }: CallerIdentity, page: PageRequest): Promise<Page<OfficeDetails>> {
  const where = { organizationId, active: true };
  const [items, total] = await Promise.all([
    db.office.findMany({ where, include: WITH_DETAILS, orderBy: { id: 'asc' }, ...window(page) }),
    db.office.count({ where }),
  ]);
  return { ...page, items, total };
}

/** Finds an office, also an inactive one. @throws Failure not_found */
export async function findOfficeDetails(db: Db, { organizationId }: CallerIdentity, id: number): Promise<OfficeDetails> {
  const office = await db.office.findUnique({ where: { organizationId_id: { organizationId, id } }, include: WITH_DETAILS });
  if (!office) throw notFound('office');
  return office;
}

/** Adds an office; its time zone defaults to that of the practice. @throws Failure not_found for an unknown provider group */
export async function createOffice(db: Db, caller: Caller, input: OfficeInput): Promise<Office> {
  const { organizationId } = caller;
  const { providerGroupId } = input;
  if (typeof providerGroupId === 'number') {
    const group = await db.providerGroup.findUnique({ where: { organizationId_id: { organizationId, id: providerGroupId } } });
    if (!group) throw notFound('provider group');
  }
  const timeZone = input.timeZone === undefined ? (await findOrganization(db, organizationId)).timeZone : requireTimeZone(input.timeZone);
  const office = await db.office.create({ data: { ...input, organizationId, timeZone } });
  recordChange(caller, 'administer', { name: 'office.created', id: office.id });
  return office;
}

/** Fields that an operator may change; the group is changed by assignToProviderGroup. Absent means unchanged, null clears. */
export type OfficeChanges = Partial<Omit<Office, 'organizationId' | 'id' | 'providerGroupId' | 'createdAt' | 'updatedAt'>>;

/** Changes the given fields that differ; existing appointments keep their time zone. @throws Failure not_found */
export async function updateOffice(db: Db, caller: Caller, id: number, input: OfficeChanges): Promise<Office> {
  const { organizationId } = caller;
  // Concurrent changes run one after another, so that each compares with the latest values.
  await db.$queryRaw`SELECT id FROM office WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const before = await findOffice(db, caller, id);
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return before;
  const office = await db.office.update({ where: { organizationId_id: { organizationId, id } }, data: changes });
  recordChange(caller, 'administer', { name: 'office.updated', id, changed });
  return office;
}

/** @throws Failure not_found, for another practice's office too */
export async function findOffice(db: Db, { organizationId }: CallerIdentity, id: number): Promise<Office> {
  const office = await db.office.findUnique({ where: { organizationId_id: { organizationId, id } } });
  if (!office) throw notFound('office');
  return office;
}

/** An office that takes new patients. @throws Failure not_found, for a closed office too */
export async function findOpenOffice(db: Db, caller: CallerIdentity, id: number): Promise<Office> {
  const office = await findOffice(db, caller, id);
  if (!office.active) throw notFound('office');
  return office;
}

/** Removes an office to which nothing refers. */
export async function removeOffice(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  await db.office.delete({ where: { organizationId_id: { organizationId, id } }, select: { id: true } });
  recordChange(caller, 'administer', { name: 'office.removed', id });
}
