import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bool, int, json, packedStatement } from '../../src/database/statements/packed-rows.ts';
import { createPrepared, preparedIn } from '../../src/database/statements/statement.ts';
import { practiceClient } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';

const test = await sharedTestApp();

interface Row {
  id: number | null;
  name: string | null;
  active: boolean | null;
  tags: string[] | null;
}

const ROWS = packedStatement<Row>(
  'packed_in_test',
  { id: int('r.id'), name: 'r.name', active: bool('r.active'), tags: json('r.tags') },
  (selection) => `SELECT ${selection} FROM jsonb_to_recordset($1::jsonb) AS r (id int, name text, active bool, tags json)`,
);

/** Between values, and for none. */
const SEPARATORS = ['\u001f', '\u001e'];
const storable = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0') && text.isWellFormed());
const text = fc
  .array(fc.oneof(storable, fc.constantFrom(...SEPARATORS, 'null', 'true', '{}', '\\x1f', '')), { maxLength: 4 })
  .map((parts) => parts.join(''))
  // Taken for no value, as packed.ts says.
  .filter((written) => written !== '\u001e');
const orNull = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: null });
const rowsOf = (name: fc.Arbitrary<string>) =>
  fc.array(
    fc.record<Row>({
      id: orNull(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })),
      name: orNull(name),
      active: orNull(fc.boolean()),
      tags: orNull(fc.array(storable)),
    }),
    { maxLength: 6 },
  );

it('reads packed rows as they were written, whatever a text holds', async () => {
  const [prepared, inPrisma] = [createPrepared(test.database.pool), preparedIn(test.database.prisma)];
  await fc.assert(
    fc.asyncProperty(fc.oneof(rowsOf(storable), rowsOf(text)), async (rows) => {
      expect(await prepared.rows(ROWS, [JSON.stringify(rows)])).toEqual(rows);
      expect(await inPrisma.rows(ROWS, [JSON.stringify(rows)])).toEqual(rows);
    }),
    { numRuns: 150 },
  );
});

it('takes apart what is packed, and asks by columns only where a value holds a separator', () => {
  const { packed } = ROWS;
  const written = (name: string) => [['7', name, 'false', '["a"]'].join('\u001f')];
  expect(packed?.unpack([written('Ann')])).toEqual([{ id: 7, name: 'Ann', active: false, tags: ['a'] }]);
  expect(packed?.unpack([written('\u001e')])).toEqual([{ id: 7, name: null, active: false, tags: ['a'] }]);
  expect(packed?.unpack([written('Ann'), written('A\u001fnn')])).toBeNull();
});

it('lists a patient with such characters in his chart as any other', async () => {
  const clinic = await practiceClient(test);
  const { organizationId } = clinic;
  const address = { address1: '1 Main\u001fStreet', city: 'Troy\u001e' };
  const strange = await createPatient(test.database.prisma, { organizationId, lastName: 'Odd', ...address });
  const plain = await createPatient(test.database.prisma, { organizationId, lastName: 'Odds', address1: '2 Main Street', city: 'Troy' });
  const { body } = await clinic.get('/patients').query({ lastname: 'odd' });
  expect(body).toMatchObject({
    totalcount: 2,
    patients: [
      { patientid: String(strange.id), lastname: 'Odd', ...address },
      { patientid: String(plain.id), lastname: 'Odds', address1: '2 Main Street', city: 'Troy' },
    ],
  });
});
