import { type Failure, invalid, notFound } from '../errors.ts';
import type { Tx } from '../tx.ts';
import { fold } from '../values/same-text.ts';
import type { Named } from './rows/cells.ts';

/** Records of one kind that rows refer to, by id or by name. */
export interface Register<T extends { id: number }> {
  byId: ReadonlyMap<number, T>;
  /** @throws Failure not_found, invalid where several have the name */
  find(named: Named, field: string): T;
}

export function createRegister<T extends { id: number }>(kind: string, records: readonly T[], readName: (one: T) => string): Register<T> {
  const byId = new Map(records.map((one) => [one.id, one]));
  const byName = Map.groupBy(records, (one) => fold(readName(one)));
  return {
    byId,
    find(named, field) {
      if (typeof named === 'number') return byId.get(named) ?? fail(notFound(kind, field));
      const [found, other] = byName.get(fold(named)) ?? [];
      if (other) throw invalid(field, `is the name of several records of the kind ${kind}: give the id`, 'ambiguous');
      return found ?? fail(notFound(kind, field));
    },
  };
}

function fail(failure: Failure): never {
  throw failure;
}

const ordered = { orderBy: { id: 'asc' } } as const;

/** The employers of the practice, where they are needed. */
export async function readEmployers(tx: Tx, areNeeded: boolean) {
  const where = tx.practice;
  const employers = areNeeded ? await tx.prisma.employer.findMany({ where, select: { id: true, name: true }, ...ordered }) : [];
  return createRegister('employer', employers, ({ name }) => name);
}

/** The provider groups of the practice. */
export async function readProviderGroups(tx: Tx) {
  const groups = await tx.prisma.providerGroup.findMany({
    where: tx.practice,
    select: { id: true, name: true },
    ...ordered,
  });
  return createRegister('provider group', groups, ({ name }) => name);
}

/** The open offices, the locations and the providers of the practice. */
export async function readPlaces(tx: Tx) {
  const where = tx.practice;
  const [offices, locations, providers] = await Promise.all([
    tx.prisma.office.findMany({
      where: { ...where, active: true },
      select: { id: true, name: true, timeZone: true, providerGroupId: true },
      ...ordered,
    }),
    tx.prisma.location.findMany({ where, select: { id: true, name: true, officeId: true, active: true }, ...ordered }),
    tx.prisma.provider.findMany({ where, select: { id: true, firstName: true, lastName: true, active: true, userId: true }, ...ordered }),
  ]);
  return {
    offices: createRegister('office', offices, ({ name }) => name),
    locations: createRegister('location', locations, ({ name }) => name),
    providers: createRegister('provider', providers, ({ firstName, lastName }) => `${firstName ?? ''} ${lastName ?? ''}`.trim()),
  };
}
