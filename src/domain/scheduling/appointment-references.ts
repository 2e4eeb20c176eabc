import type { Prepared } from '../../database/statement.ts';
import { APPOINTMENT_REFERENCES } from './appointment-references.sql.ts';
import type { AppointmentReference, ShownLocation, ShownOffice, ShownType, ShownUser, ShownWaitingRoom } from './appointment-view.ts';
import type { AppointmentRow } from './appointments.sql.ts';

/** What appointments of an organization refer to, by id; types, of which some are another's, by `typeKey`. */
export interface References {
  types: Map<string, ShownType>;
  offices: Map<number, ShownOffice>;
  locations: Map<number, ShownLocation>;
  waitingRooms: Map<number, ShownWaitingRoom>;
  users: Map<number, ShownUser>;
}

/**
 * What the rows of one page refer to, and maybe more. Offices, types and people are few and stand in many rows, so each is
 * read once and not with every row, and not again while the database says with the page that nothing of it has changed: what
 * is remembered is what the page's own statement would have seen.
 * @param rows with the version on the first
 */
export async function referencesOf(prepared: Prepared, organizationId: number, rows: AppointmentRow[]): Promise<References> {
  const standing = recall(prepared, organizationId, rows[0]?.references_version ?? null);
  if (standing && rows.every((row) => holds(standing, row))) return standing;
  const read = await prepared.rows(APPOINTMENT_REFERENCES, [organizationId, ...idsOf(rows)]);
  remember(prepared, organizationId, read);
  return read.reduce(add, none());
}

/** The ids of `{1,2}`. */
export const usersOf = ({ user_ids }: AppointmentRow) => (user_ids === '{}' ? [] : user_ids.slice(1, -1).split(',').map(Number));

/** Under which a type stands in References; null where the row has none. */
export const typeKey = ({ type_organization_id: owner, type_id: id }: AppointmentRow) => (id === null ? null : `${owner}/${id}`);

function idsOf(rows: AppointmentRow[]) {
  const [offices, locations, rooms, users] = [new Set<number>(), new Set<number>(), new Set<number>(), new Set<number>()];
  const types = new Map<string | null, [number, number]>();
  for (const row of rows) {
    if (row.office_id !== null) offices.add(row.office_id);
    if (row.location_id !== null) locations.add(row.location_id);
    if (row.waiting_room_id !== null) rooms.add(row.waiting_room_id);
    if (row.created_by_user_id !== null) users.add(row.created_by_user_id);
    for (const id of usersOf(row)) users.add(id);
    if (row.type_id !== null && row.type_organization_id !== null) types.set(typeKey(row), [row.type_organization_id, row.type_id]);
  }
  const owned = [...types.values()];
  return [[...offices], [...locations], [...rooms], [...users], owned.map(([owner]) => owner), owned.map(([, id]) => id)];
}

function holds(known: References, row: AppointmentRow): boolean {
  const has = <K>(map: Map<K, unknown>, id: K | null) => id === null || map.has(id);
  return (
    has(known.types, typeKey(row)) &&
    has(known.offices, row.office_id) &&
    has(known.locations, row.location_id) &&
    has(known.waitingRooms, row.waiting_room_id) &&
    has(known.users, row.created_by_user_id) &&
    usersOf(row).every((id) => known.users.has(id))
  );
}

const none = (): References => ({ types: new Map(), offices: new Map(), locations: new Map(), waitingRooms: new Map(), users: new Map() });

function add(known: References, reference: AppointmentReference): References {
  if (reference.kind === 'type') known.types.set(`${reference.owner}/${reference.id}`, reference);
  else if (reference.kind === 'office') known.offices.set(reference.id, reference);
  else if (reference.kind === 'location') known.locations.set(reference.id, reference);
  else if (reference.kind === 'waitingRoom') known.waitingRooms.set(reference.id, reference);
  else known.users.set(reference.id, reference);
  return known;
}

/** Of one organization, all of one version. */
interface Remembered {
  version: string;
  references: References;
  /** How many there are. */
  size: number;
}

const MOST_ORGANIZATIONS = 100;
/** Of one organization, before it is begun anew: half a megabyte. */
const MOST_REFERENCES = 2_000;

/** By where they were read, then by organization, the one that was asked for last at the end. */
const memories = new WeakMap<Prepared, Map<number, Remembered>>();

function recall(prepared: Prepared, organizationId: number, version: string | null): References | null {
  const organizations = memories.get(prepared);
  const standing = organizations?.get(organizationId);
  if (!organizations || !standing || standing.version !== version) return null;
  organizations.delete(organizationId);
  organizations.set(organizationId, standing);
  return standing.references;
}

/** Adds what was read to what is remembered of its version; what is of another is forgotten. */
function remember(prepared: Prepared, organizationId: number, read: AppointmentReference[]): void {
  const version = read[0]?.version;
  // A type of another organization that is global no more changes without a word.
  const lasting = read.filter((reference) => reference.kind !== 'type' || reference.owner === organizationId || reference.isGlobal);
  if (version === undefined || lasting.length > MOST_REFERENCES) return;
  const organizations = memories.get(prepared) ?? new Map<number, Remembered>();
  memories.set(prepared, organizations);
  const standing = organizations.get(organizationId);
  // Many requests are shown the same objects.
  for (const reference of lasting) Object.freeze(reference);
  const goesOn = standing?.version === version && standing.size + lasting.length <= MOST_REFERENCES;
  const references = lasting.reduce(add, goesOn ? standing.references : none());
  const size = Object.values(references).reduce((sum: number, { size: some }: Map<unknown, unknown>) => sum + some, 0);
  organizations.delete(organizationId);
  organizations.set(organizationId, { version, references, size });
  const [eldest] = organizations.keys();
  if (eldest !== undefined && organizations.size > MOST_ORGANIZATIONS) organizations.delete(eldest);
}
