import { expect, it } from 'vitest';
import { rowsOf } from '../../../src/database/statements/practice-rows.ts';
import { createPrepared } from '../../../src/database/statements/statement.ts';
import { CHARTS_OF_PERSON, chartsOfPerson } from '../../../src/domain/patient-rights/charts-of-person.ts';
import { explain, fullyRead, mostRows, openFilledDatabase, PLAN_MODES } from '../../support/plans.ts';

/** Charts of a practice, of which those from 20,001 on are copies of the first ones. */
const PATIENTS = 20_000;

const client = await openFilledDatabase(
  `
    INSERT INTO organization (id, name, time_zone, updated_at) VALUES (1, 'One', 'UTC', now());
    INSERT INTO patient (organization_id, id, first_name, last_name, updated_at, enterprise_id)
    SELECT 1, n, 'Maya', 'Reyes', now(), CASE WHEN n > ${PATIENTS} THEN n - ${PATIENTS} END FROM generate_series(1, ${PATIENTS + 100}) n`,
  'VACUUM (ANALYZE) patient',
);

it('the charts of a person are found by their keys, however many the practice has', async () => {
  for (const mode of PLAN_MODES) {
    const steps = await explain(client, CHARTS_OF_PERSON, [1, 7], { mode });
    expect(fullyRead(steps), mode).toEqual([]);
    expect(mostRows(steps), mode).toBeLessThan(10);
  }
});

it('are the chart of the practice and its copies, whichever of them is named', async () => {
  for (const named of [7, PATIENTS + 7]) expect(await chartsOfPerson(rowsOf(createPrepared(client), 1), named)).toEqual([7, PATIENTS + 7]);
  expect(await chartsOfPerson(rowsOf(createPrepared(client), 1), 500)).toEqual([500]);
});
