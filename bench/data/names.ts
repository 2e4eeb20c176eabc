import { type Faker, fakerDE, fakerEN, fakerES_MX, fakerFR, fakerNL, fakerPL, fakerPT_BR, fakerVI } from '@faker-js/faker';

/** Common names occupy more slots, so a uniformly drawn slot yields names by frequency. */
const SLOTS = 65_536;

/** SQL for a name out of a table of slots, from an even draw between 0 and 1. */
export const drawnName = (table: string, draw: string) => `(SELECT word FROM ${table} WHERE slot = floor(${draw} * ${SLOTS})::int)`;

type Part = 'first_name' | 'last_name';

function listed(faker: Faker, part: Part): string[] {
  const { generic, female, male } = faker.definitions.person[part];
  const words = [...(generic ?? []), ...(female ?? []), ...(male ?? [])].flatMap((entry) => (typeof entry === 'string' ? entry : []));
  return spread([...new Set(words)]);
}

/** Shuffles an alphabetical list, so that frequency does not follow the alphabet. */
function spread(words: string[]): string[] {
  const step = 7_919;
  return words.map((_, index) => words[(index * step) % words.length] ?? '').filter(Boolean);
}

/** Merges several lists; the number of each is the items taken at a time. */
function deal(lists: readonly [number, string[]][]): string[] {
  const hands = lists.map(([count, words]) => ({ count, words: words.values() }));
  const dealt = new Set<string>();
  for (let more = true; more; ) {
    more = false;
    for (const { count, words } of hands) {
      for (const word of words.take(count)) {
        dealt.add(word);
        more = true;
      }
    }
  }
  return [...dealt];
}

/** Zipf's law, flattened at the top, as censuses show it: the commonest name has little more than one percent. */
function slots(words: string[]): string[] {
  const weights = words.map((_, rank) => 1 / (rank + 8) ** 0.95);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  let rank = 0;
  let reached = (weights[0] ?? 0) / sum;
  return Array.from({ length: SLOTS }, (_, slot) => {
    while (reached < (slot + 0.5) / SLOTS && rank < words.length - 1) {
      rank += 1;
      reached += (weights[rank] ?? 0) / sum;
    }
    return words[rank] ?? '';
  });
}

/** Last names that are hard to search: accents, apostrophes, particles. */
export function lastNames(): string[] {
  const spanish = listed(fakerES_MX, 'last_name');
  const dutch = listed(fakerNL, 'last_name');
  const french = listed(fakerFR, 'last_name');
  return slots(
    deal([
      [6, ['Smith', 'Johnson', 'García', 'Williams', 'Brown', 'Jones', 'Hernández', 'Miller', 'Nguyễn', ...listed(fakerEN, 'last_name')]],
      [3, ['Núñez', 'Peña', 'Rodríguez', ...spanish]],
      [1, ["O'Neil", "O'Brien", "D'Angelo", "O'Connor"]],
      [1, ['de la Cruz', 'de los Santos', ...spanish.slice(0, 60).map((name) => `de ${name}`)]],
      [1, dutch.slice(0, 40).map((name) => `van der ${name}`)],
      [1, french.slice(0, 40).map((name) => `Le ${name}`)],
      [1, ['Müller', 'Weiß', 'Jäger', ...listed(fakerDE, 'last_name')]],
      [1, listed(fakerPL, 'last_name')],
      [1, listed(fakerVI, 'last_name')],
      [1, listed(fakerPT_BR, 'last_name')],
    ]),
  );
}

export function firstNames(): string[] {
  return slots(
    deal([
      [6, listed(fakerEN, 'first_name')],
      [2, ['José', 'María', 'Zoë', ...listed(fakerES_MX, 'first_name')]],
      [1, ['François', 'Renée', ...listed(fakerFR, 'first_name')]],
      [1, listed(fakerPL, 'first_name')],
      [1, listed(fakerVI, 'first_name')],
    ]),
  );
}
