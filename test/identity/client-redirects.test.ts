import { expect, it } from 'vitest';
import { isRegisteredRedirect, requireRedirectUris } from '../../src/domain/identity/clients/client-redirects.ts';
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

it('an address is compared letter by letter, but for the port on this machine', () => {
  const registered = ['http://127.0.0.1/cb', 'http://[::1]:8080/cb?x=1', 'https://app.example.com/cb'];
  const same = [
    'http://127.0.0.1:4000/cb',
    'http://127.0.0.1/cb',
    'http://[::1]/cb?x=1',
    'http://[::1]:9/cb?x=1',
    'https://app.example.com/cb',
  ];
  expect(same.filter((address) => !isRegisteredRedirect(registered, address))).toEqual([]);
  const others = ['2130706433', '127.1', '0x7f.0.0.1', '127.0.0.1:4000/x/..', '127.0.0.1:99999', '127.0.0.1.evil.example', 'localhost'];
  const written = [
    ...others.map((host) => `http://${host}/cb`),
    'HTTP://127.0.0.1/cb',
    'https://app.example.com:443/cb',
    'https://APP.example.com/cb',
  ];
  expect(written.filter((address) => isRegisteredRedirect(registered, address))).toEqual([]);
});
