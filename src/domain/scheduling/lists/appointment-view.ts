import type { AppointmentStatus } from '../../values/appointment-status.ts';
import type { ConfirmationAnswer } from '../confirmation.ts';
import type { AppointmentType } from '../types/appointment-types.ts';

/** Instants are in UTC, such as `2026-03-08T14:30:00Z`; days are `YYYY-MM-DD`. The database writes both as text. */
export interface AppointmentFields {
  id: number;
  startsAt: string | null;
  endsAt: string | null;
  /** Wall clock in `timeZone`, such as `2026-03-08T09:30:00`. */
  localStart: string | null;
  /** IANA name. */
  timeZone: string;
  durationMinutes: number;
  status: AppointmentStatus;
  confirmation: ConfirmationAnswer;
  confirmedAt: string | null;
  /** `patient` or `user`. */
  confirmedBy: string | null;
  initialSmsSent: boolean | null;
  showOnTasks: boolean;
  createdAt: string;
  updatedAt: string;
  patientId: number | null;
  typeId: number | null;
  officeId: number | null;
  locationId: number | null;
  waitingRoomId: number | null;
  providerId: number | null;
}

interface Address {
  address1: string | null;
  address2: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
}

/** The patient's chart as appointments show it. */
export interface AppointmentPatient extends Address {
  id: number;
  status: 'active' | 'inactive' | 'prospective';
  firstName: string | null;
  lastName: string | null;
  email: string | null;
  /** E.164, as every telephone number. */
  mobilePhone: string | null;
  birthDate: string | null;
  admitDate: string | null;
  sex: string | null;
  medicalRecordNo: string | null;
  census: boolean | null;
  primaryProviderId: number | null;
  locationId: number | null;
  flags: string[];
  doNotSms: boolean;
}

export interface AppointmentOffice extends Address {
  id: number;
  name: string;
  patientDepartmentName: string | null;
  timeZone: string;
  phone: string | null;
  fax: string | null;
  active: boolean;
}

export interface AppointmentLocation extends Address {
  id: number;
  name: string;
  phone: string | null;
}

export interface AppointmentWaitingRoom {
  id: number;
  name: string;
  /** The host, where the room is one person's. */
  userId: number | null;
}

export interface AppointmentUser {
  id: number;
  type: string;
  firstName: string;
  lastName: string;
  email: string | null;
  phone: string | null;
  active: boolean;
}

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
