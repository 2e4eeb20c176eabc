/** The flag of patients who are monitored remotely. */
export const MONITORED_FLAG = 'RPM';

/** The flag in every case: charts that came from elsewhere have it in their own. */
export const MONITORED_SPELLINGS = ['RPM', 'RPm', 'RpM', 'Rpm', 'rPM', 'rPm', 'rpM', 'rpm'];
