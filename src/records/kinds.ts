/** A kind of field: the SQL type of its column, and the value of a column that is never null where nothing is known. */
interface KindOfField {
  readonly sql: string;
  readonly none?: boolean | readonly string[] | string;
}

/** The values that a kind accepts are said where they are read: in requests (`http/wire/`, and each API) and in imported files. */
export const KINDS = {
  /** The status of a chart. */
  status: { sql: 'patient_status', none: 'active' },
  /** A name of a person. */
  name: { sql: 'text' },
  /** Another text of one line: a line of an address. */
  line: { sql: 'text' },
  /** A text of one line in the words of whoever wrote it. */
  words: { sql: 'text' },
  city: { sql: 'text' },
  state: { sql: 'text' },
  zip: { sql: 'text' },
  country: { sql: 'text' },
  phone: { sql: 'text' },
  /** A number that may be declined. */
  phoneOrDeclined: { sql: 'text' },
  email: { sql: 'text' },
  /** An address that may be declined. */
  emailOrDeclined: { sql: 'text' },
  recordNumber: { sql: 'text' },
  externalId: { sql: 'text' },
  sex: { sql: 'text' },
  sexAtBirth: { sql: 'text' },
  genderIdentity: { sql: 'text' },
  sexualOrientation: { sql: 'text' },
  maritalStatus: { sql: 'text' },
  ethnicity: { sql: 'text' },
  language: { sql: 'text' },
  relationship: { sql: 'text' },
  censusCode: { sql: 'text' },
  timeZone: { sql: 'text' },
  day: { sql: 'date' },
  /** A day that is not in the future. */
  pastDay: { sql: 'date' },
  instant: { sql: 'timestamptz' },
  /** A date and time on the clock of a zone that another field names. */
  wallClock: { sql: 'timestamp' },
  count: { sql: 'int' },
  appointmentStatus: { sql: 'appointment_status', none: 'scheduled' },
  confirmation: { sql: 'confirmation_answer', none: 'Pending' },
  races: { sql: 'text[]', none: [] },
  flags: { sql: 'text[]', none: [] },
  /** True, false or unknown. */
  flag: { sql: 'boolean' },
  /** True or false. */
  yesNo: { sql: 'boolean', none: false },
  /** True unless it is set to false. */
  trueUnlessSet: { sql: 'boolean', none: true },
  /** Whether an insurance covers the patient. */
  eligibility: { sql: 'text' },
  /** The number of a record that somebody else keeps. */
  number: { sql: 'int' },
  /** The id of a place or a provider. */
  reference: { sql: 'int' },
  employer: { sql: 'int' },
} as const satisfies Record<string, KindOfField>;

/** The value of a column of which nothing is known. */
export function emptyValue(kind: keyof typeof KINDS): KindOfField['none'] | null {
  const { none }: KindOfField = KINDS[kind];
  return none ?? null;
}
