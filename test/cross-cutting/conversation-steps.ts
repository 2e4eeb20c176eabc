import fc from 'fast-check';
import { type Meaning, WORDS } from './conversation-words.ts';

const visit = fc.constantFrom(0, 0, 0, 0, 0, 1, 1, 2, 3);
/** Each as often as it stands here. */
const MEANINGS = ['yes', 'yes', 'yes', 'yes', 'yes', 'no', 'no', 'no', 'one', 'one', 'two', 'other', 'stop', 'start', 'help'] as const;
const dialect = fc.constantFrom('mobile', 'integration');
const words = fc
  .constantFrom<Meaning>(...MEANINGS)
  .chain((meaning) => fc.constantFrom(...WORDS[meaning]).map((body) => ({ meaning, body })));
export const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('send'),
      visit,
      kind: fc.constantFrom('asking', 'asking', 'asking', 'telling', 'telling', 'default', 'check-in'),
      leaves: fc.constantFrom(true, true, false),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('move'), visit, hour: fc.nat(1), dialect }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel'), visit, dialect }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('give'), visit }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('doctor'), visit, index: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('decide'), visit, answer: fc.constantFrom('Yes', 'No', 'Pending') }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('work'),
      kill: fc.constantFrom('never', 'never', 'never', 'before', 'after'),
      twice: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('night'), practice: fc.nat(1), quiet: fc.boolean() }) },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('write'),
      phone: fc.constantFrom(0, 0, 0, 1, 2),
      practice: fc.constantFrom(0, 0, 0, 0, 0, 0, 1),
      words,
      late: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('renumber'), person: fc.nat(2), phone: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remind'), days: fc.integer({ min: 1, max: 2 }), twice: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('arrive'), again: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('undo'), visit }) },
);
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

export interface Setting {
  shared: boolean;
  spanish: boolean;
  /** Visits that the practice asks about at the beginning. */
  asked: readonly (0 | 1 | 2)[];
}

export const setting = fc.record({
  shared: fc.boolean(),
  spanish: fc.boolean(),
  asked: fc.constantFrom<Setting['asked']>([], [0], [0], [0, 1], [0, 2]),
});

const ONE = { shared: false, spanish: false, asked: [0] } as const;
const ask: Step = { do: 'send', visit: 0, kind: 'asking', leaves: false };
const tellOnly: Step = { do: 'send', visit: 0, kind: 'telling', leaves: true };
const moveTo = (hour: number): Step => ({ do: 'move', visit: 0, hour, dialect: 'mobile' });
const kill = (at: 'before' | 'after'): Step => ({ do: 'work', kill: at, twice: false });
const sayYes: Step = { do: 'write', phone: 0, practice: 0, words: { meaning: 'yes', body: 'Y' }, late: false };
const renumber = (person: number, phone: number): Step => ({ do: 'renumber', person, phone });
/** Stories that once went wrong. */
export const EXAMPLES: [Setting, Step[]][] = [
  [ONE, [renumber(0, 2), renumber(1, 0), sayYes]],
  [ONE, [moveTo(1), ask, kill('before'), sayYes]],
  [ONE, [moveTo(1), tellOnly, moveTo(0), sayYes]],
  [{ ...ONE, asked: [] }, [ask, kill('after'), moveTo(1), sayYes]],
  [{ ...ONE, asked: [] }, [ask, renumber(0, 2), renumber(1, 0)]],
  [
    { ...ONE, shared: true },
    [{ do: 'give', visit: 0 }, { ...sayYes, late: true }, { ...ask, leaves: true }, { do: 'arrive', again: false }, sayYes],
  ],
];
