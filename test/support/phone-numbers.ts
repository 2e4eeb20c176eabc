import { randomInt } from 'node:crypto';

const drawn = new Set<string>();

/**
 * A number of North America (E.164) that a person can have: its exchange, 220 to 499, is neither a service's (N11) nor information's. No
 * number is drawn twice: of two thousand, two would be the same in every second run.
 */
export function anyNumber(countryAndArea = '1919'): string {
  const number = `+${countryAndArea}${randomInt(2, 5)}${randomInt(2, 10)}${String(randomInt(100_000)).padStart(5, '0')}`;
  if (drawn.has(number)) return anyNumber(countryAndArea);
  drawn.add(number);
  return number;
}
