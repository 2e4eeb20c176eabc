import { describe, expect, it } from 'vitest';
import { integrationClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { expectException, storedRows } from './exceptions.ts';
import { type FieldKind, OPERATION_NAMES, type OperationWithBody, operationsWithBody } from './operations-with-body.ts';

const test = await sharedTestApp();
const clinic = await integrationClient(test);
const operations: OperationWithBody[] = await operationsWithBody(test, clinic);

const UNSTORABLE = ['a\0b', '\0', 'half \ud83d', '\udc00', 'N\ufffdez'];
const deep = JSON.parse(`${'['.repeat(90)}${']'.repeat(90)}`);
const NO_TEXT = [5, 0, -1.5, true, {}, [], ['a'], { toString: 'x' }, deep];

/** Values that each kind of field refuses. A fault inside a list or an object is reported after a dot. */
const REFUSED: Record<FieldKind, unknown[]> = {
  text: [...NO_TEXT, ...UNSTORABLE],
  id: [
    0,
    -1,
    7.5,
    2_147_483_648,
    99_999_999_999,
    2 ** 53,
    1e300,
    '0',
    '-1',
    '7.5',
    '12abc',
    'abc',
    '2147483648',
    '99999999999',
    '1 2',
    '1e99',
    '0x10',
    '٣',
    true,
    {},
    [],
    [1],
    ...UNSTORABLE,
  ],
  day: [
    '2025-02-29',
    '2100-02-29',
    '1980-13-01',
    '1980-00-10',
    '1980-04-31',
    '0000-01-01',
    '10000-01-01',
    '1849-12-31',
    '2200-01-01',
    '1980-2-9',
    '19800229',
    '02/29/1980',
    '1980-02-29T00:00:00',
    'today',
    ...NO_TEXT,
    ...UNSTORABLE,
  ],
  moment: [
    '2025-02-29T09:00:00',
    '2026-13-01T09:00:00',
    '2026-03-09T25:00:00',
    '2026-03-09T24:00:00',
    '2026-03-09T09:60:00',
    '2026-03-09T09:00:60',
    '0000-01-01T00:00:00',
    '1899-12-31T23:59:59',
    '2200-01-01T00:00:00',
    '10000-01-01T00:00:00',
    '+010000-01-01T00:00:00Z',
    '2026-03-09T09:00:00+99:00',
    '2026-03-09T09:00:00-15:00',
    '2026-03-09T09:00:00+05:60',
    '2026-03-09',
    '09:00',
    '2026-03-09T09',
    'tomorrow',
    '2026-03-09T09:00:00[America/New_York]',
    '1'.repeat(500),
    ...NO_TEXT,
    ...UNSTORABLE,
  ],
  zone: ['Mars/Olympus', '+05:00', 'x'.repeat(65), ...NO_TEXT, ...UNSTORABLE],
  phone: [
    '12',
    '555-0123',
    '91055501234',
    'home',
    '9105550123 ext 5',
    '+999123456789',
    '+44 20 7946 0958',
    '9115550123',
    '5555555555',
    '9'.repeat(100_000),
    ...NO_TEXT,
    ...UNSTORABLE,
  ],
  state: ['XX', 'N', 'Ontario', 'x'.repeat(101), ...NO_TEXT, ...UNSTORABLE],
  zip: ['ABCDE', '2760', '276011', '27601-12', '٢٧٦٠١', ...NO_TEXT, ...UNSTORABLE],
  email: [
    'ann',
    'ann@',
    '@example.com',
    'ann@example',
    'ann lee@example.com',
    'ann@example..com',
    `${'a'.repeat(250)}@example.com`,
    ...NO_TEXT,
    ...UNSTORABLE,
  ],
  boolean: [2, -1, 'yes', 'null', {}, [], [true], deep],
  bit: [2, -1, 0.5, 'yes', '2', {}, [], [1], deep],
  list: ['diabetes', 5, true, {}, [5], [null], [[]], ['a', 'b\0'], ['x'.repeat(65)], Array(51).fill('x'), deep],
  address: [
    5,
    true,
    [],
    ['1 Main St'],
    { address: 5 },
    { city: {} },
    { zip: ['27601'] },
    { zip: 'ABCDE' },
    { state: 'Ontario' },
    { address2: 'a\0' },
    { address: deep },
    'x'.repeat(101),
    ...UNSTORABLE,
  ],
};

/** The first field of each kind is tried with all of its values, each other one with a text, an object and what cannot be stored. */
const triedFirst = new Map(
  operations
    .flatMap(({ name, fields }) => Object.entries(fields).map(([field, kind]) => [kind, `${name} ${field}`] as const))
    .reverse()
    .map(([kind, place]) => [typeof kind === 'number' ? 'text' : kind, place] as const),
);

/** Texts are told by their longest length. */
function refusedBy(kind: FieldKind | number, place: string): unknown[] {
  const own = typeof kind === 'number' ? [...REFUSED.text, 'x'.repeat(kind + 1), 'x'.repeat(500_000)] : REFUSED[kind];
  if (triedFirst.get(typeof kind === 'number' ? 'text' : kind) === place) return own;
  const [longer] = typeof kind === 'number' ? ['x'.repeat(kind + 1)] : own;
  return [
    longer,
    ...own.filter((value) => value === UNSTORABLE[0] || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)),
  ];
}

describe.each(OPERATION_NAMES.map((name, index) => ({ name, index })))('$name', ({ name, index }) => {
  it('refuses what is wrong with any one field by its name, and stores nothing', async () => {
    const operation = operations[index];
    expect(operation?.name).toBe(name);
    if (!operation) return;
    const before = await storedRows(test.database, clinic);
    for (const [field, kind] of Object.entries(operation.fields)) {
      for (const value of refusedBy(kind, `${name} ${field}`)) {
        const answer = await operation.request().send({ ...operation.needed, [field]: value });
        expect(answer.status, `${field}: ${JSON.stringify(value).slice(0, 80)} → ${answer.text.slice(0, 200)}`).toBe(400);
        const { message } = answer.body;
        const named = new RegExp(`^${field}(\\.\\w+)*: `).exec(String(message));
        expect(named, message).not.toBeNull();
        expectException(answer, 400, null);
      }
    }
    expect(await storedRows(test.database, clinic)).toEqual(before);
  });

  it('takes the longest text that each field holds', async () => {
    const operation = operations[index];
    if (!operation) throw new Error('no operation');
    for (const [field, longest] of Object.entries(operation.fields)) {
      if (typeof longest !== 'number') continue;
      const widest = `${index}${'𐀀'.repeat(longest - 1)}`;
      const answer = await operation.request().send({ ...operation.needed, [field]: widest });
      expect(answer.status, answer.text).toBe(200);
      expect(JSON.stringify(answer.body)).toContain(widest);
    }
  });

  it('names every field that is wrong in one answer', async () => {
    const operation = operations[index];
    if (!operation) throw new Error('no operation');
    const names = Object.keys(operation.fields).filter((field) => field !== 'appointment_timezone');
    const answer = await operation
      .request()
      .send({ ...operation.needed, ...Object.fromEntries(names.map((field) => [field, { a: [true] }])) });
    const wrong = names.filter((field) => field !== 'address');
    for (const field of wrong) expectException(answer, 400, field);
  });
});

describe('a long list of wrong entries', () => {
  it('is refused in a short answer', async () => {
    const [patients] = operations;
    const answer = await patients?.request().send({ flags: Array(9_000).fill(5) });
    if (!answer) throw new Error('no operation');
    expectException(answer, 400, 'flags');
  });
});
