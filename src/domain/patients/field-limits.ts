/** Longest texts of a chart in characters, and largest lists, for every dialect. */
export const PATIENT_LIMITS = {
  /** First and last name, each. */
  name: 100,
  /** Each line of an address. */
  addressLine: 100,
  city: 60,
  state: 50,
  zip: 20,
  sex: 30,
  medicalRecordNo: 64,
  flag: 64,
  flags: 50,
  races: 50,
} as const;
