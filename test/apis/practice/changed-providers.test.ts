import { expect, it } from 'vitest';
import { operator } from '../../../src/domain/caller.ts';
import { updateProvider } from '../../../src/domain/practices/provider-changes.ts';
import { createUnitOfWork } from '../../../src/domain/unit-of-work/unit-of-work.ts';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createProvider } from '../../support/factories.ts';
import { changedIn, pageOf, subscribed, waitUntil } from './changes.ts';

const test = await sharedTestApp();
const unitOfWork = createUnitOfWork(test.database);

it('GET /providers/changed shows each changed provider once, as it is now', async () => {
  const client = await practiceClient(test);
  const { organizationId } = client;
  const provider = await createProvider(test.database.prisma, { organizationId, otherProviderIds: [7], providerGroupIds: [] });
  await createProvider(test.database.prisma, { organizationId });
  await subscribed(client, 'providers', { eventname: 'ProviderUpdate' });
  const change = (changes: { billable?: boolean; directAddress?: string }) =>
    unitOfWork.write(operator(organizationId, 'test'), (db, caller) => updateProvider(db, caller, provider.id, changes));
  await change({ billable: false });
  await change({ directAddress: 'doctor@direct.example.com' });
  await waitUntil(client, 'providers', 1);
  const [shown] = (await client.get(`/providers/${provider.id}`)).body;
  const looked = await pageOf(client, 'providers', '?leaveunprocessed=true&showallproviderids=true');
  expect(looked.records).toEqual([{ ...shown, otherprovideridlist: '7' }]);
  const { records, page } = await pageOf(client, 'providers');
  expect(records).toEqual([shown]);
  expect(records).toMatchObject([{ providerid: provider.id, billable: false, directaddress: 'doctor@direct.example.com' }]);
  expect(page.totalcount).toBe(1);
  expect(await changedIn(client, 'providers')).toEqual([]);
  const tooMany = await client.get('/providers/changed?limit=5001');
  expect([tooMany.status, tooMany.body.invalidfields]).toEqual([400, ['limit']]);
});
