import type { ProviderGroup } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, notFound } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { findOffice } from '../offices.ts';
import { requireProvider } from './providers.ts';

export interface ProviderGroupWithMembers extends ProviderGroup {
  officeIds: number[];
  providerIds: number[];
}

/** Adds a provider group, also called a financial group. @throws Failure conflict when one has this name already */
export async function createProviderGroup(tx: Tx, { name }: { name: string }): Promise<ProviderGroupWithMembers> {
  await requireFreeName(tx, name);
  const group = await tx.prisma.providerGroup.create({ data: { ...tx.practice, name } });
  recordChange(tx, 'administer', { name: 'provider_group.created', id: group.id });
  return { ...group, officeIds: [], providerIds: [] };
}

/** The groups of the caller's practice, by id. */
export async function listProviderGroups(tx: PracticeTx): Promise<ProviderGroupWithMembers[]> {
  const groups = await tx.prisma.providerGroup.findMany({ where: tx.practice, orderBy: { id: 'asc' } });
  const offices = await tx.prisma.office.findMany({
    where: { ...tx.practice, providerGroupId: { not: null } },
    select: { id: true, providerGroupId: true },
    orderBy: { id: 'asc' },
  });
  const providers = await tx.prisma.provider.findMany({
    where: { ...tx.practice, providerGroupIds: { isEmpty: false } },
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
  tx: Tx,
  id: number,
  { officeIds, providerIds }: { officeIds: readonly number[]; providerIds: readonly number[] },
): Promise<void> {
  await findProviderGroup(tx, id);
  for (const officeId of officeIds) await moveOffice(tx, officeId, id);
  for (const providerId of providerIds) await addProvider(tx, providerId, id);
}

/** @throws Failure not_found */
export async function findProviderGroup(tx: PracticeTx, id: number): Promise<ProviderGroup> {
  const group = await tx.prisma.providerGroup.findUnique({ where: tx.key(id) });
  if (!group) throw notFound('provider group');
  return group;
}

async function moveOffice(tx: Tx, id: number, providerGroupId: number): Promise<void> {
  if ((await findOffice(tx, id)).providerGroupId === providerGroupId) return;
  await tx.prisma.office.update({ where: tx.key(id), data: { providerGroupId }, select: { id: true } });
  await tx.prisma.patientRegistration.updateMany({ where: { ...tx.practice, officeId: id }, data: { providerGroupId } });
  recordChange(tx, 'administer', { name: 'office.updated', id, changed: ['providerGroupId'] });
}

async function addProvider(tx: Tx, id: number, providerGroupId: number): Promise<void> {
  await requireProvider(tx, id);
  const { count } = await tx.prisma.provider.updateMany({
    where: { ...tx.practice, id, NOT: { providerGroupIds: { has: providerGroupId } } },
    data: { providerGroupIds: { push: providerGroupId } },
  });
  if (count > 0) recordChange(tx, 'administer', { name: 'provider.updated', id, changed: ['providerGroupIds'] });
}

/** @throws Failure not_found; conflict when another one has this name */
export async function renameProviderGroup(tx: Tx, id: number, name: string): Promise<void> {
  if ((await findProviderGroup(tx, id)).name === name) return;
  await requireFreeName(tx, name);
  await tx.prisma.providerGroup.update({ where: tx.key(id), data: { name }, select: { id: true } });
  recordChange(tx, 'administer', { name: 'provider_group.updated', id, changed: ['name'] });
}

async function requireFreeName(tx: Tx, name: string): Promise<void> {
  const holder = await tx.prisma.providerGroup.findFirst({ where: { ...tx.practice, name }, select: { id: true } });
  if (holder) throw conflict('provider_group_exists', `Provider group ${holder.id} already has this name.`);
}

/** Removes a provider group to which nothing refers. */
export async function removeProviderGroup(tx: Tx, id: number): Promise<void> {
  await tx.prisma.providerGroup.delete({ where: tx.key(id), select: { id: true } });
  recordChange(tx, 'administer', { name: 'provider_group.removed', id });
}
