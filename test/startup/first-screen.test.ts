import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/domain/identity/clients/clients.ts';
import { announceDemo } from '../../src/startup/demo.ts';
import { firstScreen } from '../../src/startup/first-screen.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createPatient } from '../support/factories.ts';
import { movedClock } from '../support/moved-clock.ts';

const run = promisify(execFile);

const test = await sharedTestApp();
const folder = await mkdtemp(join(tmpdir(), `triptych "screen" isn't $HOME here `));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A demo practice with one patient, and its demo.json. */
async function prepareDemoFile(): Promise<void> {
  const { prisma } = test.database;
  const organization = await createOrganization(prisma);
  const { clientId, clientSecret } = await createClient(prisma, {
    name: 'Demo',
    scopes: ['integration.read'],
    organizationIds: [organization.id],
  });
  await createPatient(prisma, { organizationId: organization.id, lastName: 'Pasted', medicalRecordNo: 'A/1 #2' });
  const clients = [{ api: 'integration', client_id: clientId, client_secret: clientSecret, scope: 'integration.read' }];
  const demo = { baseUrl: 'http://127.0.0.1:1', practices: [{ practiceid: organization.id, name: organization.name, users: [], clients }] };
  await writeFile(join(folder, 'demo.json'), JSON.stringify(demo));
}

describe('the first screen', () => {
  it('shows where the three APIs and the reference are', () => {
    const screen = firstScreen({ address: 'http://127.0.0.1:3000', listening: 'http://127.0.0.1:3000', config: test.config, demo: null });
    for (const path of ['/api', '/v1/{practiceid}', '/', '/docs']) expect(screen).toContain(`http://127.0.0.1:3000${path}\n`);
    expect(screen).not.toContain('curl');
  });

  it('offers a line that shows a patient when it is pasted into a shell in any folder', async () => {
    await prepareDemoFile();
    const demo = await announceDemo(test.database, folder, test.address);
    const screen = firstScreen({ address: test.address, listening: test.address, config: test.config, demo });
    expect(screen).toContain(join(folder, 'demo.json'));
    const line = /^ *(curl .*)$/m.exec(screen)?.[1] ?? '';
    const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: '/', ...movedClock() };
    const { stdout } = await run('sh', ['-c', line], { cwd: '/', env });
    expect(JSON.parse(stdout)).toMatchObject({ data: { lastname: 'Pasted', med_rec_no: 'A/1 #2' } });
  });

  it('shows where the sandbox is, where there is one: at this machine', async () => {
    await prepareDemoFile();
    const demo = await announceDemo(test.database, folder, test.address);
    const writeScreen = (more: Partial<typeof test.config>, shown = demo, address = test.address) =>
      firstScreen({ address, listening: test.address, config: { ...test.config, ...more }, demo: shown });
    expect(writeScreen({})).toContain(`${test.address}/sandbox,`);
    const proxied = writeScreen({}, demo, 'https://demo.example');
    expect(proxied).toContain(`and listens on ${test.address}\n`);
    expect(proxied).toContain(`${test.address}/sandbox,`);
    expect(writeScreen({}, null)).not.toContain('/sandbox');
  });

  it('writes the address of this start into demo.json, which stays private', async () => {
    await prepareDemoFile();
    await announceDemo(test.database, folder, test.address);
    expect(JSON.parse(await readFile(join(folder, 'demo.json'), 'utf8'))).toMatchObject({ baseUrl: test.address });
    expect((await stat(join(folder, 'demo.json'))).mode & 0o777).toBe(0o600);
  });

  it('shows nothing of demo practices that are in another database, and leaves their file alone', async () => {
    const client = { api: 'integration', client_id: 'demo', client_secret: 'of another database', scope: 'integration.read' };
    const practice = { practiceid: 1, name: 'Elsewhere', users: [], clients: [client] };
    const text = JSON.stringify({ baseUrl: 'http://elsewhere', practices: [practice] });
    await writeFile(join(folder, 'demo.json'), text);
    expect(await announceDemo(test.database, folder, test.address)).toBeNull();
    expect(await readFile(join(folder, 'demo.json'), 'utf8')).toBe(text);
  });

  it('shows no secret', async () => {
    await prepareDemoFile();
    const demo = await announceDemo(test.database, folder, test.address);
    const { practices }: { practices: { clients: { client_secret: string }[] }[] } = JSON.parse(
      await readFile(join(folder, 'demo.json'), 'utf8'),
    );
    const secret = practices[0]?.clients[0]?.client_secret ?? '';
    expect(secret).not.toBe('');
    expect(firstScreen({ address: test.address, listening: test.address, config: test.config, demo })).not.toContain(secret);
  });
});
