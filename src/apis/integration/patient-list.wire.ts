import { z } from 'zod';
import { readSex } from '../../domain/patients/chart/field-values.ts';
import { PATIENT_LIMITS } from '../../domain/patients/field-limits.ts';
import type { ListedPatient, PatientSearch } from '../../domain/patients/search/list.ts';
import { recordNumber } from '../../domain/values/text-form.ts';
import { writeDay } from '../../domain/values/time/time.ts';
import { sameAs } from '../../http/input/query.ts';
import { withChecks } from '../../http/wire/checked-shapes.ts';
import { fromGuardian } from '../../http/wire/guardian.ts';
import { day, id, optional, pagingByPosition, phone, state, text, updatedSince, zip } from '../../http/wire/wire-types.ts';
import { Links, listMeta } from './appointment-types.wire.ts';
import { fromPatient, PatientRecordShape } from './patients.wire.ts';

export const PatientList = z
  .strictObject({ data: z.array(PatientRecordShape).describe('The patients of this page'), links: Links, meta: listMeta })
  .meta({ id: 'GetPatientsResponse' });

export const fromListedPatient = (patient: ListedPatient): z.input<typeof PatientRecordShape> => ({
  ...fromPatient(patient),
  preferred_name: patient.preferredName,
  language: patient.languageCode,
  contact_preference: patient.contactPreference,
  deceased_date: patient.deceasedDate,
  guardian: fromGuardian(patient),
});

const begins = () => optional(text(PATIENT_LIMITS.name));

export const patientListQuery = withChecks(
  z.object({
    search: optional(text(200)).describe('Prefixes of words in the name; all must match. Case and accents are ignored'),
    firstname: begins().describe('Prefix of the first name'),
    lastname: begins().describe('Prefix of the last name, or of a word in it'),
    fname: sameAs(begins(), 'firstname'),
    lname: sameAs(begins(), 'lastname'),
    dob: optional(day()).describe('Birth date, YYYY-MM-DD'),
    email: optional(text(200)).describe('The whole email, ignoring case'),
    phone_no: optional(phone()).describe('A mobile, home or work number'),
    med_rec_no: optional(text(PATIENT_LIMITS.medicalRecordNo, recordNumber)).describe('Medical record number in an external system'),
    gender: optional(text(PATIENT_LIMITS.sex)).describe('M, F, male or female in any case; another word must match the chart'),
    address: optional(text(PATIENT_LIMITS.addressLine)).describe('First line of the street address, ignoring case'),
    city: optional(text(PATIENT_LIMITS.city)).describe('City, ignoring case'),
    state: optional(state()).describe('Two-letter code or name of the state'),
    zip: optional(zip()).describe('Five digits also match nine-digit codes'),
    provider: optional(id()).describe('Provider id'),
    location: optional(id()).describe('Location id'),
    ...updatedSince,
    ...pagingByPosition,
  }),
  {
    same: [
      ['firstname', 'fname'],
      ['lastname', 'lname'],
    ],
  },
);

export function toPatientSearch(query: z.output<typeof patientListQuery>): PatientSearch {
  return {
    firstName: query.firstname ?? query.fname ?? undefined,
    lastName: query.lastname ?? query.lname ?? undefined,
    chart: {
      name: query.search ?? undefined,
      birthDate: query.dob ? writeDay(query.dob) : undefined,
      email: query.email ?? undefined,
      anyPhone: query.phone_no ?? undefined,
      medicalRecordNo: query.med_rec_no ?? undefined,
      sex: query.gender ? readSex(query.gender) : undefined,
      address1: query.address ?? undefined,
      city: query.city ?? undefined,
      state: query.state ?? undefined,
      zip: query.zip ?? undefined,
      primaryProviderId: query.provider ?? undefined,
      locationId: query.location ?? undefined,
      updatedSince: query.updated_since,
    },
  };
}
