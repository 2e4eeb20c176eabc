import { describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice } from '../../support/factories.ts';
import { changedIn, pollUntil, readPage, subscribed, waitUntil } from './changes.ts';

const test = await sharedTestApp();
const system = await practiceClient(test);
const another = (organizationId = system.organizationId, scopes?: string[]) =>
  practiceClient(test, { organizationId, ...(scopes ? { scopes } : {}) });

async function register(form: object = {}, client = system): Promise<number> {
  const answer = await client
    .post('/patients')
    .type('form')
    .send({ lastname: 'Feed', ...form });
  expect(answer.status, answer.text).toBe(200);
  return answer.body[0].patientid;
}

describe('GET /patients/changed', () => {
  it('is 403 without a subscription, in the words that clients compare', async () => {
    const client = await another();
    const answer = await client.get('/patients/changed');
    expect(answer.status).toBe(403);
    expect(answer.body.error).toBe('Changed messages require setup (subscription) that has not been done.');
    expect((await client.get('/patients/changed?leaveunprocessed=true')).status).toBe(403);
  });

  it('tells each client what changed since it subscribed, each patient once, as the chart is now', async () => {
    const [one, other] = [await another(), await another()];
    await subscribed(one, 'patients');
    const id = await register({ firstname: 'Ann', city: 'Cary' });
    const second = await register({ firstname: 'Ben' });
    await waitUntil(one, 'patients', 2);
    const { ids, page, records } = await readPage(one, 'patients');
    expect(ids).toEqual([id, second]);
    expect(page.totalcount).toBe(2);
    expect(page.next).toBeUndefined();
    const [chart] = (await one.get(`/patients/${id}`)).body;
    expect(records[0]).toEqual(chart);
    expect(await changedIn(one, 'patients')).toEqual([]);
    expect((await other.get('/patients/changed')).status).toBe(403);
  });

  it('leaves records that are only looked at', async () => {
    const client = await another();
    await subscribed(client, 'patients');
    const id = await register();
    await waitUntil(client, 'patients', 1);
    for (const flag of ['true', 'Y', '1']) expect(await changedIn(client, 'patients', `?leaveunprocessed=${flag}`)).toEqual([id]);
    expect(await changedIn(client, 'patients', '?leaveunprocessed=N')).toEqual([id]);
    expect(await changedIn(client, 'patients')).toEqual([]);
  });

  it('hands out a long list page by page, whatever offset a client sends', async () => {
    const client = await another();
    await subscribed(client, 'patients');
    const ids: number[] = [];
    for (let count = 0; count < 5; count += 1) ids.push(await register());
    await waitUntil(client, 'patients', 5);
    const looked = await readPage(client, 'patients', '?leaveunprocessed=true&limit=2&offset=2');
    expect(looked.ids).toEqual(ids.slice(2, 4));
    expect(looked.page.next).toBe(`/v1/${client.organizationId}/patients/changed?leaveunprocessed=true&limit=2&offset=4`);
    const first = await readPage(client, 'patients', '?limit=2');
    expect(first.ids).toEqual(ids.slice(0, 2));
    expect(first.page).toMatchObject({ totalcount: 5, next: `/v1/${client.organizationId}/patients/changed?limit=2` });
    expect(await changedIn(client, 'patients', '?limit=2&offset=2')).toEqual(ids.slice(2, 4));
    const last = await readPage(client, 'patients', '?limit=2&offset=4');
    expect(last.ids).toEqual(ids.slice(4));
    expect(last.page.next).toBeUndefined();
  });

  it('limits a page to 10,000 records', async () => {
    const client = await another();
    await subscribed(client, 'patients');
    expect((await client.get('/patients/changed?limit=10000')).status).toBe(200);
    const answer = await client.get('/patients/changed?limit=10001');
    expect([answer.status, answer.body.invalidfields]).toEqual([400, ['limit']]);
  });

  it('gives what a filter leaves out to a later call', async () => {
    const client = await another();
    await subscribed(client, 'patients');
    const office = async () => (await createOffice(test.database.prisma, { organizationId: client.organizationId, name: 'Feed' })).id;
    const [north, south, east] = [await office(), await office(), await office()];
    const inNorth = await register({ departmentid: north });
    const inSouth = await register({ departmentid: south });
    const inEast = await register({ departmentid: east });
    await waitUntil(client, 'patients', 3);
    const look = (query: string) => changedIn(client, 'patients', `?leaveunprocessed=1&${query}`);
    expect(await look(`departmentid=${north},${south}`)).toEqual([inNorth, inSouth]);
    expect(await look(`departmentid=${north}&departmentid=${east}`)).toEqual([inNorth, inEast]);
    expect(await look(`departmentid[0]=${south}&departmentid[1]=${east}`)).toEqual([inSouth, inEast]);
    expect(await look(`departmentid=[${south}]`)).toEqual([inSouth]);
    expect(await look(`patientid=${inEast}&departmentid=${north}`)).toEqual([]);
    expect(await changedIn(client, 'patients', `?departmentid=${south}`)).toEqual([inSouth]);
    expect(await changedIn(client, 'patients')).toEqual([inNorth, inEast]);
    const wrong = await client.get('/patients/changed?departmentid=north');
    expect([wrong.status, wrong.body.invalidfields]).toEqual([400, ['departmentid']]);
  });

  it('names parameters that it does without', async () => {
    const client = await another();
    await subscribed(client, 'patients');
    const answer = await client.get('/patients/changed?ignorerestrictions=true&showpreviouspatientids=true');
    expect(answer.headers['warning-fields']).toBe('ignorerestrictions, showpreviouspatientids');
  });

  it('hands a record that changes again out again', async () => {
    const client = await another();
    await subscribed(client, 'patients');
    const id = await register();
    expect(await pollUntil(client, 'patients', 1)).toEqual([id]);
    await client.put(`/patients/${id}`).type('form').send({ city: 'Apex' });
    expect(await pollUntil(client, 'patients', 1)).toEqual([id]);
  });

  it('never shows a restricted chart to a client that may not see it', async () => {
    const plain = await another();
    const trusted = await another(system.organizationId, ['practice.read', 'restricted.read']);
    await subscribed(plain, 'patients');
    await subscribed(trusted, 'patients');
    const hidden = await register();
    const data = { organizationId: system.organizationId, patientId: hidden, kind: 'record' } as const;
    await test.database.prisma.privacyRestriction.create({ data });
    const shown = await register();
    await waitUntil(trusted, 'patients', 2);
    const { ids, page } = await readPage(plain, 'patients', '?ignorerestrictions=true&leaveunprocessed=true');
    expect([ids, page.totalcount]).toEqual([[shown], 1]);
    expect(await changedIn(trusted, 'patients')).toEqual([hidden, shown]);
    expect(await changedIn(plain, 'patients')).toEqual([shown]);
    expect(await changedIn(plain, 'patients', '?showprocessedstartdatetime=1/1/2000')).toEqual([shown]);
  });

  it('keeps practices apart', async () => {
    const there = await practiceClient(test);
    await subscribed(there, 'patients');
    const client = await another();
    await subscribed(client, 'patients');
    const own = await register({}, client);
    const id = await register({}, there);
    expect(await pollUntil(there, 'patients', 1)).toEqual([id]);
    expect(await pollUntil(client, 'patients', 1)).toEqual([own]);
    expect((await client.get('/patients/changed').set('authorization', `Bearer ${there.token}`)).status).toBe(404);
  });

  it('audits which charts it showed', async () => {
    const client = await another();
    await subscribed(client, 'patients');
    const id = await register();
    expect(await pollUntil(client, 'patients', 1)).toEqual([id]);
    const entries = await test.database.prisma.auditEntry.findMany({
      where: { organizationId: client.organizationId, actor: `client:${client.clientId}`, resource: 'patient' },
    });
    expect(entries.map(({ action, resourceIds }) => [action, resourceIds])).toContainEqual(['search', [id]]);
  });
});
