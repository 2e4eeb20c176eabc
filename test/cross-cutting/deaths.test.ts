import { expect, it } from 'vitest';
import { operator } from '../../src/domain/caller.ts';
import { recordChartChange } from '../../src/domain/patients/chart/chart.ts';
import { sendTexts } from '../../src/jobs/sending/send-texts.ts';
import { textingPractice } from '../apis/mobile/messaging/texts/consenting.ts';
import { integrationClient, practiceClient } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { arrivedTexts } from '../support/arrived.ts';

const test = await sharedTestApp();
const DAY_MS = 86_400_000;
const dayIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

async function practice(visitsOfDeceased: 'cancel' | 'keep' = 'cancel') {
  const clinic = await textingPractice(test);
  const { organizationId, person } = clinic;
  await test.database.prisma.organization.update({ where: { id: organizationId }, data: { visitsOfDeceased } });
  const app = await integrationClient(test, { organizationId });
  const visit = async (patientId: number, days: number): Promise<number> => {
    const answer = await app.post('/appointments').send({ patient_id: patientId, appointment_date: `${dayIn(days)}T15:30:00Z` });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.data.uuid;
  };
  const die = (id: number, day: string | null) =>
    test.services.unitOfWork.write(operator(organizationId, 'test'), async (tx) => {
      const deceasedDate = day === null ? null : new Date(day);
      await tx.prisma.patient.update({ where: { organizationId_id: { organizationId, id } }, data: { deceasedDate } });
      recordChartChange(tx, id, 'deceasedDate');
    });
  const readStatus = async (id: number) => (await app.get(`/appointments/${id}`)).status;
  const counts = async () => (await person.get('/appointments/percentage').expect(200)).body.data;
  return { ...clinic, app, visit, die, readStatus, counts };
}

it('a death cancels the visits to come and the texts, and nothing is booked any more; clearing it brings the rest back', async () => {
  const { app, person, organizationId, chart, visit, die, readStatus, counts } = await practice();
  const [ann, ben] = [await chart(), await chart()];
  const [past, coming, other] = [await visit(ann.id, -5), await visit(ann.id, 5), await visit(ben.id, 5)];
  const undated = (await app.post('/appointments').send({ patient_id: ann.id })).body.data.uuid;
  await person.post(`/appointments/${coming}/send-sms`).send({ message: 'See you.' }).expect(201);
  await die(ann.id, dayIn(-1));

  expect([await readStatus(past), await readStatus(coming), await readStatus(undated), await readStatus(other)]).toEqual([
    200, 404, 404, 200,
  ]);
  const { unitOfWork, gateways } = test.services;
  const texts = sendTexts({ unitOfWork, keyring: test.keyring, carrier: gateways.carrier, statusUrl: null, ignoreQuietHours: true });
  for (const { id } of await test.database.prisma.smsMessage.findMany({ where: { organizationId } })) await texts.run(organizationId, id);
  expect(await arrivedTexts(test.database.prisma, test.keyring, { toNumber: ann.number })).toEqual([]);
  const refused = await app.post('/appointments').send({ patient_id: ann.id, appointment_date: `${dayIn(9)}T15:30:00Z` });
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining(`died on ${dayIn(-1)}`)]);
  expect((await app.post('/appointments').send({ patient_id: ann.id })).status).toBe(409);
  expect((await app.put(`/appointments/${other}`).send({ patient_id: ann.id })).status).toBe(409);
  expect((await person.post(`/appointments/${other}`).send({ patient_id: ann.id })).body.code).toBe('patient_deceased');
  await visit(ann.id, -3);
  expect(await counts()).toMatchObject({ total: 3 });

  await die(ann.id, null);
  await visit(ann.id, 9);
  expect([await readStatus(coming), await counts()]).toEqual([404, expect.objectContaining({ total: 4 })]);
});

it('a practice that keeps them has the visits in its lists, and in no percentage', async () => {
  const { app, chart, visit, die, readStatus, counts } = await practice('keep');
  const { id } = await chart();
  const [past, coming] = [await visit(id, -5), await visit(id, 5)];
  expect(await counts()).toMatchObject({ total: 2 });
  await die(id, dayIn(0));
  expect([await readStatus(past), await readStatus(coming), (await counts()).total]).toEqual([200, 200, 1]);
  const moved = await app.put(`/appointments/${coming}`).send({ appointment_date: `${dayIn(6)}T15:30:00Z` });
  expect(moved.status).toBe(409);
  expect((await app.put(`/appointments/${coming}`).send({ duration_minutes: 40 })).status).toBe(200);
});

it('practice systems are told that the visit was cancelled, and cannot book another', async () => {
  const { organizationId, chart, visit, die } = await practice();
  const system = await practiceClient(test, { organizationId });
  const { id } = await chart();
  const coming = await visit(id, 5);
  await die(id, dayIn(-1));
  expect((await system.get(`/appointments/${coming}`)).body[0].appointmentstatus).toBe('x');
});
