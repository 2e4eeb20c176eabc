import { kind } from './event-kind.ts';

const NAMES = ['firstName', 'middleName', 'lastName', 'suffix', 'preferredName', 'altFirstName', 'preferredPronouns'];
const PERSON = [
  'status',
  'medicalRecordNo',
  'sex',
  'assignedSexAtBirth',
  'genderIdentity',
  'genderIdentityOther',
  'sexualOrientation',
  'sexualOrientationOther',
  'birthDate',
  'deceasedDate',
  'admitDate',
  'registrationDate',
  'maritalStatus',
  'races',
  'ethnicityCode',
  'languageCode',
  'census',
  'homebound',
  'timeZone',
];
const ADDRESS = ['address1', 'address2', 'city', 'state', 'zip', 'countryCode', 'countryCode3166'];
const CONTACT = [
  'homePhone',
  'mobilePhone',
  'mobilePhoneDeclined',
  'workPhone',
  'email',
  'emailDeclined',
  'lastEmail',
  'contactPreference',
  'doNotCall',
  'doNotSms',
  'contactName',
  'contactRelationship',
  'contactHomePhone',
  'contactMobilePhone',
  'nextOfKinName',
  'nextOfKinRelationship',
  'nextOfKinPhone',
];
const GUARANTOR = [
  'guardianFirstName',
  'guardianMiddleName',
  'guardianLastName',
  'guardianSuffix',
  'guarantorFirstName',
  'guarantorMiddleName',
  'guarantorLastName',
  'guarantorSuffix',
  'guarantorAddressSameAsPatient',
  'guarantorAddress1',
  'guarantorAddress2',
  'guarantorCity',
  'guarantorState',
  'guarantorZip',
  'guarantorCountryCode',
  'guarantorCountryCode3166',
  'guarantorBirthDate',
  'guarantorSsn',
  'guarantorEmail',
  'guarantorPhone',
  'guarantorRelationshipToPatient',
  'guarantorEmployerId',
];
const WORK = ['employerId', 'employerPhone', 'industryCode', 'occupationCode'];
const PRACTICE = [
  'primaryOfficeId',
  'primaryProviderId',
  'locationId',
  'portalTermsOnFile',
  'portalSignatureOnFile',
  'portalAccessGiven',
  'medicationHistoryConsentVerified',
  'flags',
];
const SECTIONS = [
  'ssn',
  'insurances',
  'balances',
  'claims',
  'customFields',
  'registrations',
  'portalAccounts',
  'restrictions',
  'privacyItems',
];
const COLUMNS = [...NAMES, ...PERSON, ...ADDRESS, ...CONTACT, ...GUARANTOR, ...WORK, ...PRACTICE];

export const PATIENT_EVENTS = {
  'patient.registered': kind('patient', 'A chart was made; `changed` names the fields that were given.', ...COLUMNS),
  'patient.updated': kind('patient', 'Fields of a chart changed, or a section of it.', ...COLUMNS, ...SECTIONS),
  'patient.erased': kind('patient', 'A chart was erased with all that is about its person; the number is not used again.'),
  'chart.opened': kind('chart_opening', 'A restricted chart was opened in an emergency.'),
  'chart.closed': kind('chart_opening', 'An emergency opening of a restricted chart was ended before its hour.', 'closedAt'),
};
