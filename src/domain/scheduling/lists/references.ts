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

/** The references of the rows of one page: there are few offices, types and users, and many rows name each. */
export async function findReferences(prepared: Prepared, organizationId: number, rows: AppointmentRow[]): Promise<References> {
  const references: References = { types: new Map(), offices: new Map(), locations: new Map(), waitingRooms: new Map(), users: new Map() };
  for (const reference of await prepared.rows(REFERENCES, [organizationId, ...idsOf(rows)])) add(references, reference);
  return references;
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

function add(references: References, reference: Reference): void {
  if (reference.kind === 'type') references.types.set(`${reference.owner}/${reference.id}`, reference);
  else if (reference.kind === 'office') references.offices.set(reference.id, reference);
  else if (reference.kind === 'location') references.locations.set(reference.id, reference);
  else if (reference.kind === 'waitingRoom') references.waitingRooms.set(reference.id, reference);
  else references.users.set(reference.id, reference);
}
