import type { Db } from '../../../database/database.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { invalid, notFound } from '../../errors.ts';
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
export async function updateProvider(db: Db, caller: Caller, id: number, { officeIds, ...input }: ProviderChanges): Promise<Provider> {
  const { organizationId } = caller;
  // Concurrent changes run one after another, so that each compares with the latest values.
  await db.$queryRaw`SELECT id FROM provider WHERE organization_id = ${organizationId} AND id = ${id} FOR NO KEY UPDATE`;
  const before = await readProvider(db, caller, id);
  if (typeof input.npi === 'string') await requireUsableIdentifier(db, caller, input.npi, id);
  await checkReferences(db, caller, id, input, officeIds ?? []);
  const changes = changesTo(before, { ...input, ...homeOfficeFor(before, input, officeIds) });
  const moves = officeIds !== undefined && officeIds.toSorted((a, b) => a - b).join() !== before.offices.map((one) => one.officeId).join();
  const changed = [...Object.keys(changes), ...(moves ? ['offices'] : [])];
  if (changed.length === 0) return before;
  await db.provider.update({ where: { organizationId_id: { organizationId, id } }, data: changes, select: { id: true } });
  if (moves) {
    await db.providerOffice.deleteMany({ where: { organizationId, providerId: id } });
    await db.providerOffice.createMany({ data: officeIds.map((officeId) => ({ organizationId, providerId: id, officeId })) });
  }
  recordChange(caller, 'administer', { name: 'provider.updated', id, changed });
  return readProvider(db, caller, id);
}

async function readProvider(db: Db, { organizationId }: Caller, id: number): Promise<Provider> {
  const provider = await db.provider.findUnique({ where: { organizationId_id: { organizationId, id } }, include: WITH_OFFICES });
  if (!provider) throw notFound('provider');
  return provider;
}

function homeOfficeFor({ homeOfficeId }: Provider, input: ProviderChanges, officeIds?: number[]): Pick<ProviderChanges, 'homeOfficeId'> {
  if (officeIds === undefined || input.homeOfficeId !== undefined) return {};
  return homeOfficeId !== null && officeIds.includes(homeOfficeId) ? {} : { homeOfficeId: officeIds[0] ?? null };
}

async function checkReferences(
  db: Db,
  caller: Caller,
  id: number,
  { supervisingProviderId: supervisor, homeOfficeId: home, userId, providerGroupIds = [] }: ProviderChanges,
  officeIds: readonly number[],
): Promise<void> {
  if (supervisor === id) throw invalid('supervisor', 'must be another provider', 'invalid_supervisor');
  if (typeof supervisor === 'number') await requireProvider(db, caller, supervisor);
  if (typeof userId === 'number') await requireUsableUser(db, caller, userId, id);
  for (const groupId of providerGroupIds) await findProviderGroup(db, caller, groupId);
  for (const officeId of [...officeIds, home]) if (typeof officeId === 'number') await findOffice(db, caller, officeId);
}
