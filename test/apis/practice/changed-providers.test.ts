import { expect, it } from 'vitest';
import { operator } from '../../../src/domain/caller.ts';
import { type ProviderChanges, updateProvider } from '../../../src/domain/practices/providers/provider-changes.ts';
import { createUnitOfWork } from '../../../src/domain/unit-of-work/unit-of-work.ts';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createProvider } from '../../support/factories.ts';
import { changedIn, pollUntil, readPage, subscribed, waitUntil } from './changes.ts';

const test = await sharedTestApp();
const unitOfWork = createUnitOfWork(test.database);

it('GET /providers/changed shows each changed provider once, as it is now', async () => {
  const client = await practiceClient(test);
  const { organizationId } = client;
  const provider = await createProvider(test.database.prisma, { organizationId, otherProviderIds: [7], providerGroupIds: [] });
  await createProvider(test.database.prisma, { organizationId });
  await subscribed(client, 'providers', { eventname: 'ProviderUpdate' });
  const change = (changes: ProviderChanges) =>
    unitOfWork.write(operator(organizationId, 'test'), (tx) => updateProvider(tx, provider.id, changes));
  await change({ billable: false });
  await change({ directAddress: 'doctor@direct.example.com' });
  await waitUntil(client, 'providers', 1);
  const [shown] = (await client.get(`/providers/${provider.id}`)).body;
  const looked = await readPage(client, 'providers', '?leaveunprocessed=true&showallproviderids=true');
  expect(looked.records).toEqual([{ ...shown, otherprovideridlist: '7' }]);
  const { records, page } = await readPage(client, 'providers');
  expect(records).toEqual([shown]);
  expect(records).toMatchObject([{ providerid: provider.id, billable: false }]);
  expect(page.totalcount).toBe(1);
  expect(await changedIn(client, 'providers')).toEqual([]);
  const tooMany = await client.get('/providers/changed?limit=5001');
  expect([tooMany.status, tooMany.body.invalidfields]).toEqual([400, ['limit']]);
});

it('A provider who is deactivated is told as deleted, and is known by activeyn where that is asked for', async () => {
  const { organizationId } = await practiceClient(test);
  const names = ['ProviderUpdate', 'ProviderDelete', 'ProviderUndelete'];
  const clients = await Promise.all(names.map(() => practiceClient(test, { organizationId })));
  for (const [index, client] of clients.entries()) await subscribed(client, 'providers', { eventname: names[index] });
  const [changes, deletions, returns] = clients;
  if (!changes || !deletions || !returns) throw new Error('there are three');
  const { id } = await createProvider(test.database.prisma, { organizationId });
  const activate = (active: boolean) => unitOfWork.write(operator(organizationId, 'test'), (tx) => updateProvider(tx, id, { active }));
  const asked = 'showdeletedproviders=true';
  await activate(false);
  await waitUntil(changes, 'providers', 1);
  const [plain] = (await readPage(changes, 'providers', '?leaveunprocessed=true')).records;
  expect(plain).not.toHaveProperty('activeyn');
  expect((await readPage(changes, 'providers', `?${asked}`)).records).toEqual([{ ...plain, activeyn: false }]);
  expect(await pollUntil(deletions, 'providers', 1)).toEqual([id]);
  expect(await changedIn(returns, 'providers')).toEqual([]);
  const listed = async (query: string) => (await changes.get(`/providers${query}`).expect(200)).body.providers;
  expect(await listed('')).toEqual([]);
  expect(await listed(`?${asked}`)).toEqual([{ ...plain, activeyn: false }]);
  expect((await changes.get(`/providers/${id}`).expect(200)).body).toEqual([plain]);
  expect((await changes.get(`/providers/${id}?${asked}`).expect(200)).body).toEqual([{ ...plain, activeyn: false }]);
  await activate(true);
  expect(await pollUntil(returns, 'providers', 1)).toEqual([id]);
  expect(await changedIn(deletions, 'providers')).toEqual([]);
  expect((await readPage(changes, 'providers', `?${asked}`)).records).toEqual([{ ...plain, activeyn: true }]);
  expect(await listed('')).toEqual([plain]);
});
