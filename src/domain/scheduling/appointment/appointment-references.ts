import { statement } from '../../../database/statements/statement.ts';
import type { PracticeTx } from '../../tx.ts';
import type { AppointmentType } from '../types/appointment-types.ts';
import type { AppointmentLocation, AppointmentOffice, AppointmentUser, AppointmentWaitingRoom } from './appointment-view.ts';
import type { AppointmentRow } from './appointments.sql.ts';
import { LOCATION, OFFICE, TYPE, USER, WAITING_ROOM } from './reference-columns.ts';

/** Records that appointments of an organization refer to, by id; types, of which some are another organization's, by `typeKey`. */
export interface References {
  types: Map<string, AppointmentType>;
  offices: Map<number, AppointmentOffice>;
  locations: Map<number, AppointmentLocation>;
  waitingRooms: Map<number, AppointmentWaitingRoom>;
  users: Map<number, AppointmentUser>;
}

/** The references of the rows of one page: there are few offices, types and users, and many rows name each. */
export async function findReferences(tx: PracticeTx, rows: AppointmentRow[]): Promise<References> {
  const references: References = { types: new Map(), offices: new Map(), locations: new Map(), waitingRooms: new Map(), users: new Map() };
  for (const reference of await tx.rows(REFERENCES, [...listReferenceIds(rows)])) add(references, reference);
  return references;
}

/** Key of a row's type in References; null where the row has none. */
export const typeKey = ({ typeOrganizationId: owner, typeId: id }: AppointmentRow): string | null =>
  id === null ? null : `${owner}/${id}`;

function listReferenceIds(rows: AppointmentRow[]) {
  const idsIn = (field: 'officeId' | 'locationId' | 'waitingRoomId') => [...new Set(rows.flatMap((row) => row[field] ?? []))];
  const users = new Set(rows.flatMap(({ userIds, createdByUserId: maker }) => (maker === null ? userIds : [...userIds, maker])));
  const types = [...new Map(rows.map((row) => [typeKey(row), row])).values()].filter(({ typeId }) => typeId !== null);
  const ofTypes = [types.map(({ typeOrganizationId }) => typeOrganizationId), types.map(({ typeId }) => typeId)];
  return [idsIn('officeId'), idsIn('locationId'), idsIn('waitingRoomId'), [...users], ...ofTypes];
}

function add(references: References, reference: Reference): void {
  if (reference.kind === 'type') references.types.set(`${reference.owner}/${reference.id}`, reference);
  else if (reference.kind === 'office') references.offices.set(reference.id, reference);
  else if (reference.kind === 'location') references.locations.set(reference.id, reference);
  else if (reference.kind === 'waitingRoom') references.waitingRooms.set(reference.id, reference);
  else references.users.set(reference.id, reference);
}

/** A record that appointments refer to, of the organization `owner` (another one for a global type). */
type Reference = { owner: number } & (
  | ({ kind: 'type' } & AppointmentType)
  | ({ kind: 'office' } & AppointmentOffice)
  | ({ kind: 'location' } & AppointmentLocation)
  | ({ kind: 'waitingRoom' } & AppointmentWaitingRoom)
  | ({ kind: 'user' } & AppointmentUser)
);

/** Columns of all kinds of references, with their types. A kind leaves those null that it does not have. */
const REFERENCE_COLUMNS = [
  ['owner', 'int'],
  ['id', 'int'],
  ['name', 'text'],
  ['active', 'bool'],
  ['phone', 'text'],
  ['address1', 'text'],
  ['address2', 'text'],
  ['city', 'text'],
  ['state', 'text'],
  ['zip', 'text'],
  ['patientDepartmentName', 'text'],
  ['timeZone', 'text'],
  ['fax', 'text'],
  ['userId', 'int'],
  ['type', 'text'],
  ['firstName', 'text'],
  ['lastName', 'text'],
  ['email', 'text'],
  ['description', 'text'],
  ['durationMinutes', 'int'],
  ['isGlobal', 'bool'],
  ['createdAt', 'text'],
  ['updatedAt', 'text'],
] as const;

type ReferenceColumns = { [C in (typeof REFERENCE_COLUMNS)[number][0]]?: string };

/** Selects references of one kind. Columns take half as long as JSON. */
function references(kind: Reference['kind'], columns: ReferenceColumns, from: string): string {
  const selected = REFERENCE_COLUMNS.map(([name, type]) => `${columns[name] ?? 'NULL'}::${type} AS "${name}"`);
  return `SELECT '${kind}' AS kind, ${selected.join(', ')} ${from}`;
}

const owned = (of: string, parameter: string) => `WHERE ${of}.organization_id = $1 AND ${of}.id = ANY (${parameter}::int[])`;

const OFFICES = references('office', { owner: 'f.organization_id', ...OFFICE }, `FROM office f ${owned('f', '$2')}`);
const LOCATIONS = references('location', { owner: 'l.organization_id', ...LOCATION }, `FROM location l ${owned('l', '$3')}`);
const WAITING_ROOMS = references('waitingRoom', { owner: 'w.organization_id', ...WAITING_ROOM }, `FROM waiting_room w ${owned('w', '$4')}`);
const USERS = references('user', { owner: 'u.organization_id', ...USER }, `FROM "user" u ${owned('u', '$5')}`);
const TYPES = references(
  'type',
  { owner: 't.organization_id', ...TYPE },
  'FROM unnest($6::int[], $7::int[]) AS k (owner, id) JOIN appointment_type t ON t.organization_id = k.owner AND t.id = k.id',
);

/**
 * References of a page of appointments, each once.
 * Values: organization, ids of offices, of locations, of waiting rooms, of users; owners of types, and as many ids of types.
 */
export const REFERENCES = statement<Reference>(
  'appointment_references',
  [OFFICES, LOCATIONS, WAITING_ROOMS, USERS, TYPES].join(' UNION ALL '),
);
