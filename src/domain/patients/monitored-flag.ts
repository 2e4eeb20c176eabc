/** The flag of patients who are monitored remotely. */
export const MONITORED_FLAG = 'RPM';

/** The flag in all combinations of case, since imported charts may have any. */
export const MONITORED_SPELLINGS = ['RPM', 'RPm', 'RpM', 'Rpm', 'rPM', 'rPm', 'rpM', 'rpm'];
