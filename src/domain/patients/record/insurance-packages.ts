import type { Db } from '../../../database/database.ts';
import type { Prepared } from '../../../database/statements/statement.ts';
import type { InsurancePackage, Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller, CallerIdentity } from '../../caller.ts';
import { conflict, notFound } from '../../errors.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { INSURANCE_PACKAGES, type NamedPackage } from './record-sections.sql.ts';

type PackageFields = Omit<Prisma.InsurancePackageUncheckedCreateInput, 'organizationId' | 'id'>;

/** The packages that the practice has set, by their numbers. */
export const listOwnPackages = (db: Db, { organizationId }: CallerIdentity): Promise<InsurancePackage[]> =>
  db.insurancePackage.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });

/** Adds a plan of a payer, whose number programs send with insurances. @throws Failure conflict for a number that another one has */
export async function createPackage(db: Db, caller: Caller, id: number, fields: PackageFields): Promise<InsurancePackage> {
  const { organizationId } = caller;
  if (await db.insurancePackage.findUnique({ where: { organizationId_id: { organizationId, id } } }))
    throw conflict('package_number_taken', `Another insurance package has the number ${id}.`, 'number');
  recordChange(caller, 'administer', { name: 'insurance_package.created', id });
  return db.insurancePackage.create({ data: { ...fields, organizationId, id } });
}

/** Changes the given fields that differ. Insurances keep the names that they have. */
export async function changePackage(db: Db, caller: Caller, id: number, fields: Partial<PackageFields>): Promise<void> {
  const where = { organizationId_id: { organizationId: caller.organizationId, id } };
  const changes = changesTo(await db.insurancePackage.findUniqueOrThrow({ where }), fields);
  if (Object.keys(changes).length === 0) return;
  await db.insurancePackage.update({ where, data: changes, select: { id: true } });
  recordChange(caller, 'administer', { name: 'insurance_package.updated', id, changed: Object.keys(changes) });
}

/** Removes a package. Insurances keep its number and name. */
export async function removePackage(db: Db, caller: Caller, id: number): Promise<void> {
  await db.insurancePackage.delete({ where: { organizationId_id: { organizationId: caller.organizationId, id } }, select: { id: true } });
  recordChange(caller, 'administer', { name: 'insurance_package.removed', id });
}

/** The packages of the practice, and those that only its insurances name, whose plan contains a text, by name. */
export const searchPackages = (prepared: Prepared, { organizationId }: Caller, planName: string): Promise<NamedPackage[]> =>
  prepared.rows(INSURANCE_PACKAGES, [organizationId, planName]);

interface PackageNames {
  planName: string | null;
  type: string | null;
  ircName: string | null;
}

/** The names of a package: as the practice has set it, or else as the newest insurance with it. @throws Failure not_found */
export async function findPackageNames(db: Db, { organizationId }: Caller, id: number): Promise<PackageNames> {
  const select = { planName: true, type: true, ircName: true };
  const own = await db.insurancePackage.findUnique({ where: { organizationId_id: { organizationId, id } }, select });
  if (own) return own;
  const named = await db.insurance.findFirst({ where: { organizationId, insurancePackageId: id }, orderBy: { id: 'desc' }, select });
  if (!named) throw notFound('insurance package', 'insurancePackageId');
  return named;
}
