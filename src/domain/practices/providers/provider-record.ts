import { statement } from '../../../database/statements/statement.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { notFound } from '../../errors.ts';
import type { PracticeTx } from '../../tx.ts';
import { foldComparedName } from '../../values/same-text.ts';

/** The number of a provider's appointments in one department, or in none (null), and in all. */
interface DepartmentShare {
  office_id: number | null;
  appointments: number;
  total: number;
}

/**
 * A provider's appointments by department: $1 organization, $2 provider, $3 from, $4 until. Counted are the appointments that
 * name the provider and, where none is named (as in those that an integration makes), those in which the provider's user takes
 * part. The most frequent department comes first; of equal ones, the one of the latest appointment.
 */
export const DEPARTMENTS_OF_PROVIDER = statement<DepartmentShare & Record<string, unknown>>(
  'departments_of_provider',
  `SELECT office_id, count(*)::int AS appointments, (sum(count(*)) OVER ())::int AS total
     FROM (SELECT a.office_id, a.starts_at
             FROM appointment a
            WHERE a.organization_id = $1 AND a.provider_id = $2 AND a.starts_at >= $3 AND a.starts_at < $4 AND a.status <> 'cancelled'
            UNION ALL
           SELECT a.office_id, a.starts_at
             FROM provider p
             JOIN user_appointment u ON u.organization_id = p.organization_id AND u.user_id = p.user_id
                                    AND u.starts_at >= $3 AND u.starts_at < $4
             JOIN appointment a ON a.organization_id = u.organization_id AND a.id = u.appointment_id
            WHERE p.organization_id = $1 AND p.id = $2 AND a.provider_id IS NULL AND a.status <> 'cancelled') AS seen
    GROUP BY office_id
    ORDER BY count(*) DESC, max(starts_at) DESC, office_id`,
);

const WITH_NAMES = {
  supervisor: { select: { username: true } },
  homeOffice: { select: { name: true } },
} as const satisfies Prisma.ProviderInclude;

/** A provider with the names of the supervisor and the home office. */
export type ProviderRecord = Prisma.ProviderGetPayload<{ include: typeof WITH_NAMES }>;

/** Finds a provider, also an inactive one: charts and appointments still refer to them. @throws Failure not_found */
export async function findProviderRecord(tx: PracticeTx, id: number): Promise<ProviderRecord> {
  const provider = await tx.prisma.provider.findUnique({ where: tx.key(id), include: WITH_NAMES });
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
  tx: PracticeTx,
  { name, typeId, withInactive }: ProviderFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ items: ProviderRecord[]; total: number }> {
  const type = typeId === null ? {} : { providerTypeId: { equals: typeId, mode: 'insensitive' as const } };
  const found = await tx.prisma.provider.findMany({
    where: { ...tx.practice, ...(withInactive ? {} : { active: true }), ...type },
    include: WITH_NAMES,
    orderBy: [{ lastName: 'asc' }, { firstName: 'asc' }, { id: 'asc' }],
  });
  const named = name === null ? found : found.filter((provider) => hasName(provider, foldComparedName(name)));
  return { items: named.slice(offset, offset + limit), total: named.length };
}

/** @param sought as it is compared; nobody has an empty name */
const hasName = ({ firstName, lastName, displayName }: ProviderRecord, sought: string): boolean =>
  sought !== '' &&
  [`${firstName} ${lastName}`, `${lastName} ${firstName}`, displayName ?? ''].some((shown) => foldComparedName(shown).includes(sought));

/** Providers in the order of the ids, also inactive ones. */
export async function findProviderRecords(tx: PracticeTx, ids: readonly number[]): Promise<ProviderRecord[]> {
  const found = await tx.prisma.provider.findMany({
    where: { ...tx.practice, id: { in: [...ids] } },
    include: WITH_NAMES,
  });
  const byId = new Map(found.map((provider) => [provider.id, provider]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const NINETY_DAYS_MS = 90 * 24 * 3_600_000;

/**
 * The usual department of a provider: the most frequent one whose share of their appointments in the 90 days before `now`
 * reaches the threshold, 0 to 1. Null if there is none. Cancelled appointments are excluded, no-shows are included, and
 * appointments without a department count in the total.
 */
export async function usualDepartment(tx: PracticeTx, providerId: number, threshold: number, now: Date): Promise<number | null> {
  const from = new Date(now.getTime() - NINETY_DAYS_MS);
  const shares = await tx.rows(DEPARTMENTS_OF_PROVIDER, [providerId, from, now]);
  const most = shares.find(({ office_id }) => office_id !== null);
  return most && most.appointments / most.total >= threshold ? most.office_id : null;
}
