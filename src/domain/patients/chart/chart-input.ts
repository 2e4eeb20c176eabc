import type { Patient } from '../../../generated/prisma/client.ts';

/** Fields of a chart that an operator may set, beside those that the APIs set. */
type Settable =
  | 'status'
  | 'middleName'
  | 'suffix'
  | 'preferredName'
  | 'altFirstName'
  | 'preferredPronouns'
  | 'assignedSexAtBirth'
  | `${'genderIdentity' | 'sexualOrientation'}${'' | 'Other'}`
  | 'deceasedDate'
  | 'registrationDate'
  | 'maritalStatus'
  | 'races'
  | 'ethnicityCode'
  | 'languageCode'
  | 'countryCode'
  | 'countryCode3166'
  | 'homePhone'
  | 'workPhone'
  | 'contactPreference'
  | 'doNotCall'
  | 'homebound'
  | `contact${'Name' | 'Relationship' | 'HomePhone' | 'MobilePhone'}`
  | `nextOfKin${'Name' | 'Relationship' | 'Phone'}`
  | `guardian${'First' | 'Middle' | 'Last'}Name`
  | `guarantor${'FirstName' | 'MiddleName' | 'LastName' | 'AddressSameAsPatient' | 'Address1' | 'Address2' | 'City' | 'State' | 'Zip'}`
  | `guarantorCountryCode${'' | '3166'}`
  | `guarantor${'BirthDate' | 'Email' | 'Phone' | 'RelationshipToPatient' | 'EmployerId'}`
  | 'employerId'
  | 'employerPhone'
  | 'industryCode'
  | 'occupationCode'
  | 'primaryOfficeId'
  | 'primaryProviderId'
  | 'portalTermsOnFile'
  | 'portalSignatureOnFile'
  | 'medicationHistoryConsentVerified';

/** A field that is absent stays as it is; null clears it. Telephone numbers are E.164, days are Dates at midnight UTC. */
export type ChartInput = { [K in Settable]?: Patient[K] };
