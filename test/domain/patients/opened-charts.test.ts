import { expect, it } from 'vitest';
import { createPrepared, unnamed } from '../../../src/database/statements/statement.ts';
import { preparedFor } from '../../../src/domain/opened-charts.sql.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOrganization, createPatient } from '../../support/factories.ts';

const test = await sharedTestApp();

it('sends statements without a name without one, also for a user with opened charts', async () => {
  const { prisma, pool } = test.database;
  const { id: organizationId } = await createOrganization(prisma);
  const patient = await createPatient(prisma, { organizationId, city: 'Cary' });
  await prisma.privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
  const connection = await pool.connect();
  try {
    const prepared = preparedFor(createPrepared(connection), { openedCharts: new Set([patient.id]) });
    const listBy = (field: string) =>
      unnamed<{ id: number }>(`SELECT p.id FROM patient p WHERE p.organization_id = $1 AND p.${field} = $2 AND NOT p.restricted`);
    expect(await prepared.rows(listBy('first_name'), [organizationId, patient.firstName])).toEqual([{ id: patient.id }]);
    expect(await prepared.rows(listBy('city'), [organizationId, 'Cary'])).toEqual([{ id: patient.id }]);
  } finally {
    connection.release(true);
  }
});
