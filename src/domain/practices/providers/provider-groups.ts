import type { Db } from '../../../database/database.ts';
import type { ProviderGroup } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import { findOffice } from '../offices.ts';
import { requireProvider } from './providers.ts';

export interface ProviderGroupWithMembers extends ProviderGroup {
  officeIds: number[];
  providerIds: number[];
}

/** Adds a provider group, also called a financial group. @throws Failure conflict when one has this name already */
export async function createProviderGroup(db: Db, caller: Caller, { name }: { name: string }): Promise<ProviderGroupWithMembers> {
  const { organizationId } = caller;
  await requireFreeName(db, caller, name);
  const group = await db.providerGroup.create({ data: { organizationId, name } });
  recordChange(caller, 'administer', { name: 'provider_group.created', id: group.id });
  return { ...group, officeIds: [], providerIds: [] };
}

/** The groups of the caller's practice, by id. */
export async function listProviderGroups(db: Db, { organizationId }: CallerIdentity): Promise<ProviderGroupWithMembers[]> {
  const groups = await db.providerGroup.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  const offices = await db.office.findMany({
    where: { organizationId, providerGroupId: { not: null } },
    select: { id: true, providerGroupId: true },
    orderBy: { id: 'asc' },
  });
  const providers = await db.provider.findMany({
    where: { organizationId, providerGroupIds: { isEmpty: false } },
    select: { id: true, providerGroupIds: true },
    orderBy: { id: 'asc' },
  });
  return groups.map((group) => ({
    ...group,
    officeIds: offices.filter(({ providerGroupId }) => providerGroupId === group.id).map(({ id }) => id),
    providerIds: providers.filter(({ providerGroupIds }) => providerGroupIds.includes(group.id)).map(({ id }) => id),
  }));
}

/**
 * Assigns offices and providers to a group. An office leaves its previous group, and its patients' registrations move to
 * the new one; a provider may belong to several groups.
 * @throws Failure not_found
 */
export async function assignToProviderGroup(
  db: Db,
  caller: Caller,
  id: number,
  { officeIds, providerIds }: { officeIds: readonly number[]; providerIds: readonly number[] },
): Promise<void> {
  await findProviderGroup(db, caller, id);
  for (const officeId of officeIds) await moveOffice(db, caller, officeId, id);
  for (const providerId of providerIds) await addProvider(db, caller, providerId, id);
}

/** @throws Failure not_found */
export async function findProviderGroup(db: Db, { organizationId }: CallerIdentity, id: number): Promise<ProviderGroup> {
  const group = await db.providerGroup.findUnique({ where: { organizationId_id: { organizationId, id } } });
  if (!group) throw notFound('provider group');
  return group;
}

async function moveOffice(db: Db, caller: Caller, id: number, providerGroupId: number): Promise<void> {
  const { organizationId } = caller;
  if ((await findOffice(db, caller, id)).providerGroupId === providerGroupId) return;
  await db.office.update({ where: { organizationId_id: { organizationId, id } }, data: { providerGroupId }, select: { id: true } });
  await db.patientRegistration.updateMany({ where: { organizationId, officeId: id }, data: { providerGroupId } });
  recordChange(caller, 'administer', { name: 'office.updated', id, changed: ['providerGroupId'] });
}

async function addProvider(db: Db, caller: Caller, id: number, providerGroupId: number): Promise<void> {
  const { organizationId } = caller;
  await requireProvider(db, caller, id);
  const { count } = await db.provider.updateMany({
    where: { organizationId, id, NOT: { providerGroupIds: { has: providerGroupId } } },
    data: { providerGroupIds: { push: providerGroupId } },
  });
  if (count > 0) recordChange(caller, 'administer', { name: 'provider.updated', id, changed: ['providerGroupIds'] });
}

/** @throws Failure not_found; conflict when another one has this name */
export async function renameProviderGroup(db: Db, caller: Caller, id: number, name: string): Promise<void> {
  const { organizationId } = caller;
  if ((await findProviderGroup(db, caller, id)).name === name) return;
  await requireFreeName(db, caller, name);
  await db.providerGroup.update({ where: { organizationId_id: { organizationId, id } }, data: { name }, select: { id: true } });
  recordChange(caller, 'administer', { name: 'provider_group.updated', id, changed: ['name'] });
}

async function requireFreeName(db: Db, { organizationId }: Caller, name: string): Promise<void> {
  const holder = await db.providerGroup.findFirst({ where: { organizationId, name }, select: { id: true } });
  if (holder) throw conflict('provider_group_exists', `Provider group ${holder.id} already has this name.`);
}

/** Removes a provider group to which nothing refers. */
export async function removeProviderGroup(db: Db, caller: Caller, id: number): Promise<void> {
  const { organizationId } = caller;
  await db.providerGroup.delete({ where: { organizationId_id: { organizationId, id } }, select: { id: true } });
  recordChange(caller, 'administer', { name: 'provider_group.removed', id });
}
