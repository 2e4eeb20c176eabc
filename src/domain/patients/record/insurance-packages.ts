import type { InsurancePackage, Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, notFound } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { INSURANCE_PACKAGES, type NamedPackage } from './record-sections.sql.ts';

type PackageFields = Omit<Prisma.InsurancePackageUncheckedCreateInput, 'organizationId' | 'id'>;

/** The packages that the practice has set, by their numbers. */
export const listOwnPackages = (tx: PracticeTx): Promise<InsurancePackage[]> =>
  tx.prisma.insurancePackage.findMany({ where: tx.practice, orderBy: { id: 'asc' } });

/** Adds a plan of a payer, whose number programs send with insurances. @throws Failure conflict for a number that another one has */
export async function createPackage(tx: Tx, id: number, fields: PackageFields): Promise<InsurancePackage> {
  if (await tx.prisma.insurancePackage.findUnique({ where: tx.key(id) }))
    throw conflict('package_number_taken', `Another insurance package has the number ${id}.`, 'number');
  recordChange(tx, 'administer', { name: 'insurance_package.created', id });
  return tx.prisma.insurancePackage.create({ data: { ...fields, ...tx.practice, id } });
}

/** Changes the given fields that differ. Insurances keep the names that they have. */
export async function changePackage(tx: Tx, id: number, fields: Partial<PackageFields>): Promise<void> {
  const where = tx.key(id);
  const changes = changesTo(await tx.prisma.insurancePackage.findUniqueOrThrow({ where }), fields);
  if (Object.keys(changes).length === 0) return;
  await tx.prisma.insurancePackage.update({ where, data: changes, select: { id: true } });
  recordChange(tx, 'administer', { name: 'insurance_package.updated', id, changed: Object.keys(changes) });
}

/** Removes a package. Insurances keep its number and name. */
export async function removePackage(tx: Tx, id: number): Promise<void> {
  await tx.prisma.insurancePackage.delete({ where: tx.key(id), select: { id: true } });
  recordChange(tx, 'administer', { name: 'insurance_package.removed', id });
}

/** The packages of the practice, and those that only its insurances name, whose plan contains a text, by name. */
export const searchPackages = (tx: Tx, planName: string): Promise<NamedPackage[]> => tx.rows(INSURANCE_PACKAGES, [planName]);

interface PackageNames {
  planName: string | null;
  type: string | null;
  ircName: string | null;
}

/** The names of a package: as the practice has set it, or else as the newest insurance with it. @throws Failure not_found */
export async function findPackageNames(tx: Tx, id: number): Promise<PackageNames> {
  const select = { planName: true, type: true, ircName: true };
  const own = await tx.prisma.insurancePackage.findUnique({ where: tx.key(id), select });
  if (own) return own;
  const named = await tx.prisma.insurance.findFirst({
    where: { ...tx.practice, insurancePackageId: id },
    orderBy: { id: 'desc' },
    select,
  });
  if (!named) throw notFound('insurance package', 'insurancePackageId');
  return named;
}
