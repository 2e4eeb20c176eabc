import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { scratchFolder } from '../support/scratch.ts';
import { createOperator } from './command-line.ts';

const test = await sharedTestApp();
const { ask, say } = createOperator(test);
const Written = z.object({ file: z.string(), feed_cursor: z.string() });

it('writes all records of a kind into a file for the operator alone, and what changed since into the next', async () => {
  const { id: practice } = await createOrganization(test.database.prisma);
  const { id } = await createPatient(test.database.prisma, { organizationId: practice, lastName: 'Ames' });
  const folder = await scratchFolder();
  const file = join(folder, 'patients.ndjson.gz');
  const { feed_cursor: cursor } = await ask(Written, `export patients --practice ${practice} --to ${file}`);
  const [first = '', last = ''] = gunzipSync(await readFile(file))
    .toString()
    .split('\n');
  expect(JSON.parse(first)).toMatchObject({ id, last_name: 'Ames' });
  expect(JSON.parse(last)).toEqual({ feed_cursor: cursor });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const table = join(folder, 'changed.csv');
  await ask(Written, `export patients --practice ${practice} --since ${cursor} --to ${table}`);
  expect((await readFile(table, 'utf8')).split('\r\n')).toHaveLength(3);
  expect(await say(`export patients --practice ${practice} --to ${file}`)).toMatchObject({ code: 2 });
  expect(await say(`export patients --practice ${practice} --min-date 2026-01-01 --to ${folder}/x`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('min-date: is not a filter for patients'),
  });
});
