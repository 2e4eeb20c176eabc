/** Longest texts of an appointment and its type in characters, and other bounds, for every dialect. */
export const APPOINTMENT_LIMITS = {
  /** A date as callers write it. */
  date: 40,
  /** The longest name of the IANA database has 32. */
  timeZone: 64,
  /** Participants. */
  users: 50,
  typeName: 200,
  typeDescription: 2_000,
  /** The reason of a change of the status. */
  reason: 500,
  /** A day. */
  durationMinutes: 1_440,
  /** A day before a visit, and a day after it. */
  bufferMinutes: 1_440,
  /** A year. */
  leadMinutes: 525_600,
  /** Ten years. */
  latestDays: 3_650,
  /** Patients in one slot. */
  capacity: 500,
  /** Types that hours are for. */
  typesOfHours: 200,
} as const;
