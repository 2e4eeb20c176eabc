import { expect, it } from 'vitest';
import { operator } from '../../src/domain/caller.ts';
import { recordChartChange } from '../../src/domain/patients/chart/chart.ts';
import { changedIn, readPage, subscribed, waitUntil } from '../apis/practice/changes.ts';
import { actorWith, clientToken, integrationClient, practiceClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { eventually } from '../support/server-process.ts';

const test = await sharedTestApp();
const PRACTICE = ['practice.read', 'practice.write'];

/** A practice with a reader of each kind who may see restricted charts, and one who may not. */
async function clinic() {
  const app = await integrationClient(test);
  const { organizationId } = app;
  const follower = async (scopes: string[]) => actorWith(test, (await clientToken(test, scopes, [organizationId])).token, organizationId);
  const system = (scopes: string[]) => practiceClient(test, { organizationId, scopes: [...PRACTICE, ...scopes] });
  const [plain, trusted] = [await system([]), await system(['restricted.read'])];
  for (const client of [plain, trusted]) await subscribed(client, 'patients');
  const chart = async (lname: string): Promise<number> =>
    (await app.post('/patients').send({ fname: 'Ann', lname }).expect(200)).body.data.uuid;
  const trustedApp = await integrationClient(test, {
    organizationId,
    scopes: ['integration.read', 'integration.write', 'restricted.read'],
  });
  const officer = await signedInUser(test, { organizationId, user: { privacyOfficer: true } });
  const restrict = (id: number, kind: string) =>
    officer.post(`/platform/v1/patients/${id}/restrictions`).send({ kind, reason: 'Member of staff' }).expect(201);
  return {
    organizationId,
    app,
    chart,
    restrict,
    trustedApp,
    plain,
    trusted,
    follower: await follower(['events.read']),
    seer: await follower(['events.read', 'restricted.read']),
  };
}

const deleteChart = (organizationId: number, id: number) =>
  test.services.unitOfWork.write(operator(organizationId, 'test'), async (tx) => {
    await tx.prisma.patient.update({ where: { organizationId_id: { organizationId, id } }, data: { status: 'deleted' } });
    recordChartChange(tx, id, 'status');
  });

/** What a reader of the log is told of a chart, once a later event has come. */
async function readEvents(reader: Awaited<ReturnType<typeof clinic>>['follower'], id: number, last: number): Promise<string[]> {
  const all = async () => (await reader.get('/platform/v1/events?limit=1000').expect(200)).body.data;
  await eventually('a later event', async () => (await all()).some((event: { subject: { id: number } }) => event.subject.id === last));
  const events: { type: string; subject: { type: string; id: number }; changed: string[] }[] = await all();
  return events.filter(({ subject }) => subject.type === 'patient' && subject.id === id).map(({ type }) => type);
}

it('a chart that is restricted and one that is deleted look alike to who may not see it, in the log and in the feed', async () => {
  const { organizationId, chart, restrict, follower, seer, plain, trusted } = await clinic();
  const [restricted, deleted] = [await chart('Hidden'), await chart('Gone')];
  await waitUntil(plain, 'patients', 2);
  expect(await changedIn(plain, 'patients')).toEqual([restricted, deleted]);
  await restrict(restricted, 'portal');
  await restrict(restricted, 'record');
  await deleteChart(organizationId, deleted);
  const last = await chart('Last');

  for (const id of [restricted, deleted]) expect(await readEvents(follower, id, last)).toEqual(['patient.withdrawn']);
  expect(await readEvents(seer, restricted, last)).toEqual(['patient.registered', 'patient.updated', 'patient.updated']);
  expect(await readEvents(seer, deleted, last)).toEqual(['patient.registered', 'patient.updated', 'patient.withdrawn']);
  await waitUntil(plain, 'patients', 3);
  const { records } = await readPage(plain, 'patients');
  expect(records.slice(0, 2).map(({ patientid, status, lastname }) => [patientid, status, lastname])).toEqual(
    [restricted, deleted].map((id) => [String(id), 'deleted', undefined]),
  );
  const theirs = (await readPage(trusted, 'patients')).records.find(({ patientid }) => patientid === String(restricted));
  expect(theirs).toMatchObject({ lastname: 'Hidden', status: 'active' });
});

it('is told once, and no change of a chart that is restricted already tells anything', async () => {
  const { chart, restrict, trustedApp, follower, plain } = await clinic();
  const id = await chart('Hidden');
  await restrict(id, 'record');
  await waitUntil(plain, 'patients', 1);
  expect(await changedIn(plain, 'patients')).toEqual([id]);
  await restrict(id, 'blocked');
  await trustedApp.put(`/patients/${id}`).send({ city: 'Cary' }).expect(200);
  const last = await chart('Last');
  expect(await readEvents(follower, id, last)).toEqual(['patient.withdrawn']);
  await waitUntil(plain, 'patients', 1);
  expect(await changedIn(plain, 'patients')).toEqual([last]);
});
