import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Stored } from '../../src/practice-file/kind.ts';
import { plan } from '../../src/practice-file/plan.ts';
import type { Plan, PlannedKind, Wanted } from '../../src/practice-file/planned.ts';
import { toRecords } from '../../src/practice-file/record.ts';
import { mapReferences } from '../../src/practice-file/references.ts';

/** Three kinds with all that kinds may have: references to others and to their own, in fields and in lists, and what never changes. */
const shape = z.looseObject({ name: z.string() });
const KINDS: readonly PlannedKind[] = [
  { name: 'groups', one: 'group', names: ['name'], whole: shape },
  { name: 'places', one: 'place', names: ['name'], references: { group: 'groups' }, whole: shape },
  { name: 'rooms', one: 'room', names: ['name', 'place'], between: ' in ', references: { place: 'places' }, whole: shape },
  {
    name: 'people',
    one: 'person',
    names: ['name'],
    references: { boss: 'people', places: 'places', jobs: { place: 'places' } },
    unordered: ['places'],
    fixed: { fields: ['born'], instead: 'Add another one.' },
    whole: shape,
  },
];

interface World {
  stored: Map<string, Stored[]>;
  keys: Map<string, string>;
  next: number;
}
const empty = (): World => ({ stored: new Map(), keys: new Map(), next: 1 });

const recordIn = ({ stored, keys }: World) => toRecords(KINDS, stored, (kind, id) => keys.get(`${kind} ${id}`) ?? null);
const planIn = (world: World, file: Map<string, Wanted[]>): Plan => plan(KINDS, file, recordIn(world));

/** The world after a plan: what the functions of the kinds would do. */
function applied(world: World, { steps }: Plan): World {
  const names = new Map([...recordIn(world)].map(([kind, items]) => [kind, new Map(items.map(({ name, id }) => [name, id]))]));
  const next: World = {
    stored: new Map([...world.stored].map(([kind, items]) => [kind, [...items]])),
    keys: new Map(world.keys),
    next: world.next,
  };
  const ids = steps.map((step) => step.id ?? next.next++);
  for (const [index, { kind, name }] of steps.entries()) names.set(kind, new Map([...(names.get(kind) ?? []), [name, ids[index] ?? 0]]));
  for (const [index, step] of steps.entries()) {
    const id = ids[index] ?? 0;
    const references = KINDS.find(({ name }) => name === step.kind)?.references ?? {};
    const fields = mapReferences(Object.fromEntries(step.changes.map((one) => [one.field, one.after])), references, (kind, name) =>
      names.get(kind)?.get(String(name)),
    );
    const others = (next.stored.get(step.kind) ?? []).filter((one) => one.id !== id);
    const before = (next.stored.get(step.kind) ?? []).find((one) => one.id === id)?.item ?? {};
    next.stored.set(
      step.kind,
      step.action === 'remove' ? others : [...others, { id, item: { ...before, ...fields } }].toSorted((a, b) => a.id - b.id),
    );
    if (step.key !== null) {
      for (const [place, key] of next.keys) if (place.startsWith(`${step.kind} `) && key === step.key) next.keys.delete(place);
      next.keys.set(`${step.kind} ${id}`, step.key);
    }
    if (step.action === 'remove') next.keys.delete(`${step.kind} ${id}`);
  }
  return next;
}

const name = fc.constantFrom('Ada', 'Bo', 'Cy');
const seldom = <T>(one: fc.Arbitrary<T>) => fc.option(one, { freq: 3, nil: undefined });
const items = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.array(
    fc
      .record({ key: seldom(fc.constantFrom('one', 'two')), remove: fc.option(fc.constant(true), { freq: 8, nil: undefined }), ...fields })
      .map((item) => Object.fromEntries(Object.entries({ name: 'Ada', ...item }).filter(([, value]) => value !== undefined))),
    { maxLength: 3 },
  );
const files = fc
  .record({
    groups: items({ name, size: seldom(fc.integer({ min: 0, max: 2 })) }),
    places: items({ name, group: fc.option(name), active: seldom(fc.boolean()) }),
    rooms: items({ name, place: seldom(fc.option(name)) }),
    people: items({
      name,
      boss: seldom(fc.option(name)),
      places: seldom(fc.array(name, { maxLength: 2 })),
      jobs: seldom(fc.array(fc.record({ place: name }), { maxLength: 2 })),
      born: seldom(fc.constant(1)),
    }),
  })
  .map((file) => wantedIn(file));

/** One of each name, so that most references are to somebody. */
const all = ['Ada', 'Bo', 'Cy'].map((one) => ({ name: one }));
const BEGINNING = { groups: all, places: all.map((one) => ({ ...one, group: one.name })), people: all };

function wantedIn(file: Record<string, readonly Record<string, unknown>[]>): Map<string, Wanted[]> {
  return new Map(
    Object.entries(file).map(([kind, items]) => [
      kind,
      items.map(
        ({ key, remove, ...fields }, index): Wanted => ({
          path: [kind, index],
          key: typeof key === 'string' ? key : undefined,
          remove: remove === true,
          fields,
        }),
      ),
    ]),
  );
}

describe('a plan', () => {
  it('changes nothing once it was applied, whatever came before', () => {
    fc.assert(
      fc.property(fc.array(files, { minLength: 1, maxLength: 4 }), (drawn) => {
        let world = applied(empty(), planIn(empty(), wantedIn(BEGINNING)));
        for (const file of drawn) {
          const made = planIn(world, file);
          if (made.problems.length > 0) continue;
          world = applied(world, made);
          expect(planIn(world, file)).toEqual({ steps: [], problems: [] });
        }
      }),
    );
  });

  it('says what is added, changed and removed, each field before and after, and removes last', () => {
    const world = applied(
      empty(),
      planIn(empty(), wantedIn({ groups: [{ name: 'Ada', size: 1 }], places: [{ name: 'Bo' }, { name: 'Cy' }] })),
    );
    const { steps } = planIn(
      world,
      wantedIn({
        groups: [{ name: 'Ada', size: 2 }],
        places: [
          { name: 'Bo', remove: true },
          { name: 'Dee', group: 'Ada' },
        ],
      }),
    );
    expect(steps.map(({ action, kind, name: called, changes }) => [action, kind, called, changes])).toEqual([
      ['change', 'groups', 'Ada', [{ field: 'size', before: 1, after: 2 }]],
      [
        'add',
        'places',
        'Dee',
        [
          { field: 'name', before: null, after: 'Dee' },
          { field: 'group', before: null, after: 'Ada' },
        ],
      ],
      ['remove', 'places', 'Bo', []],
    ]);
  });

  it('knows a renamed item by its key, also where others refer to it by either name', () => {
    const world = applied(
      empty(),
      planIn(empty(), wantedIn({ groups: [{ name: 'Ada', key: 'a' }], places: [{ name: 'Bo', group: 'Ada' }] })),
    );
    const { steps, problems } = planIn(
      world,
      wantedIn({
        groups: [{ name: 'Zed', key: 'a' }],
        places: [
          { name: 'Bo', group: 'Zed' },
          { name: 'Cy', group: 'a' },
        ],
      }),
    );
    expect(problems).toEqual([]);
    expect(steps.map(({ action, name: called }) => `${action} ${called}`)).toEqual(['change Ada', 'add Cy']);
  });

  it.each([
    ['an unknown name', { places: [{ name: 'Bo', group: 'Nobody' }] }, 'There is no "Nobody" among the groups.'],
    ['an item twice', { groups: [{ name: 'Bo' }, { name: 'Bo' }] }, 'This group is in the file twice.'],
    [
      'a removal while another item refers to it',
      { groups: [{ name: 'Ada', remove: true }] },
      'The group "Ada" is not removed. These refer to it: place "Cy".',
    ],
    ['a field that never changes', { people: [{ name: 'Cy', born: 2 }] }, 'cannot be changed. Add another one.'],
  ])('refuses %s, and says where', (_, file, message) => {
    const first = wantedIn({ groups: [{ name: 'Ada' }], places: [{ name: 'Cy', group: 'Ada' }], people: [{ name: 'Cy', born: 1 }] });
    const world = applied(empty(), planIn(empty(), first));
    expect(planIn(world, wantedIn(file)).problems.map((problem) => problem.message)).toEqual([message]);
  });
});
