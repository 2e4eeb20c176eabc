import type { Patient } from '../../../generated/prisma/client.ts';
import type { INSURED_PERSON } from '../../../records/insurance.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { writeDay } from '../../values/time/time.ts';

/** Policy holder or insured as an insurance stores them: texts alone, the birth date as `YYYY-MM-DD`. */
export type InsuredPerson = { readonly [field in InsuredField]?: string };

export type InsuredField = keyof typeof INSURED_PERSON;

/** Changes of a person: null takes a field away. */
export type InsuredInput = { readonly [field in InsuredField]?: string | null | undefined };

/** The patient's own data; null values are left out. */
export function toInsuredPerson({ firstName, middleName, lastName, suffix, sex, birthDate, ...place }: Patient): InsuredPerson {
  const { address1, address2, city, state, zip, countryCode, countryCode3166 } = place;
  const name = { firstName, middleName, lastName, suffix, sex, birthDate: writeDay(birthDate) };
  return withChanges({}, { ...name, address1, address2, city, state, zip, countryCode, countryCode3166 });
}

/** A stored person: fields with texts. */
export const readStoredPerson = (stored: unknown): InsuredPerson =>
  typeof stored === 'object' && stored !== null
    ? Object.fromEntries(Object.entries(stored).filter(([, value]) => typeof value === 'string'))
    : {};

/** A person with other fields; null takes one away. */
export const withChanges = (person: InsuredPerson, changes: InsuredInput): InsuredPerson =>
  Object.fromEntries(
    Object.entries({ ...person, ...changesTo({}, changes) }).flatMap(([field, value]) =>
      typeof value === 'string' ? [[field, value] as const] : [],
    ),
  );
