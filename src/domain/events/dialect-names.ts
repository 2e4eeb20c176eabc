import { publicName } from './public-name.ts';

/** The APIs in whose field names an event can be had. */
export const EVENT_DIALECTS = ['integration', 'practice', 'mobile'] as const;
export type EventDialect = (typeof EVENT_DIALECTS)[number];

type Names = Readonly<Record<string, string>>;

const ADDRESS: Names = { address1: 'address', address2: 'address', city: 'address', state: 'address', zip: 'address' };
const GUARDIAN: Names = {
  guardianFirstName: 'guardian',
  guardianMiddleName: 'guardian',
  guardianLastName: 'guardian',
  guardianSuffix: 'guardian',
};

/** Of the records that the integration and the mobile API have in common. */
const PATIENT: Names = {
  ...ADDRESS,
  ...GUARDIAN,
  firstName: 'firstname',
  lastName: 'lastname',
  birthDate: 'dob',
  sex: 'gender',
  mobilePhone: 'phone_no',
  medicalRecordNo: 'med_rec_no',
  languageCode: 'language',
  primaryProviderId: 'provider',
  locationId: 'location',
};
const APPOINTMENT: Names = {
  startsAt: 'appointment_date',
  undatedAt: 'appointment_date',
  timeZone: 'appointment_timezone',
  confirmedAt: 'confirmation',
  confirmedBy: 'confirmation',
};

/** Names of fields by API and kind of record, where the rule of the API makes another of them. */
const NAMES: Readonly<Record<EventDialect, Readonly<Record<string, Names>>>> = {
  integration: {
    patient: PATIENT,
    appointment: {
      ...APPOINTMENT,
      localStart: 'appointment_date',
      endsAt: 'duration_minutes',
      users: 'user',
      typeId: 'type',
      typeOrganizationId: 'type',
      patientId: 'patient',
      locationId: 'location',
    },
  },
  mobile: {
    patient: {
      ...PATIENT,
      middleName: 'middlename',
      preferredPronouns: 'pronouns',
      timeZone: 'timezone',
      primaryOfficeId: 'office',
      registrations: 'offices',
    },
    appointment: {
      ...APPOINTMENT,
      localStart: 'appointment_date_local',
      endsAt: 'appointment_end',
      typeId: 'appointment_type_id',
      typeOrganizationId: 'appointment_type_id',
    },
  },
  practice: {
    patient: {
      birthDate: 'dob',
      languageCode: 'language6392code',
      races: 'race',
      doNotCall: 'donotcallyn',
      doNotSms: 'consenttotext',
      homebound: 'homeboundyn',
      nextOfKinName: 'nextkinname',
      nextOfKinRelationship: 'nextkinrelationship',
      nextOfKinPhone: 'nextkinphone',
      guarantorBirthDate: 'guarantordob',
      primaryOfficeId: 'departmentid',
    },
    appointment: {
      startsAt: 'starttime',
      localStart: 'date',
      undatedAt: 'date',
      durationMinutes: 'duration',
      endsAt: 'duration',
      typeId: 'appointmenttypeid',
      typeOrganizationId: 'appointmenttypeid',
      officeId: 'departmentid',
      status: 'appointmentstatus',
      confirmedAt: 'confirmation',
      confirmedBy: 'confirmation',
    },
  },
};

/** The fields of a record in the names of an API, each once. A field that its record does not show there has the name that the API would give it. */
export function namesIn(dialect: EventDialect, subject: string, fields: readonly string[]): string[] {
  const own = NAMES[dialect][subject] ?? {};
  const named = fields.map((field) => own[field] ?? (dialect === 'practice' ? publicName(field).replaceAll('_', '') : publicName(field)));
  return [...new Set(named)];
}
