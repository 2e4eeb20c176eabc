import type { Prisma } from '../../generated/prisma/client.ts';
import { notFound } from '../errors.ts';
import type { PracticeTx } from '../tx.ts';
import { type ZoneOffsets, zoneOffsets } from '../values/time/zone-offsets.ts';

const WITH_GROUP = { providerGroup: { select: { name: true } } } as const satisfies Prisma.OfficeInclude;
type OfficeOfGroup = Prisma.OfficeGetPayload<{ include: typeof WITH_GROUP }>;

/** An office as a department, with the name of its provider group and its UTC offsets. */
export interface Department extends OfficeOfGroup {
  offsets: ZoneOffsets;
  /** Active providers of the department, by id; null when not requested. */
  providerIds: number[] | null;
}

/** Filters and optional fields of departments. Closed offices are never included. */
export interface DepartmentChoice {
  hospitalOnly: boolean;
  /** Includes departments that are hidden in the portal. */
  withHidden: boolean;
  withProviders: boolean;
}

/** The departments of the caller's practice, by id: `limit` of them after the first `offset`. */
export async function listDepartments(
  tx: PracticeTx,
  choice: DepartmentChoice,
  { limit, offset }: { limit: number; offset: number },
  now: Date,
): Promise<{ items: Department[]; total: number }> {
  const where = { ...tx.practice, ...whereChosen(choice) };
  const [offices, total] = await Promise.all([
    tx.prisma.office.findMany({ where, include: WITH_GROUP, orderBy: { id: 'asc' }, skip: offset, take: limit }),
    tx.prisma.office.count({ where }),
  ]);
  return { items: await toDepartments(tx, offices, choice, now), total };
}

/** @throws Failure not_found, also for a department that the choice leaves out */
export async function findDepartment(tx: PracticeTx, id: number, choice: DepartmentChoice, now: Date): Promise<Department> {
  const offices = await tx.prisma.office.findMany({
    where: { ...tx.practice, id, ...whereChosen(choice) },
    include: WITH_GROUP,
  });
  const [department] = await toDepartments(tx, offices, choice, now);
  if (!department) throw notFound('department');
  return department;
}

const whereChosen = ({ hospitalOnly, withHidden }: DepartmentChoice): Prisma.OfficeWhereInput => ({
  active: true,
  ...(hospitalOnly ? { isHospitalDepartment: true } : {}),
  ...(withHidden ? {} : { hiddenInPortal: false }),
});

async function toDepartments(
  tx: PracticeTx,
  offices: OfficeOfGroup[],
  { withProviders }: DepartmentChoice,
  now: Date,
): Promise<Department[]> {
  const ids = offices.map(({ id }) => id);
  const providers = withProviders ? await providersByOffice(tx, ids) : null;
  // Computed once for each zone: practices have many departments and few zones.
  const zones = new Map([...new Set(offices.map(({ timeZone }) => timeZone))].map((zone) => [zone, zoneOffsets(zone, now)]));
  return offices.map((office) => ({
    ...office,
    offsets: zones.get(office.timeZone) ?? zoneOffsets(office.timeZone, now),
    providerIds: providers && (providers.get(office.id) ?? []),
  }));
}

/** Provider ids by office id, in one query for all offices. */
async function providersByOffice(tx: PracticeTx, officeIds: number[]): Promise<Map<number, number[]>> {
  const rows = await tx.prisma.providerOffice.findMany({
    where: { ...tx.practice, officeId: { in: officeIds }, provider: { active: true } },
    select: { officeId: true, providerId: true },
    orderBy: { providerId: 'asc' },
  });
  const byOffice = new Map<number, number[]>();
  for (const { officeId, providerId } of rows) byOffice.set(officeId, [...(byOffice.get(officeId) ?? []), providerId]);
  return byOffice;
}
