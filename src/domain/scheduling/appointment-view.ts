import type { Appointment } from './appointments.ts';

/** A row, or some fields of it, of which the database may have written the dates already. */
type Shown<T> = { [K in keyof T]: Date extends T[K] ? T[K] | string : T[K] };
type Part<T, K extends keyof NonNullable<T>> = Shown<Pick<NonNullable<T>, K>>;
type Address = 'address1' | 'address2' | 'city' | 'state' | 'zip';

export type ShownType = Part<
  Appointment['type'],
  'id' | 'name' | 'description' | 'durationMinutes' | 'active' | 'isGlobal' | 'createdAt' | 'updatedAt'
>;
export type ShownOffice = Part<
  Appointment['office'],
  'id' | 'name' | 'patientDepartmentName' | 'timeZone' | 'phone' | 'fax' | 'active' | Address
>;
export type ShownLocation = Part<Appointment['location'], 'id' | 'name' | 'phone' | Address>;
export type ShownWaitingRoom = Part<Appointment['waitingRoom'], 'id' | 'name' | 'userId'>;
export type ShownUser = Part<Appointment['users'][number]['user'], 'id' | 'type' | 'firstName' | 'lastName' | 'email' | 'phone' | 'active'>;

type PatientName = 'id' | 'status' | 'firstName' | 'lastName' | 'birthDate' | 'sex';
type PatientReach = Address | 'email' | 'mobilePhone' | 'doNotSms';
type PatientCare = 'admitDate' | 'medicalRecordNo' | 'census' | 'primaryProviderId' | 'locationId' | 'flags';
export type ShownPatient = Part<Appointment['patient'], PatientName | PatientReach | PatientCare>;

type Times = 'startsAt' | 'endsAt' | 'localStart' | 'timeZone' | 'durationMinutes' | 'createdAt' | 'updatedAt';
type State = 'status' | 'confirmation' | 'confirmedAt' | 'confirmedBy' | 'initialSmsSent' | 'showOnTasks';
type Ids = 'id' | 'patientId' | 'typeId' | 'officeId' | 'locationId' | 'waitingRoomId' | 'providerId';

/** An appointment with all that a screen shows of it: as Prisma reads one, and as lists are read. */
export interface ShownAppointment extends Part<Appointment, Ids | Times | State> {
  patient: ShownPatient | null;
  type: ShownType | null;
  office: ShownOffice | null;
  location: ShownLocation | null;
  waitingRoom: ShownWaitingRoom | null;
  createdBy: Pick<ShownUser, 'id' | 'firstName' | 'lastName'> | null;
  users: { user: ShownUser }[];
}

/** Something that appointments of a page refer to, of its owner (of a global type another organization), and as of which version. */
export type AppointmentReference = { owner: number; version: string } & (
  | ({ kind: 'type' } & ShownType)
  | ({ kind: 'office' } & ShownOffice)
  | ({ kind: 'location' } & ShownLocation)
  | ({ kind: 'waitingRoom' } & ShownWaitingRoom)
  | ({ kind: 'user' } & ShownUser)
);
