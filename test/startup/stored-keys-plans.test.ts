import { expect, it } from 'vitest';
import { nameOfColumn } from '../../src/database/encryption/encrypted-columns.ts';
import { createPrepared } from '../../src/database/statements/statement.ts';
import { readStoredKeys, SAMPLES_OF } from '../../src/startup/stored-keys.ts';
import { explain, fullyRead, mostRows, openFilledDatabase, PLAN_MODES } from '../support/plans.ts';

/** Charts, of which every third has a number, under one of three keys; one of the keys has a single value. */
const PATIENTS = 20_000;

const client = await openFilledDatabase(
  `
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now());
    INSERT INTO patient (organization_id, id, first_name, last_name, updated_at, ssn_encrypted)
    SELECT 1, n, 'Maya', 'Reyes', now(), CASE WHEN n % 3 = 0 THEN CASE WHEN n = 9999 THEN 'old' ELSE 'k' || n % 2 END || '.v2.a.b.c' END
      FROM generate_series(1, ${PATIENTS}) n;
    INSERT INTO sms_message (organization_id, id, direction, to_number, body, state, updated_at)
    SELECT 1, n, 'outbound', '+19105550123', 'x', 'sent', now() FROM generate_series(1, ${PATIENTS}) n`,
  'VACUUM (ANALYZE) patient',
  'VACUUM (ANALYZE) sms_message',
);

/** The tables that grow with the practice; the others stay small, or are built alike. */
const LARGE = ['patient', 'sms_message'];

it('the keys of a start are found by as many lookups as there are keys, however many charts have numbers', async () => {
  for (const [column, { next, samples }] of SAMPLES_OF) {
    if (!LARGE.includes(column.table)) continue;
    for (const [{ text }, mode] of [next, samples].flatMap((each) => PLAN_MODES.map((mode) => [each, mode] as const))) {
      const steps = await explain(client, { text }, ['k0'], { mode });
      expect(fullyRead(steps), `${nameOfColumn(column)} ${mode}`).toEqual([]);
      expect(mostRows(steps), `${nameOfColumn(column)} ${mode}`).toBeLessThan(20);
    }
  }
});

it('every key is found, also that of one value', async () => {
  const { samples } = await readStoredKeys(createPrepared(client));
  expect([...new Set(samples.map(({ keyId }) => keyId))].sort()).toEqual(['k0', 'k1', 'old']);
  expect(samples.length).toBeLessThanOrEqual(7);
});
