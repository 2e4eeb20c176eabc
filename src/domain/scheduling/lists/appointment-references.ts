import type { Prepared } from '../../../database/statements/statement.ts';
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
import { REFERENCES, type Reference } from './references.sql.ts';

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
  for (const reference of await prepared.rows(REFERENCES, [organizationId, ...idsOf(rows)])) add(references, reference);
  return references;
}

/** A row as its readers get it. Of a restricted chart it names no patient to a caller who may not see such charts. */
export function appointmentOf(caller: CallerIdentity, row: AppointmentRow, references: References): Appointment {
  const isOpened = row.patientId !== null && caller.openedCharts?.has(row.patientId) === true;
  const isRestricted = row.chartRestricted === true || isOpened;
  const shown = !isRestricted || maySeeChart(caller, row.patientId) ? row : { ...row, ...NO_PATIENT, patientId: null };
  const find = <K, T>(known: Map<K, T>, id: K | null): T | null => (id === null ? null : (known.get(id) ?? null));
  return {
    ...shown,
    patient: patientOf(shown),
    patientRestricted: isRestricted,
    type: find(references.types, typeKey(row)),
    office: find(references.offices, row.officeId),
    location: find(references.locations, row.locationId),
    waitingRoom: find(references.waitingRooms, row.waitingRoomId),
    createdBy: find(references.users, row.createdByUserId),
    users: row.userIds.flatMap((id) => references.users.get(id) ?? []),
  };
}

function patientOf(row: AppointmentRow): AppointmentPatient | null {
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

function idsOf(rows: AppointmentRow[]) {
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
