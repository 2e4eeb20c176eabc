import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { sharedTestApp } from '../support/app.ts';
import { runAsOwner } from '../support/database-roles.ts';
import { createOrganization, createPatient, createProvider, createUser } from '../support/factories.ts';
import { createAppointment } from '../support/schedule.ts';

const test = await sharedTestApp();
const MIGRATION = new URL('../../prisma/migrations/20261123030000_appointment_provider/migration.sql', import.meta.url);

it('appointments of before get the provider who takes part, and say what became of their texts', async () => {
  const db = test.database.prisma;
  const { id: organizationId } = await createOrganization(db);
  const clinician = async (data: object = {}) => {
    const { user } = await createUser(db, { organizationId, type: 'provider' });
    return { user: user.id, provider: (await createProvider(db, { organizationId, userId: user.id, ...data })).id };
  };
  const [one, other, left] = [await clinician(), await clinician(), await clinician({ active: false })];
  const { id: guest } = await createProvider(db, { organizationId });
  const { user: aide } = await createUser(db, { organizationId });
  const patientId = (await createPatient(db, { organizationId })).id;
  const book = async (providerId: number | null, users: number[], states: ('queued' | 'sent' | 'failed')[] = []) => {
    const { id } = await createAppointment(db, { organizationId, patientId, providerId, startsAt: '2031-03-04T14:00:00Z' }, users);
    const text = { organizationId, patientId, appointmentId: id, direction: 'outbound', toNumber: '+19195550100', body: 'Hello.' } as const;
    await db.smsMessage.createMany({ data: states.map((state) => ({ ...text, state })) });
    return id;
  };
  const ids = [
    await book(null, [other.user, one.user], ['failed', 'sent']),
    await book(one.provider, [other.user], ['failed']),
    await book(other.provider, [one.user, other.user], ['queued']),
    await book(one.provider, [aide.id]),
    await book(one.provider, []),
    await book(guest, [one.user]),
    await book(null, [left.user]),
  ];
  await runAsOwner(test.databaseUrl, await readFile(MIGRATION, 'utf8'));
  const rows = await db.appointment.findMany({ where: { organizationId, id: { in: ids } }, orderBy: { id: 'asc' } });
  expect(rows.map(({ providerId, initialSmsSent }) => [providerId, initialSmsSent])).toEqual([
    [one.provider, true],
    [other.provider, false],
    [other.provider, false],
    [null, null],
    [one.provider, null],
    [guest, null],
    [null, null],
  ]);
});
