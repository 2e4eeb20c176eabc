import { type Prepared, statement } from '../../../database/statements/statement.ts';
import { type CallerIdentity, maySeeChart } from '../../caller.ts';
import { type AppointmentRow, NO_PATIENT } from '../appointments.sql.ts';
import type { AppointmentType } from '../types/appointment-types.ts';
import type {
  Appointment,
  AppointmentLocation,
  AppointmentOffice,
  AppointmentPatient,
  AppointmentUser,
  AppointmentWaitingRoom,
} from './appointment-view.ts';
import { LOCATION, OFFICE, type ReferredRecords, TYPE, USER, WAITING_ROOM } from './reference-columns.ts';

/** Records that appointments of an organization refer to, by id; types, of which some are another organization's, by `typeKey`. */
interface References {
  types: Map<string, AppointmentType>;
  offices: Map<number, AppointmentOffice>;
  locations: Map<number, AppointmentLocation>;
  waitingRooms: Map<number, AppointmentWaitingRoom>;
  users: Map<number, AppointmentUser>;
}

/** The references of the rows of one page: there are few offices, types and users, and many rows name each. */
export async function findReferences(prepared: Prepared, organizationId: number, rows: AppointmentRow[]): Promise<References> {
  const references: References = { types: new Map(), offices: new Map(), locations: new Map(), waitingRooms: new Map(), users: new Map() };
  for (const reference of await prepared.rows(REFERENCES, [organizationId, ...listReferenceIds(rows)])) add(references, reference);
  return references;
}

/** A row of a page with the records that it refers to. */
export function toAppointment(caller: CallerIdentity, row: AppointmentRow, references: References): Appointment {
  const find = <K, T>(known: Map<K, T>, id: K | null): T | null => (id === null ? null : (known.get(id) ?? null));
  return assembleAppointment(caller, row, {
    type: find(references.types, typeKey(row)),
    office: find(references.offices, row.officeId),
    location: find(references.locations, row.locationId),
    waitingRoom: find(references.waitingRooms, row.waitingRoomId),
    createdBy: find(references.users, row.createdByUserId),
    users: row.userIds.flatMap((id) => references.users.get(id) ?? []),
  });
}

/** The records that an appointment refers to, as it shows them. */
type Referred = Pick<Appointment, 'type' | 'office' | 'location' | 'waitingRoom' | 'createdBy' | 'users'>;

/** The same for one appointment of which they are at hand. */
export function assembleOne(caller: CallerIdentity, row: AppointmentRow, { people, ...records }: ReferredRecords): Appointment {
  const known = new Map(people.map((user) => [user.id, user]));
  const find = (id: number) => known.get(id) ?? null;
  const createdBy = row.createdByUserId === null ? null : find(row.createdByUserId);
  return assembleAppointment(caller, row, { ...records, createdBy, users: row.userIds.flatMap((id) => find(id) ?? []) });
}

/** A row as its readers get it. Of a restricted chart it names no patient to a caller who may not see such charts. */
function assembleAppointment(caller: CallerIdentity, row: AppointmentRow, referred: Referred): Appointment {
  const isOpened = row.patientId !== null && caller.openedCharts?.has(row.patientId) === true;
  const isRestricted = row.chartRestricted === true || isOpened;
  const shown = !isRestricted || maySeeChart(caller, row.patientId) ? row : withoutPatient(row);
  return { ...shown, patient: toAppointmentPatient(shown), patientRestricted: isRestricted, ...referred };
}

/** Reasons for which a status changed may name the patient too. */
const withoutPatient = (row: AppointmentRow): AppointmentRow => ({
  ...row,
  ...NO_PATIENT,
  patientId: null,
  statusChanges: row.statusChanges.map((change) => ({ ...change, reason: null })),
});

function toAppointmentPatient(row: AppointmentRow): AppointmentPatient | null {
  if (row.patientId === null || row.patientStatus === null) return null;
  return {
    id: row.patientId,
    status: row.patientStatus,
    firstName: row.firstName,
    lastName: row.lastName,
    birthDate: row.birthDate,
    sex: row.sex,
    address1: row.address1,
    address2: row.address2,
    city: row.city,
    state: row.state,
    zip: row.zip,
    email: row.email,
    mobilePhone: row.mobilePhone,
    doNotSms: row.doNotSms === true,
    admitDate: row.admitDate,
    medicalRecordNo: row.medicalRecordNo,
    census: row.census,
    primaryProviderId: row.primaryProviderId,
    locationId: row.patientLocationId,
    flags: row.flags ?? [],
  };
}

/** Key of a row's type in References; null where the row has none. */
const typeKey = ({ typeOrganizationId: owner, typeId: id }: AppointmentRow): string | null => (id === null ? null : `${owner}/${id}`);

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
