import type { Tx } from '../../tx.ts';
import { foldComparedName } from '../../values/same-text.ts';
import type { PatientFields } from '../chart/chart-fields.sql.ts';
import {
  LEAST_SCORE,
  LOCK_NAME,
  LOCK_NAMES,
  type MatchReason,
  POSSIBLE_MATCHES,
  SAME_PERSON,
  SAME_PERSONS,
} from './possible-matches.sql.ts';

export type { MatchReason };

/** A chart that may be of the person who is registered, the points of what they have in common, and the strongest reason. */
export interface PossibleMatch {
  id: number;
  score: number;
  reason: MatchReason;
}

/** The most charts that one registration, or one search for the best match, names. */
const MOST_MATCHES = 5;

/** The fields by which people are compared. Telephone numbers are E.164, the birth date is a Date at midnight UTC. */
type PersonFields = {
  [K in 'firstName' | 'lastName' | 'birthDate' | 'zip' | 'email' | 'homePhone' | 'mobilePhone']?: PatientFields[K] | undefined;
};

const hasName = ({ firstName, lastName }: PersonFields) => Boolean(firstName || lastName);
const isReachable = ({ zip, email, homePhone, mobilePhone }: PersonFields) => Boolean(zip || email || homePhone || mobilePhone);

/** Whether there are enough fields to look for other charts that may be of the same person. */
const isComparable = (person: PersonFields): boolean =>
  person.birthDate ? hasName(person) || isReachable(person) : hasName(person) && isReachable(person);

/** Whether there are enough fields to say that another chart is of the same person. */
const isIdentifiable = (person: PersonFields): boolean => Boolean(hasName(person) && person.birthDate && isReachable(person));

/** First and last name as the name keys have them: one name stands in both. */
const listNames = ({ firstName, lastName }: PersonFields) => [firstName || lastName || null, lastName || firstName || null];

const listPhones = ({ homePhone, mobilePhone }: PersonFields) => [homePhone, mobilePhone].filter((number) => typeof number === 'string');
const zoneOfZip = ({ zip }: PersonFields) => zip?.slice(0, 5) ?? null;

function listValues(person: PersonFields): unknown[] {
  const { birthDate = null, email = null } = person;
  return [...listNames(person), birthDate, zoneOfZip(person), email, listPhones(person)];
}

/**
 * The patient who is the same person, where the practice looks for one; of several, the one with the lowest id. Only charts that a search would list are
 * considered, so that a match reveals no deleted or restricted one. Not audited.
 * @returns null also where the fields are too few to tell
 */
export async function findSamePerson(tx: Tx, person: PersonFields): Promise<number | null> {
  if (!isIdentifiable(person)) return null;
  const [found] = await tx.rows(SAME_PERSON, listValues(person));
  return found?.id ?? null;
}

/**
 * The same for many people, whose names are locked as by lockName: none of the transaction's own rows that are sent later is found.
 * @returns the patient of each, or null
 */
export async function findSamePersons(tx: Tx, people: readonly PersonFields[]): Promise<(number | null)[]> {
  const sought = people.flatMap((person, place) =>
    isIdentifiable(person) ? [{ person, place, names: listNames(person).map((name) => foldComparedName(name ?? '')) }] : [],
  );
  if (sought.length === 0) return people.map(() => null);
  const listed = sought.map(({ person, place, names: [first, last] }) => {
    const { birthDate: birth_date, email } = person;
    return { place, first, last, birth_date, zip: zoneOfZip(person), email, phones: listPhones(person) };
  });
  // Sent in this order in one flush, as for one person.
  const [, found] = await Promise.all([
    tx.rows(LOCK_NAMES, [sought.map(({ names }) => names[0]), sought.map(({ names }) => names[1])]),
    tx.rows(SAME_PERSONS, [JSON.stringify(listed)]),
  ]);
  const ids = new Map(found.map(({ place, id }) => [place, id]));
  return people.map((_, place) => ids.get(place) ?? null);
}

/** Lets a concurrent registration of that name wait until this transaction ends, so that it then finds the patient stored here. */
export async function lockName(tx: Tx, person: PersonFields): Promise<void> {
  if (isIdentifiable(person)) await tx.rows(LOCK_NAME, [...listNames(person)]);
}

/**
 * Charts that may be of this person, where the practice looks for them: MOST_MATCHES at most, the strongest reason first. Only such charts
 * as findSamePerson considers. Not audited.
 */
export async function findPossibleMatches(tx: Tx, person: PersonFields): Promise<PossibleMatch[]> {
  if (!isComparable(person)) return [];
  return tx.rows(POSSIBLE_MATCHES, [...listValues(person), [], false, MOST_MATCHES]);
}

export interface BestMatchQuery {
  person: PersonFields;
  /** Further telephone numbers of the person, as E.164. */
  phones: readonly string[];
  /** Of the social security number, under all master keys (ssn.ts). */
  ssnHashes: readonly Uint8Array[];
  /** Points that a chart must have. */
  leastScore: number;
  /** The most likely ones; else the one that has more points than any other. */
  several: boolean;
}

/**
 * Charts that may be of this person, in every practice, as findPossibleMatches finds and counts them. Not audited.
 * @returns none where several have the highest score, and one is sought
 */
export async function findBestMatches(tx: Tx, query: BestMatchQuery): Promise<PossibleMatch[]> {
  const { person, phones, ssnHashes, leastScore, several } = query;
  const [first, last, birthDate, zip, email, own] = listValues(person);
  const numbers = [own, ...phones].flat();
  const values = [first, last, birthDate, zip, email, numbers, ssnHashes, true, MOST_MATCHES];
  const found = await tx.rows(POSSIBLE_MATCHES, values);
  const likely = found.filter(({ score }) => score >= Math.max(leastScore, LEAST_SCORE));
  if (several) return likely;
  const [best, second] = likely;
  return best && best.score !== second?.score ? [best] : [];
}
