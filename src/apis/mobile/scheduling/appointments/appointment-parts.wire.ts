import { z } from 'zod';
import type { AppointmentOffice, AppointmentPatient, AppointmentUser } from '../../../../domain/scheduling/appointment/appointment-view.ts';
import { writePhone } from '../../../../domain/values/phone-numbers.ts';
import { calendarDay } from '../../../../http/wire/wire-types.ts';
import { addressShape, fromAddress } from '../../people/organizations/organizations.wire.ts';

export const PatientShape = z
  .strictObject({
    uuid: z.int(),
    status: z.string(),
    firstname: z.string().nullable(),
    lastname: z.string().nullable(),
    address: addressShape,
    email: z.string().nullable(),
    phone_no: z.string().nullable().describe('Mobile number; ten digits if North American, otherwise E.164'),
    dob: calendarDay().nullable().describe('YYYY-MM-DD'),
    admit_date: calendarDay().nullable().describe('YYYY-MM-DD'),
    gender: z.string().nullable(),
    med_rec_no: z.string().nullable().describe('Medical record number in an external system'),
    census: z.boolean().nullable(),
    provider: z.int().nullable().describe('Provider id'),
    location: z.int().nullable().describe('Location id'),
    flags: z.array(z.string()),
    do_not_sms: z.boolean(),
  })
  .meta({ id: 'AppointmentPatient' });

export const OfficeShape = z
  .strictObject({
    uuid: z.int(),
    name: z.string(),
    patient_department_name: z.string().nullable().describe('Name shown to patients'),
    address: addressShape,
    phone: z.string().nullable(),
    fax: z.string().nullable(),
    timezone: z.string().describe('IANA time zone'),
    active: z.boolean(),
  })
  .meta({ id: 'AppointmentOffice' });

export const LocationShape = z
  .strictObject({ uuid: z.int(), name: z.string(), phone: z.string().nullable(), address: addressShape })
  .meta({ id: 'AppointmentLocation' });

export const WaitingRoomShape = z
  .strictObject({ uuid: z.int(), name: z.string(), user_id: z.int().nullable().describe('Host, if the room is assigned to one user') })
  .meta({ id: 'AppointmentWaitingRoom' });

export const UserShape = z
  .strictObject({
    uuid: z.int(),
    firstname: z.string(),
    lastname: z.string(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    user_type: z.string(),
    active: z.boolean(),
  })
  .meta({ id: 'AppointmentUser' });

export function fromPatient(patient: AppointmentPatient): z.input<typeof PatientShape> {
  return {
    uuid: patient.id,
    status: patient.status,
    firstname: patient.firstName,
    lastname: patient.lastName,
    address: fromAddress(patient),
    email: patient.email,
    phone_no: writePhone(patient.mobilePhone),
    dob: patient.birthDate,
    admit_date: patient.admitDate,
    gender: patient.sex,
    med_rec_no: patient.medicalRecordNo,
    census: patient.census,
    provider: patient.primaryProviderId,
    location: patient.locationId,
    flags: patient.flags,
    do_not_sms: patient.doNotSms,
  };
}

export function fromOffice(office: AppointmentOffice): z.input<typeof OfficeShape> {
  return {
    uuid: office.id,
    name: office.name,
    patient_department_name: office.patientDepartmentName,
    address: fromAddress(office),
    phone: writePhone(office.phone),
    fax: writePhone(office.fax),
    timezone: office.timeZone,
    active: office.active,
  };
}

export function fromUser({ id: uuid, firstName, lastName, email, phone, type, active }: AppointmentUser): z.input<typeof UserShape> {
  return { uuid, firstname: firstName, lastname: lastName, email, phone: writePhone(phone), user_type: type, active };
}
