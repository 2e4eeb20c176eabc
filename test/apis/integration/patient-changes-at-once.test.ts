import { afterAll, beforeAll, expect, it } from 'vitest';
import { integrationClient } from '../../support/actors.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';

let test: TestApp;
let clinic: Awaited<ReturnType<typeof integrationClient>>;
beforeAll(async () => {
  test = await startTestApp();
  clinic = await integrationClient(test);
});
afterAll(() => test.close());

const rows = () => test.database.prisma;

it('forty changes of one chart at once are all done, one after another, each with its event and its audit row', async () => {
  const { organizationId } = clinic;
  const created = await clinic.post('/patients').send({ firstname: 'Ann' });
  const { uuid } = created.body.data;
  const emails = Array.from({ length: 40 }, (_, n) => `ann${n}@example.com`);
  const answers = await Promise.all(emails.map((email) => clinic.put(`/patients/${uuid}`).send({ email })));
  expect(answers.map(({ status }) => status)).toEqual(emails.map(() => 200));
  expect(answers.map(({ body }) => body.data.email)).toEqual(emails);
  const events = await rows().event.findMany({ where: { organizationId, subjectId: uuid, name: 'patient.updated' } });
  expect(events.map(({ changed }) => changed)).toEqual(emails.map(() => ['email']));
  expect(await rows().auditEntry.count({ where: { organizationId, action: 'update', resourceIds: { has: uuid } } })).toBe(40);
  // Whoever came last found the address of the one before.
  const { email, lastEmail } = await rows().patient.findFirstOrThrow({ where: { organizationId, id: uuid } });
  expect(emails).toContain(email);
  expect(emails.filter((one) => one !== email)).toContain(lastEmail);
});

it('a chart that is deleted while it is changed is not found, and nothing of the change is left', async () => {
  const { organizationId } = clinic;
  const created = await clinic.post('/patients').send({ firstname: 'Bo' });
  const { uuid: id } = created.body.data;
  let answered: Promise<{ status: number }> | null = null;
  await rows().$transaction(async (tx) => {
    await tx.patient.update({ where: { organizationId_id: { organizationId, id } }, data: { status: 'deleted' } });
    answered = clinic
      .put(`/patients/${id}`)
      .send({ firstname: 'Ben' })
      .then((answer) => answer);
    // Until the change waits for the row.
    await expect
      .poll(() => rows().$queryRaw`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`, {
        timeout: 4_000,
      })
      .toHaveLength(1);
  });
  expect(await answered).toMatchObject({ status: 404 });
  expect((await rows().patient.findFirstOrThrow({ where: { organizationId, id } })).firstName).toBe('Bo');
  expect(await rows().event.count({ where: { organizationId, subjectId: id, name: 'patient.updated' } })).toBe(0);
});

it('a birth date that no request could have set stays as it is when something else changes', async () => {
  const { organizationId } = clinic;
  const { uuid: id } = (await clinic.post('/patients').send({ firstname: 'Old' })).body.data;
  const birthDate = new Date('1801-05-06T00:00:00Z');
  await rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data: { birthDate } });
  expect((await clinic.put(`/patients/${id}`).send({ lastname: 'Record' })).status).toBe(200);
  expect((await rows().patient.findFirstOrThrow({ where: { organizationId, id } })).birthDate).toEqual(birthDate);
});
