import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ownTestApp } from '../support/app.ts';
import { runAsOwner } from '../support/database-roles.ts';
import { createOrganization, createPatient } from '../support/factories.ts';

const test = await ownTestApp();
const MIGRATION = new URL('../../prisma/migrations/20261123040000_guarantor_address/migration.sql', import.meta.url);

it('addresses that stood beside the statement that the guarantor lives with the patient are taken away, and no others', async () => {
  const db = test.database.prisma;
  const { id: organizationId } = await createOrganization(db);
  await runAsOwner(test.databaseUrl, 'ALTER TABLE patient DROP CONSTRAINT patient_guarantor_address_check');
  const charts: { id: number }[] = [];
  for (const guarantorAddressSameAsPatient of [true, false, null]) {
    charts.push(
      await createPatient(db, { organizationId, address1: '2 Elm St', guarantorAddressSameAsPatient, guarantorAddress1: '1 Oak Rd' }),
    );
  }
  await runAsOwner(test.databaseUrl, await readFile(MIGRATION, 'utf8'));
  const after = await db.patient.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
  expect(after.map(({ guarantorAddress1 }) => guarantorAddress1)).toEqual([null, '1 Oak Rd', '1 Oak Rd']);
  expect(after.map(({ id, address1 }) => [id, address1])).toEqual(charts.map(({ id }) => [id, '2 Elm St']));
});
