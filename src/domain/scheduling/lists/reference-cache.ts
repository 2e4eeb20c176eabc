import type { Prepared } from '../../../database/statements/statement.ts';
import type { AppointmentRow } from '../appointments.sql.ts';
import type { AppointmentType } from '../types/appointment-types.ts';
import type { AppointmentLocation, AppointmentOffice, AppointmentUser, AppointmentWaitingRoom } from './appointment-view.ts';
import { REFERENCES, type Reference } from './references.sql.ts';

/** Records that appointments of an organization refer to, by id; types, of which some are another organization's, by `typeKey`. */
export interface References {
  types: Map<string, AppointmentType>;
  offices: Map<number, AppointmentOffice>;
  locations: Map<number, AppointmentLocation>;
  waitingRooms: Map<number, AppointmentWaitingRoom>;
  users: Map<number, AppointmentUser>;
}

/**
 * The references of the rows of one page, and maybe more. There are few offices, types and users, and many rows name each;
 * so they are read once a page, and not at all while the version that came with the page equals the cached one: the cache
 * then holds what the page's own statement would have read.
 * @param rows with the version on the first
 */
export async function findReferences(prepared: Prepared, organizationId: number, rows: AppointmentRow[]): Promise<References> {
  const cached = readCache(prepared, organizationId, rows[0]?.referencesVersion ?? null);
  if (cached && rows.every((row) => hasAll(cached, row))) return cached;
  const read = await prepared.rows(REFERENCES, [organizationId, ...idsOf(rows)]);
  writeCache(prepared, organizationId, read);
  return read.reduce(add, noReferences());
}

/** Participants of a row: the ids of `{1,2}`. */
export const participantIds = ({ userIds }: AppointmentRow): number[] =>
  userIds === '{}' ? [] : userIds.slice(1, -1).split(',').map(Number);

/** Key of a row's type in References; null where the row has none. */
export const typeKey = ({ typeOrganizationId: owner, typeId: id }: AppointmentRow): string | null =>
  id === null ? null : `${owner}/${id}`;

function idsOf(rows: AppointmentRow[]) {
  const [offices, locations, rooms, users] = [new Set<number>(), new Set<number>(), new Set<number>(), new Set<number>()];
  const types = new Map<string | null, [number, number]>();
  for (const row of rows) {
    if (row.officeId !== null) offices.add(row.officeId);
    if (row.locationId !== null) locations.add(row.locationId);
    if (row.waitingRoomId !== null) rooms.add(row.waitingRoomId);
    if (row.createdByUserId !== null) users.add(row.createdByUserId);
    for (const id of participantIds(row)) users.add(id);
    if (row.typeId !== null && row.typeOrganizationId !== null) types.set(typeKey(row), [row.typeOrganizationId, row.typeId]);
  }
  const owned = [...types.values()];
  return [[...offices], [...locations], [...rooms], [...users], owned.map(([owner]) => owner), owned.map(([, id]) => id)];
}

function hasAll(references: References, row: AppointmentRow): boolean {
  const has = <K>(map: Map<K, unknown>, id: K | null) => id === null || map.has(id);
  return (
    has(references.types, typeKey(row)) &&
    has(references.offices, row.officeId) &&
    has(references.locations, row.locationId) &&
    has(references.waitingRooms, row.waitingRoomId) &&
    has(references.users, row.createdByUserId) &&
    participantIds(row).every((id) => references.users.has(id))
  );
}

const noReferences = (): References => ({
  types: new Map(),
  offices: new Map(),
  locations: new Map(),
  waitingRooms: new Map(),
  users: new Map(),
});

function add(references: References, reference: Reference): References {
  if (reference.kind === 'type') references.types.set(`${reference.owner}/${reference.id}`, reference);
  else if (reference.kind === 'office') references.offices.set(reference.id, reference);
  else if (reference.kind === 'location') references.locations.set(reference.id, reference);
  else if (reference.kind === 'waitingRoom') references.waitingRooms.set(reference.id, reference);
  else references.users.set(reference.id, reference);
  return references;
}

/** References of one organization, all of one version. */
interface Entry {
  version: string;
  references: References;
  /** Number of references. */
  size: number;
}

const MAX_ENTRIES = 100;
/** References that one entry holds at most, about half a megabyte; an entry that would exceed it is emptied first. */
const MAX_REFERENCES = 2_000;

/** One cache for each connection pool, its entries by organization; the one that was used last is the last. */
const caches = new WeakMap<Prepared, Map<number, Entry>>();

function readCache(prepared: Prepared, organizationId: number, version: string | null): References | null {
  const cache = caches.get(prepared);
  const entry = cache?.get(organizationId);
  if (!cache || !entry || entry.version !== version) return null;
  cache.delete(organizationId);
  cache.set(organizationId, entry);
  return entry.references;
}

/** Adds references to the entry of their version. An entry of another version is dropped, and so is the least recently used. */
function writeCache(prepared: Prepared, organizationId: number, read: Reference[]): void {
  const version = read[0]?.version;
  // Another organization's type that is no longer global changes without a new version.
  const versioned = read.filter((reference) => reference.kind !== 'type' || reference.owner === organizationId || reference.isGlobal);
  if (version === undefined || versioned.length > MAX_REFERENCES) return;
  const cache = caches.get(prepared) ?? new Map<number, Entry>();
  caches.set(prepared, cache);
  const entry = cache.get(organizationId);
  // Many requests share these objects.
  for (const reference of versioned) Object.freeze(reference);
  const isCurrent = entry?.version === version && entry.size + versioned.length <= MAX_REFERENCES;
  const references = versioned.reduce(add, isCurrent ? entry.references : noReferences());
  const size = Object.values(references).reduce((sum: number, { size: some }: Map<unknown, unknown>) => sum + some, 0);
  cache.delete(organizationId);
  cache.set(organizationId, { version, references, size });
  const [leastRecent] = cache.keys();
  if (leastRecent !== undefined && cache.size > MAX_ENTRIES) cache.delete(leastRecent);
}
