import { expect, it } from 'vitest';
import { admin, toEnvironment } from '../admin/command-line.ts';
import { ownTestApp, startTestApp, type TestApp } from '../support/app.ts';

const test = await ownTestApp();

const warnings = ({ logs }: Pick<TestApp, 'logs'>) =>
  logs.map((line) => JSON.parse(line)).filter(({ msg }) => String(msg).includes('TRUST_PROXY'));

async function doctor(trusted = '') {
  const environment = { ...toEnvironment(test), TRUST_PROXY: trusted };
  const { code, out } = await admin(environment, ['doctor', '--json', '--only', 'proxies'], '', test.database);
  return { code, found: String(JSON.parse(out).checks[0].found) };
}

it('one who is not believed to be a proxy is one warning, which doctor shows until a server believes them', async () => {
  await test.http.get('/healthz').expect(200);
  expect([warnings(test), await doctor()]).toEqual([[], { code: 0, found: expect.stringMatching(/^no untrusted proxy/) }]);

  await test.http.get('/healthz').set('x-forwarded-for', '203.0.113.7').expect(200);
  await test.http.get('/nothing').set('forwarded', 'for=203.0.113.8').expect(404);
  expect(warnings(test)).toMatchObject([{ level: 'warn', proxy: '127.0.0.1', header: 'x-forwarded-for' }]);
  await expect
    .poll(() => doctor(), { timeout: 10_000 })
    .toEqual({ code: 1, found: expect.stringMatching(/^127\.0\.0\.1 forwarded client addresses/) });
  expect(JSON.stringify([test.logs, await doctor()])).not.toContain('203.0.113');
  expect(await doctor('10.0.0.0/8, ::1')).toMatchObject({ code: 1 });
  for (const trusted of ['127.0.0.1', '127.0.0.0/8', 'loopback']) expect(await doctor(trusted)).toMatchObject({ code: 0 });

  const mended = await startTestApp({ TRUST_PROXY: '127.0.0.1' }, { databaseUrl: test.databaseUrl });
  await mended.http.get('/healthz').set('x-forwarded-for', '203.0.113.7').expect(200);
  await expect.poll(async () => (await doctor()).code, { timeout: 10_000 }).toBe(0);
  expect(warnings(mended)).toEqual([]);
  await mended.close();
});

it.each(['forwarded', 'x-real-ip'])(
  'the header %s warns as well, also where the proxy is believed and does not send the one that is read',
  async (header) => {
    const server = await startTestApp({ TRUST_PROXY: '127.0.0.1' }, { databaseUrl: test.databaseUrl });
    await server.http.get('/healthz').set(header, '203.0.113.9').expect(200);
    expect(warnings(server)).toMatchObject([{ proxy: '127.0.0.1', header }]);
    await server.close();
  },
);
