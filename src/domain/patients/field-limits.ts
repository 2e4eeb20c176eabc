/** Longest texts of a chart in characters, and largest lists, for every dialect. */
export const PATIENT_LIMITS = {
  /** First and last name, each. */
  name: 100,
  /** Each line of an address. */
  addressLine: 100,
  /** Of the practice API's source document; the others follow it. */
  city: 30,
  sex: 30,
  medicalRecordNo: 64,
  externalId: 100,
  flag: 64,
  flags: 50,
  races: 50,
} as const;
