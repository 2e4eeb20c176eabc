import type { Prepared } from '../../../database/statements/statement.ts';
import type { Caller } from '../../caller.ts';
import { invalid } from '../../errors.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import { dayAt } from '../../values/time.ts';

/** A day begins first at UTC+14, and last at UTC-12. */
const FIRST_BEGINNING_MS = -14 * 3_600_000;
const LAST_BEGINNING_MS = 12 * 3_600_000;

/** False for a day that lies in the future everywhere. @param day midnight UTC */
export const hasBegunSomewhere = (day: Date): boolean => day.getTime() + FIRST_BEGINNING_MS <= Date.now();

/** True for a day that lies in the future nowhere: then a practice's zone need not be known. */
const hasBegunEverywhere = (day: Date): boolean => day.getTime() + LAST_BEGINNING_MS <= Date.now();

/** @throws Failure invalid for a birth date that lies in the future in this zone */
export function requireBegun(birthDate: Date | null | undefined, timeZone: string): void {
  if (birthDate && birthDate > dayAt(new Date(), timeZone)) throw invalid('birthDate', 'must not be in the future', 'in_the_future');
}

/** The same in the zone of the caller's practice, which is read only where it decides. */
export async function requireBegunInPractice(prepared: Prepared, caller: Caller, birthDate: Date | null | undefined): Promise<void> {
  if (birthDate && !hasBegunEverywhere(birthDate)) requireBegun(birthDate, await organizationZone(prepared, caller));
}
