import { statement, written } from '../../../database/statements/statement.ts';
import type { AppointmentType } from '../types/appointment-types.ts';
import type { AppointmentLocation, AppointmentOffice, AppointmentUser, AppointmentWaitingRoom } from './appointment-view.ts';

/** A record that appointments refer to, of the organization `owner` (another one for a global type). */
export type Reference = { owner: number } & (
  | ({ kind: 'type' } & AppointmentType)
  | ({ kind: 'office' } & AppointmentOffice)
  | ({ kind: 'location' } & AppointmentLocation)
  | ({ kind: 'waitingRoom' } & AppointmentWaitingRoom)
  | ({ kind: 'user' } & AppointmentUser)
);

const ADDRESS = (of: string) => ({
  address1: `${of}.address1`,
  address2: `${of}.address2`,
  city: `${of}.city`,
  state: `${of}.state`,
  zip: `${of}.zip`,
});

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

const OFFICES = references(
  'office',
  {
    owner: 'o.organization_id',
    id: 'o.id',
    name: 'o.name',
    patientDepartmentName: 'o.patient_department_name',
    timeZone: 'o.time_zone',
    phone: 'o.phone',
    fax: 'o.fax',
    active: 'o.active',
    ...ADDRESS('o'),
  },
  'FROM office o WHERE o.organization_id = $1 AND o.id = ANY ($2::int[])',
);
const LOCATIONS = references(
  'location',
  { owner: 'l.organization_id', id: 'l.id', name: 'l.name', phone: 'l.phone', ...ADDRESS('l') },
  'FROM location l WHERE l.organization_id = $1 AND l.id = ANY ($3::int[])',
);
const WAITING_ROOMS = references(
  'waitingRoom',
  { owner: 'w.organization_id', id: 'w.id', name: 'w.name', userId: 'w.user_id' },
  'FROM waiting_room w WHERE w.organization_id = $1 AND w.id = ANY ($4::int[])',
);
const USERS = references(
  'user',
  {
    owner: 'u.organization_id',
    id: 'u.id',
    type: 'u.type',
    firstName: 'u.first_name',
    lastName: 'u.last_name',
    email: 'u.email',
    phone: 'u.phone',
    active: 'u.active',
  },
  'FROM "user" u WHERE u.organization_id = $1 AND u.id = ANY ($5::int[])',
);
const TYPES = references(
  'type',
  {
    owner: 't.organization_id',
    id: 't.id',
    name: 't.name',
    description: 't.description',
    durationMinutes: 't.duration_minutes',
    active: 't.active',
    isGlobal: 't.is_global',
    createdAt: written('t.created_at'),
    updatedAt: written('t.updated_at'),
  },
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
