import type { Appointment as AppointmentColumns, Location, Office, Patient, User, WaitingRoom } from '../../../generated/prisma/client.ts';
import type { AppointmentType } from '../types/appointment-types.ts';
import type { StatusChange } from './appointment-statuses.ts';

type Plain =
  | 'id'
  | 'timeZone'
  | 'durationMinutes'
  | 'status'
  | 'confirmation'
  | 'confirmedBy'
  | 'initialSmsSent'
  | 'showOnTasks'
  | 'patientId'
  | 'typeId'
  | 'officeId'
  | 'locationId'
  | 'waitingRoomId'
  | 'providerId';

/** Instants are in UTC, such as `2026-03-08T14:30:00Z`; days are `YYYY-MM-DD`. The database writes both as text. */
export interface AppointmentFields extends Pick<AppointmentColumns, Plain> {
  startsAt: string | null;
  endsAt: string | null;
  /** Wall clock in `timeZone`, such as `2026-03-08T09:30:00`. */
  localStart: string | null;
  confirmedAt: string | null;
  createdAt: string;
  updatedAt: string;
  statusChanges: StatusChange[];
}

type Address = 'address1' | 'address2' | 'city' | 'state' | 'zip';
type Person = 'id' | 'firstName' | 'lastName' | 'email';

/** The patient's chart as appointments show it; telephone numbers are E.164. */
export interface AppointmentPatient
  extends Pick<
    Patient,
    Person | Address | 'mobilePhone' | 'sex' | 'medicalRecordNo' | 'census' | 'primaryProviderId' | 'locationId' | 'flags' | 'doNotSms'
  > {
  status: Exclude<Patient['status'], 'deleted'>;
  birthDate: string | null;
  admitDate: string | null;
}

export type AppointmentOffice = Pick<Office, 'id' | 'name' | 'patientDepartmentName' | 'timeZone' | 'phone' | 'fax' | 'active' | Address>;
export type AppointmentLocation = Pick<Location, 'id' | 'name' | 'phone' | Address>;
/** `userId` is the host, where the room is one person's. */
export type AppointmentWaitingRoom = Pick<WaitingRoom, 'id' | 'name' | 'userId'>;
export type AppointmentUser = Pick<User, Person | 'type' | 'phone' | 'active'>;

/** An appointment with its patient and the records that it refers to, as every reader gets it. */
export interface Appointment extends AppointmentFields {
  /** Null also where the chart was deleted, and where it is restricted and the caller may not see it; so is patientId then. */
  patient: AppointmentPatient | null;
  /** The patient's chart is restricted or blocked, whether it is shown or not. */
  patientRestricted: boolean;
  type: AppointmentType | null;
  office: AppointmentOffice | null;
  location: AppointmentLocation | null;
  waitingRoom: AppointmentWaitingRoom | null;
  createdBy: AppointmentUser | null;
  /** Participants, by id. */
  users: AppointmentUser[];
}
