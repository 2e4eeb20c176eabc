import type { Fields } from '../field.ts';

/** People beside the patient. */
export const OTHERS = {
  contactName: { kind: 'name', practice: 'contactname', means: 'Name of the emergency contact' },
  contactRelationship: { kind: 'relationship', practice: 'contactrelationship', means: 'Relationship of the emergency contact' },
  contactHomePhone: { kind: 'phone', practice: 'contacthomephone', means: 'Home number of the emergency contact' },
  contactMobilePhone: { kind: 'phone', practice: 'contactmobilephone', means: 'Mobile number of the emergency contact' },
  nextOfKinName: { kind: 'name', practice: 'nextkinname', means: 'Name of the next of kin' },
  nextOfKinRelationship: { kind: 'relationship', practice: 'nextkinrelationship', means: 'Relationship of the next of kin' },
  nextOfKinPhone: { kind: 'phone', practice: 'nextkinphone', means: 'Telephone number of the next of kin' },
  guardianFirstName: {
    kind: 'name',
    integration: 'guardian.firstname',
    practice: 'guardianfirstname',
    mobile: 'guardian.firstname',
    means: 'First name of the guardian',
  },
  guardianMiddleName: {
    kind: 'name',
    integration: 'guardian.middlename',
    practice: 'guardianmiddlename',
    mobile: 'guardian.middlename',
    means: 'Middle name of the guardian',
  },
  guardianLastName: {
    kind: 'name',
    integration: 'guardian.lastname',
    practice: 'guardianlastname',
    mobile: 'guardian.lastname',
    means: 'Last name of the guardian',
  },
  guardianSuffix: {
    kind: 'line',
    integration: 'guardian.suffix',
    practice: 'guardiansuffix',
    mobile: 'guardian.suffix',
    means: 'Suffix of the name of the guardian',
  },
} as const satisfies Fields;

/** The person who pays. */
export const GUARANTOR = {
  guarantorFirstName: { kind: 'name', practice: 'guarantorfirstname', means: 'First name of the guarantor' },
  guarantorMiddleName: { kind: 'name', practice: 'guarantormiddlename', means: 'Middle name of the guarantor' },
  guarantorLastName: { kind: 'name', practice: 'guarantorlastname', means: 'Last name of the guarantor' },
  guarantorSuffix: { kind: 'line', practice: 'guarantorsuffix', means: 'Suffix of the name of the guarantor' },
  guarantorAddressSameAsPatient: {
    kind: 'flag',
    practice: 'guarantoraddresssameaspatient',
    means: 'Whether the guarantor lives at the patient’s address',
  },
  guarantorAddress1: { kind: 'line', practice: 'guarantoraddress1', means: 'First line of the guarantor’s address' },
  guarantorAddress2: { kind: 'line', practice: 'guarantoraddress2', means: 'Second line of the guarantor’s address' },
  guarantorCity: { kind: 'city', practice: 'guarantorcity', means: 'City of the guarantor' },
  guarantorState: { kind: 'state', practice: 'guarantorstate', means: 'State of the guarantor' },
  guarantorZip: { kind: 'zip', practice: 'guarantorzip', means: 'Postal code of the guarantor' },
  guarantorCountryCode: {
    kind: 'country',
    practice: 'guarantorcountrycode',
    headers: ['guarantorcountry'],
    means: 'Country of the guarantor',
  },
  guarantorCountryCode3166: {
    kind: 'country',
    column: 'guarantor_country_code_3166',
    practice: 'guarantorcountrycode3166',
    headers: ['guarantorcountryiso3166'],
    means: 'Country of the guarantor',
  },
  guarantorBirthDate: { kind: 'pastDay', practice: 'guarantordob', means: 'Birth date of the guarantor' },
  guarantorEmail: { kind: 'email', practice: 'guarantoremail', means: 'Email address of the guarantor' },
  guarantorPhone: { kind: 'phone', practice: 'guarantorphone', means: 'Telephone number of the guarantor' },
  guarantorRelationshipToPatient: {
    kind: 'words',
    practice: 'guarantorrelationshiptopatient',
    means: 'Code of the guarantor’s relationship to the patient; 1 means the patient',
  },
  guarantorEmployerId: {
    kind: 'employer',
    practice: 'guarantoremployerid',
    headers: ['guarantoremployer'],
    means: 'Employer id of the guarantor',
  },
} as const satisfies Fields;

export const WORK = {
  employerId: { kind: 'employer', practice: 'employerid', headers: ['employer'], means: 'Employer id of the patient' },
  employerPhone: { kind: 'phone', practice: 'employerphone', means: 'Telephone number of the employer' },
  industryCode: { kind: 'censusCode', practice: 'industrycode', means: 'Industry' },
  occupationCode: { kind: 'censusCode', practice: 'occupationcode', means: 'Occupation' },
} as const satisfies Fields;
