import type { Office, Prisma } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import { notFound } from '../errors.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import { changesTo } from '../values/changed-fields.ts';
import { type Page, type PageRequest, window } from '../values/paging.ts';
import { findOrganization, requireTimeZone } from './organizations.ts';

export type { Office };

export type OfficeInput = Partial<Omit<Prisma.OfficeUncheckedCreateInput, 'organizationId' | 'id'>> & { name: string };

/** The offices of the caller's practice, by id. */
export function listOffices(tx: PracticeTx): Promise<Office[]> {
  return tx.prisma.office.findMany({ where: tx.practice, orderBy: { id: 'asc' } });
}

const WITH_DETAILS = {
  locations: { where: { active: true }, orderBy: { id: 'asc' } },
  waitingRooms: { where: { active: true }, orderBy: { id: 'asc' } },
} as const satisfies Prisma.OfficeInclude;

export type OfficeDetails = Prisma.OfficeGetPayload<{ include: typeof WITH_DETAILS }>;

/** The active offices of the caller's practice, by id. */
export async function listActiveOffices(tx: PracticeTx, page: PageRequest): Promise<Page<OfficeDetails>> {
  const where = { ...tx.practice, active: true };
  const [items, total] = await Promise.all([
    tx.prisma.office.findMany({ where, include: WITH_DETAILS, orderBy: { id: 'asc' }, ...window(page) }),
    tx.prisma.office.count({ where }),
  ]);
  return { ...page, items, total };
}

/** Finds an office, also an inactive one. @throws Failure not_found */
export async function findOfficeDetails(tx: PracticeTx, id: number): Promise<OfficeDetails> {
  const office = await tx.prisma.office.findUnique({ where: tx.key(id), include: WITH_DETAILS });
  if (!office) throw notFound('office');
  return office;
}

/** Adds an office; its time zone defaults to that of the practice. @throws Failure not_found for an unknown provider group */
export async function createOffice(tx: Tx, input: OfficeInput): Promise<Office> {
  const { organizationId } = tx;
  const { providerGroupId } = input;
  if (typeof providerGroupId === 'number') {
    const group = await tx.prisma.providerGroup.findUnique({ where: tx.key(providerGroupId) });
    if (!group) throw notFound('provider group');
  }
  const timeZone =
    input.timeZone === undefined ? (await findOrganization(tx.prisma, organizationId)).timeZone : requireTimeZone(input.timeZone);
  const office = await tx.prisma.office.create({ data: { ...input, organizationId, timeZone } });
  recordChange(tx, 'administer', { name: 'office.created', id: office.id });
  return office;
}

/** Fields that an operator may change; the group is changed by assignToProviderGroup. Absent means unchanged, null clears. */
export type OfficeChanges = Partial<Omit<Office, 'organizationId' | 'id' | 'providerGroupId' | 'createdAt' | 'updatedAt'>>;

/** Changes the given fields that differ; existing appointments keep their time zone. @throws Failure not_found */
export async function updateOffice(tx: Tx, id: number, input: OfficeChanges): Promise<Office> {
  // Concurrent changes run one after another, so that each compares with the latest values.
  await tx.prisma.$queryRaw`SELECT id FROM office WHERE organization_id = ${tx.organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const before = await findOffice(tx, id);
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return before;
  const office = await tx.prisma.office.update({ where: tx.key(id), data: changes });
  recordChange(tx, 'administer', { name: 'office.updated', id, changed });
  return office;
}

/** @throws Failure not_found, for another practice's office too */
export async function findOffice(tx: PracticeTx, id: number): Promise<Office> {
  const office = await tx.prisma.office.findUnique({ where: tx.key(id) });
  if (!office) throw notFound('office');
  return office;
}

/** An office that takes new patients. @throws Failure not_found, for a closed office too */
export async function findOpenOffice(tx: Tx, id: number): Promise<Office> {
  const office = await findOffice(tx, id);
  if (!office.active) throw notFound('office');
  return office;
}

/** Removes an office to which nothing refers. */
export async function removeOffice(tx: Tx, id: number): Promise<void> {
  await tx.prisma.office.delete({ where: tx.key(id), select: { id: true } });
  recordChange(tx, 'administer', { name: 'office.removed', id });
}
