import type { Db } from '../../../database/database.ts';
import type { Prepared } from '../../../database/statements/statement.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import type { CallerIdentity } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { comparedName } from '../../values/same-text.ts';
import { DEPARTMENTS_OF_PROVIDER } from './provider-record.sql.ts';

const WITH_NAMES = {
  supervisor: { select: { username: true } },
  homeOffice: { select: { name: true } },
} as const satisfies Prisma.ProviderInclude;

/** A provider with the names of the supervisor and the home office. */
export type ProviderRecord = Prisma.ProviderGetPayload<{ include: typeof WITH_NAMES }>;

/** Finds a provider, also an inactive one: charts and appointments still refer to them. @throws Failure not_found */
export async function findProviderRecord(db: Db, { organizationId }: CallerIdentity, id: number): Promise<ProviderRecord> {
  const provider = await db.provider.findUnique({ where: { organizationId_id: { organizationId, id } }, include: WITH_NAMES });
  if (!provider) throw notFound('provider');
  return provider;
}

/** Filters of a list; null passes all. */
export interface ProviderFilter {
  /** Part of a first, last or display name, without regard to case, accents and punctuation. */
  name: string | null;
  /** The provider type, such as MD, in any case. */
  typeId: string | null;
  /** Deactivated providers too. */
  withInactive: boolean;
}

/** A page of providers by last name, first name and id. There are few of them, so that names are compared here. */
export async function listProviderRecords(
  db: Db,
  { organizationId }: CallerIdentity,
  { name, typeId, withInactive }: ProviderFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: ProviderRecord[]; total: number }> {
  const type = typeId === null ? {} : { providerTypeId: { equals: typeId, mode: 'insensitive' as const } };
  const found = await db.provider.findMany({
    where: { organizationId, ...(withInactive ? {} : { active: true }), ...type },
    include: WITH_NAMES,
    orderBy: [{ lastName: 'asc' }, { firstName: 'asc' }, { id: 'asc' }],
  });
  const named = name === null ? found : found.filter((provider) => hasName(provider, comparedName(name)));
  return { items: named.slice(offset, offset + limit), total: named.length };
}

/** @param sought as it is compared; nobody has an empty name */
const hasName = ({ firstName, lastName, displayName }: ProviderRecord, sought: string): boolean =>
  sought !== '' &&
  [`${firstName} ${lastName}`, `${lastName} ${firstName}`, displayName ?? ''].some((shown) => comparedName(shown).includes(sought));

/** Providers in the order of the ids, also inactive ones. */
export async function findProviderRecords(db: Db, { organizationId }: CallerIdentity, ids: readonly number[]): Promise<ProviderRecord[]> {
  const found = await db.provider.findMany({ where: { organizationId, id: { in: [...ids] } }, include: WITH_NAMES });
  const byId = new Map(found.map((provider) => [provider.id, provider]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const NINETY_DAYS_MS = 90 * 24 * 3_600_000;

/**
 * The usual department of a provider: the most frequent one whose share of their appointments in the 90 days before `now`
 * reaches the threshold, 0 to 1. Null if there is none. Cancelled appointments are excluded, no-shows are included, and
 * appointments without a department count in the total.
 */
export async function usualDepartment(
  prepared: Prepared,
  { organizationId }: CallerIdentity,
  providerId: number,
  threshold: number,
  now: Date,
): Promise<number | null> {
  const from = new Date(now.getTime() - NINETY_DAYS_MS);
  const shares = await prepared.rows(DEPARTMENTS_OF_PROVIDER, [organizationId, providerId, from, now]);
  const most = shares.find(({ office_id }) => office_id !== null);
  return most && most.appointments / most.total >= threshold ? most.office_id : null;
}
