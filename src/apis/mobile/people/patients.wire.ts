import { z } from 'zod';
import type { CanText } from '../../../domain/messaging/recipients/can-text.ts';
import { PATIENT_LIMITS } from '../../../domain/patients/field-limits.ts';
import type { ListedPatient, NamedPatient, PatientOrder, PatientSearch, PatientSort } from '../../../domain/patients/search/list.ts';
import { writePhone } from '../../../domain/values/phone-numbers.ts';
import { recordNumber } from '../../../domain/values/text-form.ts';
import { writeDay } from '../../../domain/values/time/time.ts';
import { alsoNamed, filterNames, sameAs } from '../../../http/input/query.ts';
import { SHOWN_KINDS } from '../../../http/wire/chart-types.ts';
import { withChecks } from '../../../http/wire/checked-shapes.ts';
import { fromGuardian, GuardianShape } from '../../../http/wire/guardian.ts';
import { day, id, instant, optional, pagingByPosition, phone, text, updatedSince } from '../../../http/wire/wire-types.ts';
import { namesIn } from '../../../records/field.ts';
import { PATIENT } from '../../../records/patient.ts';
import { shapesOf } from '../../../records/shapes.ts';
import { CanTextShape, fromCanText } from '../can-text.wire.ts';
import { one, optionalSortBy, wrapList } from '../shared.wire.ts';
import { addressShape, fromAddress } from './organizations/organizations.wire.ts';
import { fromPerson, SharedWithShape } from './people.wire.ts';

const KINDS = {
  ...SHOWN_KINDS,
  status: () => z.enum(['active', 'inactive', 'prospective', 'deleted']),
  timeZone: () => z.string().describe('if none is set, that of the organization'),
};

export const PatientRecordShape = z
  .strictObject({
    uuid: z.int(),
    user_uuid: z.int().nullable().describe('User account of the patient; null, since patients have none'),
    ...shapesOf(PATIENT, namesIn(PATIENT, 'mobile'), KINDS),
    address: addressShape,
    external_id: z.string().nullable().describe(PATIENT.externalId.means),
    guardian: GuardianShape,
    can_text: CanTextShape,
    shared_with: SharedWithShape,
    provider_name: z.string().nullable(),
    location_name: z.string().nullable(),
    offices: z.array(z.strictObject({ uuid: z.int(), name: z.string() })).describe('Offices where the patient is registered'),
    created_at: instant(),
    updated_at: instant(),
  })
  .meta({ id: 'PatientRecord' });

export const PatientNameShape = z
  .strictObject({ uuid: z.int(), firstname: z.string().nullable(), lastname: z.string().nullable() })
  .meta({ id: 'PatientName' });

export const PatientResponse = one(PatientRecordShape).meta({ id: 'PatientResponse' });
export const PatientList = wrapList(PatientRecordShape).meta({ id: 'PatientList' });
export const PatientNameList = wrapList(PatientNameShape).meta({ id: 'PatientNameList' });

const FIELDS = {
  uuid: 'id',
  id: 'id',
  lastname: 'lastName',
  firstname: 'firstName',
  title: 'lastName',
  dob: 'birthDate',
  gender: 'sex',
  status: 'status',
  med_rec_no: 'medicalRecordNo',
  email: 'email',
  phone_no: 'mobilePhone',
  city: 'city',
  state: 'state',
  zip: 'zip',
  language: 'languageCode',
  admit_date: 'admitDate',
  provider: 'primaryProviderId',
  location: 'locationId',
  office: 'primaryOfficeId',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
} as const satisfies Record<string, PatientOrder>;

const SORT = optionalSortBy(FIELDS, 'Field to sort by; defaults to last name, then first name');

export const patientsQuery = withChecks(
  z.object({
    firstname: optional(text(PATIENT_LIMITS.name)).describe('Prefix of the first name'),
    lastname: optional(text(PATIENT_LIMITS.name)).describe('Prefix of the last name, or of a word in it'),
    office: alsoNamed(optional(id()), ...filterNames('office')).describe('Primary office id'),
    departmentid: sameAs(optional(id()), 'office'),
    search: optional(text(200)).describe('Prefixes of words in the name; all must match. Case and accents are ignored'),
    name: sameAs(optional(text(200)), 'search'),
    dob: optional(day()).describe('Birth date, YYYY-MM-DD'),
    email: optional(text(200)).describe('The whole email, ignoring case'),
    phone: alsoNamed(optional(phone()), 'phone_no').describe('The mobile, home or work number of the chart'),
    med_rec_no: optional(text(PATIENT_LIMITS.medicalRecordNo, recordNumber)).describe('Medical record number in an external system'),
    external_id: optional(text(PATIENT_LIMITS.externalId, recordNumber)).describe('Id in the system from which the chart was imported'),
    ...updatedSince,
    ...SORT,
    ...pagingByPosition,
  }),
  {
    same: [
      ['office', 'departmentid'],
      ['search', 'name'],
    ],
  },
);
export const patientNamesQuery = z.object({ ...SORT, ...pagingByPosition });
export const patientParams = z.object({ uuid: id().describe('Patient id') });

export function toPatientSort({ sort, order }: Pick<z.output<typeof patientsQuery>, 'sort' | 'order'>): PatientSort {
  return { order: sort ?? 'search', descending: order === 'DESC' };
}

export function toPatientSearch(query: z.output<typeof patientsQuery>): PatientSearch {
  return {
    firstName: query.firstname ?? undefined,
    lastName: query.lastname ?? undefined,
    officeId: query.office ?? query.departmentid ?? undefined,
    chart: {
      name: query.search ?? query.name ?? undefined,
      birthDate: query.dob ? writeDay(query.dob) : undefined,
      email: query.email ?? undefined,
      anyPhone: query.phone ?? undefined,
      medicalRecordNo: query.med_rec_no ?? undefined,
      externalId: query.external_id ?? undefined,
      updatedSince: query.updated_since,
    },
  };
}

export const fromPatientName = ({ id: uuid, firstName, lastName }: NamedPatient): z.input<typeof PatientNameShape> => ({
  uuid,
  firstname: firstName,
  lastname: lastName,
});

export function fromListedPatient(patient: ListedPatient, canText: CanText): z.input<typeof PatientRecordShape> {
  return {
    uuid: patient.id,
    user_uuid: null,
    status: patient.status,
    firstname: patient.firstName,
    middlename: patient.middleName,
    lastname: patient.lastName,
    suffix: patient.suffix,
    preferred_name: patient.preferredName,
    pronouns: patient.preferredPronouns,
    address: fromAddress(patient),
    email: patient.email,
    phone_no: writePhone(patient.mobilePhone),
    home_phone: writePhone(patient.homePhone),
    work_phone: writePhone(patient.workPhone),
    contact_preference: patient.contactPreference,
    dob: patient.birthDate,
    deceased_date: patient.deceasedDate,
    admit_date: patient.admitDate,
    gender: patient.sex,
    med_rec_no: patient.medicalRecordNo,
    external_id: patient.externalId,
    language: patient.languageCode,
    timezone: patient.timeZone,
    census: patient.census,
    flags: patient.flags,
    do_not_sms: patient.doNotSms,
    do_not_call: patient.doNotCall,
    guardian: fromGuardian(patient),
    can_text: fromCanText(canText),
    shared_with: patient.sharedWith.map(fromPerson),
    provider: patient.primaryProviderId,
    provider_name: patient.providerName,
    location: patient.locationId,
    location_name: patient.locationName,
    office: patient.primaryOfficeId,
    offices: patient.offices.map(({ id: uuid, name }) => ({ uuid, name })),
    created_at: patient.createdAt,
    updated_at: patient.updatedAt,
  };
}
