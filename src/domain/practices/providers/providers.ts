import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import { conflict, invalid, notFound } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { findOffice } from '../offices.ts';

export const WITH_OFFICES = {
  offices: { select: { officeId: true }, orderBy: { officeId: 'asc' } },
} as const satisfies Prisma.ProviderInclude;
/** A clinician who sees patients, with the ids of the offices. */
export type Provider = Prisma.ProviderGetPayload<{ include: typeof WITH_OFFICES }>;

export interface ProviderInput {
  firstName: string;
  lastName: string;
  npi?: string;
  specialty?: string;
  sex?: string;
  /** The account with which this clinician signs in. */
  userId?: number;
  /** Offices of this clinician; the first is the home office. */
  officeIds?: number[];
}

/**
 * Whether a National Provider Identifier is well formed: ten digits, the first 1 or 2, the last the Luhn check digit over
 * the others with the prefix 80840 (45 CFR 162.406).
 */
export function isProviderIdentifier(text: string): boolean {
  if (!/^[12]\d{9}$/.test(text)) return false;
  // The prefix adds 24 to the sum. Every second digit from the right is doubled: here those at even indices.
  const sum = [...text].map(Number).reduce((total, digit, place) => total + (place % 2 === 0 ? crossSum(digit * 2) : digit), 24);
  return sum % 10 === 0;
}

const crossSum = (n: number) => (n > 9 ? n - 9 : n);

/** @throws Failure not_found */
export async function requireProvider(tx: Tx, id: number): Promise<void> {
  const found = await tx.prisma.provider.findUnique({ where: tx.key(id), select: { id: true } });
  if (!found) throw notFound('provider');
}

/** The providers of the caller's practice, by id. */
export function listProviders(tx: PracticeTx): Promise<Provider[]> {
  return tx.prisma.provider.findMany({ where: tx.practice, include: WITH_OFFICES, orderBy: { id: 'asc' } });
}

const WITH_OFFICE_NAMES = {
  offices: { select: { office: { select: { id: true, name: true } } }, orderBy: { officeId: 'asc' } },
} as const satisfies Prisma.ProviderInclude;

/** A clinician with the ids and names of their offices. */
export type ProviderWithOfficeNames = Prisma.ProviderGetPayload<{ include: typeof WITH_OFFICE_NAMES }>;

/** Ties are ordered by id; nulls come last. */
export interface ProviderOrder {
  by: 'id' | 'firstName' | 'lastName' | 'displayName' | 'npi' | 'specialty' | 'providerTypeId' | 'active' | 'createdAt' | 'updatedAt';
  direction: Prisma.SortOrder;
}

export async function listActiveProviders(
  tx: PracticeTx,
  { by, direction }: ProviderOrder,
  page: PageRequest,
): Promise<Page<ProviderWithOfficeNames>> {
  const where = { ...tx.practice, active: true };
  const nullable = by === 'displayName' || by === 'npi' || by === 'specialty' || by === 'providerTypeId';
  const first = { [by]: nullable ? { sort: direction, nulls: 'last' as const } : direction };
  const [items, total] = await Promise.all([
    tx.prisma.provider.findMany({ where, include: WITH_OFFICE_NAMES, orderBy: [first, { id: direction }], ...window(page) }),
    tx.prisma.provider.count({ where }),
  ]);
  return { ...page, items, total };
}

/** Finds a provider, also an inactive one. @throws Failure not_found */
export async function findProviderWithOfficeNames(tx: PracticeTx, id: number): Promise<ProviderWithOfficeNames> {
  const provider = await tx.prisma.provider.findUnique({ where: tx.key(id), include: WITH_OFFICE_NAMES });
  if (!provider) throw notFound('provider');
  return provider;
}

/** The provider with this NPI. @throws Failure invalid for a wrong check digit, not_found */
export async function findProviderByIdentifier(tx: PracticeTx, npi: string): Promise<ProviderWithOfficeNames> {
  if (!isProviderIdentifier(npi)) throw invalid('npi', 'must be ten digits with a valid check digit', 'invalid_npi');
  const provider = await tx.prisma.provider.findUnique({
    where: { organizationId_npi: { ...tx.practice, npi } },
    include: WITH_OFFICE_NAMES,
  });
  if (!provider) throw notFound('provider');
  return provider;
}

/**
 * Adds a provider.
 * @throws Failure invalid for an NPI with a wrong check digit, conflict for one that the practice has already, not_found for
 *   an unknown office or user
 */
export async function createProvider(tx: Tx, { officeIds = [], ...input }: ProviderInput): Promise<Provider> {
  if (input.npi !== undefined) await requireUsableIdentifier(tx, input.npi);
  if (input.userId !== undefined) await requireUsableUser(tx, input.userId);
  for (const id of officeIds) await findOffice(tx, id);
  const provider = await tx.prisma.provider.create({
    data: { ...input, ...tx.practice, homeOfficeId: officeIds[0] ?? null },
    select: { id: true },
  });
  await tx.prisma.providerOffice.createMany({
    data: [...new Set(officeIds)].map((officeId) => ({ ...tx.practice, providerId: provider.id, officeId })),
  });
  recordChange(tx, 'administer', { name: 'provider.created', id: provider.id });
  return tx.prisma.provider.findUniqueOrThrow({ where: tx.key(provider.id), include: WITH_OFFICES });
}

/** @throws Failure invalid for a malformed NPI, conflict for one that another provider than `own` has */
export async function requireUsableIdentifier(tx: Tx, npi: string, own?: number): Promise<void> {
  if (!isProviderIdentifier(npi)) throw invalid('npi', 'must be ten digits with a valid check digit', 'invalid_npi');
  const holder = await tx.prisma.provider.findUnique({
    where: { organizationId_npi: { ...tx.practice, npi } },
    select: { id: true },
  });
  if (holder && holder.id !== own) throw conflict('npi_taken', `Provider ${holder.id} already has this NPI.`, 'npi');
}

/** @throws Failure not_found; conflict where another provider than `own` is the user */
export async function requireUsableUser(tx: Tx, id: number, own?: number): Promise<void> {
  const user = await tx.prisma.user.findUnique({ where: tx.key(id), select: { type: true } });
  if (!user || user.type === 'interface') throw notFound('user');
  const existing = await tx.prisma.provider.findFirst({
    where: { ...tx.practice, userId: id, ...(own === undefined ? {} : { id: { not: own } }) },
    select: { id: true },
  });
  if (existing) throw conflict('user_is_provider', `Provider ${existing.id} already is this user.`);
}

/** Removes a provider to which nothing refers. */
export async function removeProvider(tx: Tx, id: number): Promise<void> {
  await tx.prisma.provider.delete({ where: tx.key(id), select: { id: true } });
  recordChange(tx, 'administer', { name: 'provider.removed', id });
}
