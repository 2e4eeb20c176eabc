import { expect, it } from 'vitest';
import { requireRedirectUris } from '../../src/domain/identity/clients/client-redirects.ts';
import { createApp } from '../../src/domain/identity/clients/clients.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization } from '../support/factories.ts';

const test = await sharedTestApp();

it('an app has addresses that lead to itself: https, this machine, or a scheme with a dot', async () => {
  const good = [
    'https://app.example.com/cb?x=1',
    'http://127.0.0.1/cb',
    'http://[::1]:8080/cb',
    'http://localhost/cb',
    'com.example.app:/cb',
  ];
  expect(requireRedirectUris(good)).toEqual(good);
  const bad = [
    'http://app.example.com/cb',
    'https://app.example.com/#x',
    'https://user@app.example.com/',
    'javascript:alert(1)',
    'myapp:/cb',
    '/cb',
    'https://app.example.com/ü',
  ];
  for (const address of bad) expect(() => requireRedirectUris([address])).toThrow();
  const { id } = await createOrganization(test.database.prisma);
  await expect(createApp(test.database.prisma, { name: 'X', organizationIds: [id], redirectUris: [] })).rejects.toMatchObject({
    kind: 'invalid',
  });
});
