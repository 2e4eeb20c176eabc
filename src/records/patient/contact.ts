import type { Fields } from '../field.ts';

/** The patient's address. That of the guarantor has the same parts, with a prefix: `guarantorCity`. */
export const ADDRESS = {
  address1: {
    kind: 'line',
    integration: 'address.address',
    practice: 'address1',
    mobile: 'address.address',
    headers: ['address'],
    means: 'First line of the street address',
  },
  address2: {
    kind: 'line',
    integration: 'address.address2',
    practice: 'address2',
    mobile: 'address.address2',
    means: 'Second line of the street address',
  },
  city: { kind: 'city', integration: 'address.city', practice: 'city', mobile: 'address.city', means: 'City' },
  state: { kind: 'state', integration: 'address.state', practice: 'state', mobile: 'address.state', means: 'State' },
  zip: { kind: 'zip', integration: 'address.zip', practice: 'zip', mobile: 'address.zip', means: 'Postal code' },
  countryCode: { kind: 'country', practice: 'countrycode', headers: ['country'], means: 'Country' },
  countryCode3166: {
    kind: 'country',
    column: 'country_code_3166',
    practice: 'countrycode3166',
    headers: ['countryiso3166'],
    means: 'Country',
  },
} as const satisfies Fields;

/** Ways to reach the patient, and their wishes. */
export const CONTACT = {
  homePhone: { kind: 'phone', practice: 'homephone', mobile: 'home_phone', means: 'Home number' },
  mobilePhone: {
    kind: 'phoneOrDeclined',
    integration: 'phone_no',
    practice: 'mobilephone',
    mobile: 'phone_no',
    headers: ['phone'],
    means: 'Mobile number',
  },
  mobilePhoneDeclined: { kind: 'yesNo', means: 'Whether the patient declined to give a mobile number' },
  workPhone: { kind: 'phone', practice: 'workphone', mobile: 'work_phone', means: 'Work number' },
  email: { kind: 'emailOrDeclined', integration: 'email', practice: 'email', mobile: 'email', means: 'Email address' },
  emailDeclined: { kind: 'yesNo', means: 'Whether the patient declined to give an email address' },
  contactPreference: {
    kind: 'words',
    integration: 'contact_preference',
    practice: 'contactpreference',
    mobile: 'contact_preference',
    means: 'How the patient wants to be reached, such as MOBILEPHONE or MAIL',
  },
  timeZone: { kind: 'timeZone', mobile: 'timezone', means: 'IANA time zone of the patient' },
  doNotCall: { kind: 'yesNo', practice: 'donotcallyn', mobile: 'do_not_call', means: 'Whether the patient wants no calls' },
  doNotSms: {
    kind: 'yesNo',
    integration: 'do_not_sms',
    practice: 'consenttotext',
    mobile: 'do_not_sms',
    means: 'Whether the patient wants no texts',
  },
  homebound: { kind: 'yesNo', practice: 'homeboundyn', means: 'Whether the patient cannot leave home' },
} as const satisfies Fields;
