import { Temporal } from 'temporal-polyfill';

/**
 * The instant at which somebody comes of age in a practice: midnight on its clocks. Who was born on 29 February does so on 1 March of a year
 * without that day.
 */
export function comingOfAge(birthDate: string, years: number, timeZone: string): Date {
  const born = Temporal.PlainDate.from(birthDate);
  const birthday = born.add({ years });
  const day = birthday.day < born.day ? birthday.add({ days: 1 }) : birthday;
  return new Date(day.toZonedDateTime(timeZone).epochMilliseconds);
}
