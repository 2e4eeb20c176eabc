import { randomInt } from 'node:crypto';

/** A number of North America (E.164) that a person can have: its exchange, 220 to 499, is neither a service's (N11) nor information's. */
export const anyNumber = (countryAndArea = '1919'): string =>
  `+${countryAndArea}${randomInt(2, 5)}${randomInt(2, 10)}${String(randomInt(100_000)).padStart(5, '0')}`;
