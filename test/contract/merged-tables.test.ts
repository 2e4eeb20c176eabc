import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { MERGED_TABLES } from '../../src/domain/patient-rights/merging/merged-tables.ts';

const SCHEMA = new URL('../../prisma/schema/', import.meta.url);

/** The tables of the schema with a column `patient_id`. */
async function tablesOfPatients(): Promise<string[]> {
  const files = await Promise.all((await readdir(SCHEMA)).map((file) => readFile(new URL(file, SCHEMA), 'utf8')));
  const models = files.flatMap((text) => text.split(/^model /m).slice(1));
  return models.filter((model) => model.includes('@map("patient_id")')).map((model) => /@@map\("(\w+)"\)/.exec(model)?.[1] ?? model);
}

it('a merge knows of every table with rows of a patient whether they move', async () => {
  const tables = await tablesOfPatients();
  expect(tables.length).toBeGreaterThan(35);
  expect(Object.keys(MERGED_TABLES)).toEqual(tables.toSorted());
});
