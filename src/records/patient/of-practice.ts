import type { Fields } from '../field.ts';

/** Notes of the practice. */
export const OF_PRACTICE = {
  primaryOfficeId: {
    kind: 'reference',
    practice: 'departmentid',
    mobile: 'office',
    headers: ['primarydepartmentid', 'office_id', 'department'],
    means: 'Primary office id',
  },
  primaryProviderId: {
    kind: 'reference',
    integration: 'provider',
    practice: 'primaryproviderid',
    mobile: 'provider',
    headers: ['provider_id'],
    means: 'Provider id',
  },
  locationId: { kind: 'reference', integration: 'location', mobile: 'location', means: 'Location id' },
  portalTermsOnFile: { kind: 'flag', practice: 'portaltermsonfile', means: 'Whether the terms of the portal were accepted' },
  portalSignatureOnFile: { kind: 'flag', practice: 'portalsignatureonfile', means: 'Whether there is a signature for the portal' },
  portalAccessGiven: { kind: 'flag', practice: 'portalaccessgiven', means: 'Whether the patient was given access to the portal' },
  medicationHistoryConsentVerified: {
    kind: 'flag',
    practice: 'medicationhistoryconsentverified',
    means: 'Whether the consent to read the medication history was verified; only in practices with the feature',
  },
  census: { kind: 'flag', integration: 'census', mobile: 'census', means: 'Stored as sent; has no effect' },
  flags: { kind: 'flags', integration: 'flags', mobile: 'flags', means: 'Flags of the patient, such as RPM for remote patient monitoring' },
} as const satisfies Fields;
