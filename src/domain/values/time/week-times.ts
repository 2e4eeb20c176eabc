/** The days of the week, Monday first. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const FULL_NAMES = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** A day of the week by its name or its first three letters: 1 Monday to 7 Sunday; null for other words. */
export function readWeekday(written: string): number | null {
  const word = written.trim().toLowerCase();
  const index = WEEKDAYS.findIndex((short, at) => word === short || word === FULL_NAMES[at]);
  return index < 0 ? null : index + 1;
}

export const CLOCK_TIME = /^([01]?\d|2[0-3]):([0-5]\d)(?::00)?$|^24:00(?::00)?$/;

/** A time of day as minutes; 24:00 is midnight at its end. Null for another form. */
export function readMinute(written: string): number | null {
  if (!CLOCK_TIME.test(written)) return null;
  const [hours = '0', minutes = '0'] = written.split(':');
  return Number(hours) * 60 + Number(minutes);
}

export const writeMinute = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
