import { createHash, randomBytes } from 'node:crypto';
import { base, en, Faker } from '@faker-js/faker';

/** Random data that is the same every time. Each area draws from a source of its own, so that a change in one moves no other. */
export function createRandom(area: string): Faker {
  return new Faker({ locale: [en, base], seed: createHash('sha256').update(area).digest().readUInt32BE() });
}

/** Draws one of the names, by their weights. */
export function drawn<Name extends string>(random: Faker, weights: Readonly<Record<Name, number>>): Name {
  const choices: { value: Name; weight: number }[] = [];
  for (const value in weights) choices.push({ value, weight: weights[value] });
  return random.helpers.weightedArrayElement(choices);
}

/** The value when the dice say so, else null. */
export function perhaps<T>(random: Faker, probability: number, value: T): T | null {
  return random.datatype.boolean(probability) ? value : null;
}

/** The element at a position of a list that has no end. */
export function cycle<T>(list: readonly T[], position: number): T {
  const element = list[position % list.length];
  if (element === undefined) throw new Error('a list of the demo data is empty');
  return element;
}

/**
 * Fictitious numbers: 555-0110 to 555-0199 of real area codes, each used once. The plans use lower numbers.
 * @param first how many are given already
 * @throws when all are given
 */
export function phoneBook(areaCodes: readonly string[], first: number): () => string {
  let given = first;
  return () => {
    const line = 110 + Math.floor(given / areaCodes.length);
    if (line > 199) throw new Error('the demo data has no telephone number left');
    const number = `+1${cycle(areaCodes, given)}5550${line}`;
    given += 1;
    return number;
  };
}

/**
 * The n-th National Provider Identifier that is well formed (Luhn over the prefix 80840) and unassigned: so far all that
 * were given to people begin with 1. Below 2^31, because some clients read it into 32 bits.
 */
export function providerIdentifier(n: number): string {
  const digits = String(200_010_000 + n);
  // 24 is what the prefix 80840 adds to the sum.
  const sum = [...digits].reduce((total, digit, index) => total + luhnPart(Number(digit), index % 2 === 0), 24);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

function luhnPart(digit: number, doubled: boolean): number {
  if (!doubled) return digit;
  return digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
}

/** The hash of a link that was never sent: truly random, not from the fixed seed, so that no link can be guessed. */
export function closedLink(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(randomBytes(32)).digest());
}

/** Rows as they were sent: createManyAndReturn promises no order, but a sequence counts up. */
export function inOrder<T extends { id: number }>(rows: readonly T[]): T[] {
  return rows.toSorted((a, b) => a.id - b.id);
}
