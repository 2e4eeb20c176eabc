import { recordChange } from '../../audit/journal-entries.ts';
import { invalid, notFound } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { findOffice } from '../offices.ts';
import { findProviderGroup } from './provider-groups.ts';
import { type Provider, requireProvider, requireUsableIdentifier, requireUsableUser, WITH_OFFICES } from './providers.ts';

/** Fields that an operator may change. Absent means unchanged, null clears. */
export interface ProviderChanges extends Partial<Omit<Provider, 'organizationId' | 'id' | 'offices' | 'createdAt' | 'updatedAt'>> {
  /** All offices of the provider. If the home office is not among them, the first becomes the home office. */
  officeIds?: number[];
}

/**
 * Changes the given fields that differ.
 * @throws Failure not_found for another practice's provider, supervisor, user, group or office; invalid for a malformed NPI; conflict
 *   for one that another provider has
 */
export async function updateProvider(tx: Tx, id: number, { officeIds, ...input }: ProviderChanges): Promise<Provider> {
  const { organizationId } = tx;
  // Concurrent changes run one after another, so that each compares with the latest values.
  await tx.prisma.$queryRaw`SELECT id FROM provider WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const before = await readProvider(tx, id);
  if (typeof input.npi === 'string') await requireUsableIdentifier(tx, input.npi, id);
  await checkReferences(tx, id, input, officeIds ?? []);
  const changes = changesTo(before, { ...input, ...homeOfficeFor(before, input, officeIds) });
  const moves = officeIds !== undefined && officeIds.toSorted((a, b) => a - b).join() !== before.offices.map((one) => one.officeId).join();
  const changed = [...Object.keys(changes), ...(moves ? ['offices'] : [])];
  if (changed.length === 0) return before;
  await tx.prisma.provider.update({ where: tx.key(id), data: changes, select: { id: true } });
  if (moves) {
    await tx.prisma.providerOffice.deleteMany({ where: { organizationId, providerId: id } });
    await tx.prisma.providerOffice.createMany({ data: officeIds.map((officeId) => ({ organizationId, providerId: id, officeId })) });
  }
  recordChange(tx, 'administer', { name: 'provider.updated', id, changed });
  return readProvider(tx, id);
}

async function readProvider(tx: Tx, id: number): Promise<Provider> {
  const provider = await tx.prisma.provider.findUnique({ where: tx.key(id), include: WITH_OFFICES });
  if (!provider) throw notFound('provider');
  return provider;
}

function homeOfficeFor({ homeOfficeId }: Provider, input: ProviderChanges, officeIds?: number[]): Pick<ProviderChanges, 'homeOfficeId'> {
  if (officeIds === undefined || input.homeOfficeId !== undefined) return {};
  return homeOfficeId !== null && officeIds.includes(homeOfficeId) ? {} : { homeOfficeId: officeIds[0] ?? null };
}

async function checkReferences(
  tx: Tx,
  id: number,
  { supervisingProviderId: supervisor, homeOfficeId: home, userId, providerGroupIds = [] }: ProviderChanges,
  officeIds: readonly number[],
): Promise<void> {
  if (supervisor === id) throw invalid('supervisor', 'must be another provider', 'invalid_supervisor');
  if (typeof supervisor === 'number') await requireProvider(tx, supervisor);
  if (typeof userId === 'number') await requireUsableUser(tx, userId, id);
  for (const groupId of providerGroupIds) await findProviderGroup(tx, groupId);
  for (const officeId of [...officeIds, home]) if (typeof officeId === 'number') await findOffice(tx, officeId);
}
