import { spawnSync } from 'node:child_process';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/server-process.ts';
import { buildImage, commitBefore, docker, remoteAddresses } from './docker.ts';
import { type Installation, prepareInstallation, STAYING } from './installation.ts';
import { type Accounts, walker } from './walk.ts';

const BEFORE = 'triptych-test:before';
const NOW = 'triptych-test:now';
/** Port of the installation on this machine. */
const PORT = Number(process.env.PORT ?? 3917);
const LIMIT_MB = 500;

let installation: Installation;
let accounts: Accounts;
let appointment: number;
const walk = () => walker(installation.address, accounts);

beforeAll(async () => {
  if (process.env.BASE_IMAGES === 'made') {
    const made = spawnSync('bash', [join(import.meta.dirname, 'base-images', 'make.sh')], { stdio: ['ignore', 'ignore', 'inherit'] });
    expect(made.status).toBe(0);
  }
  buildImage(BEFORE, commitBefore());
  buildImage(NOW);
  installation = await prepareInstallation(PORT);
});
afterAll(async () => {
  await installation?.remove();
});

/** Answers of the server while it may be starting or without its database. */
const isReady = () =>
  fetch(`${installation.address}/readyz`)
    .then(({ ok }) => ok)
    .catch(() => false);

describe('an installation by docker-compose.yml', () => {
  it('starts the release before from the .env that .env.example describes, and is well', async () => {
    await installation.up(BEFORE);
    await installation.ready();
    const { practices }: { practices: Accounts[] } = JSON.parse(await installation.run('server', 'cat', '/data/demo.json'));
    const [first] = practices;
    if (!first) throw new Error('no demo practice');
    accounts = first;
    appointment = await walk().book('COMPOSE-1');
    await walk().expectAppointment(appointment);
  });

  it('is upgraded to this release, with all that it had', async () => {
    await installation.up(NOW);
    await installation.ready();
    expect(await installation.inspect('server', '{{.Config.Image}}')).toBe(NOW);
    await walk().expectAppointment(appointment);
    expect(await walk().book('COMPOSE-2')).toBeGreaterThan(appointment);
    await walk().expectPages();
  });

  it.each(['server', 'worker', 'database'])('comes back by itself when the %s is killed', async (service) => {
    await installation.kill(service);
    await installation.ready();
    await eventually('the server is ready', isReady);
    await walk().expectAppointment(appointment);
    await walk().book(`KILLED-${service}`);
  });

  it('is watched by the Prometheus of the profile "observability", which knows the alerts', async () => {
    await installation.compose('up', '--detach', '--no-build', 'prometheus');
    const ask = async (path: string): Promise<string> =>
      installation.run('server', 'node', '-e', `fetch('http://prometheus:9090${path}').then((answer) => answer.text()).then(console.log)`);
    const up = async () => [...(await ask('/api/v1/query?query=up==1')).matchAll(/"instance":"([^"]+)"/g)].map(([, instance]) => instance);
    const instances = ['server:9464', 'worker:3001'];
    await eventually('both are scraped', async () => (await up().catch(() => [])).sort().join() === instances.join(), 120_000);
    expect(await ask('/api/v1/rules')).toContain('ProcessDown');
    const changed = (await docker('diff', await installation.container('prometheus'))).split('\n').filter(Boolean);
    // The places on which files of the project are mounted.
    expect(changed.filter((line) => !line.includes('/etc/prometheus') && line !== 'C /etc')).toEqual([]);
    await installation.compose('rm', '--stop', '--force', 'prometheus');
  });

  it('comes back when it was stopped as a whole', async () => {
    await installation.compose('stop');
    for (const service of ['server', 'worker']) expect(await installation.inspect(service, '{{.State.ExitCode}}')).toBe('0');
    await installation.compose('start', ...STAYING);
    await installation.ready();
    await walk().expectAppointment(appointment);
  });

  it('runs nothing as root, and with no capability', async () => {
    for (const service of STAYING) {
      const processes = (await docker('top', await installation.container(service), '-eo', 'pid,uid')).split('\n').slice(1);
      expect(processes.length).toBeGreaterThan(0);
      expect(processes.filter((line) => /\s0$/.test(line.trim()))).toEqual([]);
      const status = await installation.run(service, 'cat', '/proc/1/status');
      expect(status).toMatch(/^CapEff:\s+0+$/m);
      expect(status).toMatch(/^CapBnd:\s+0+$/m);
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    }
  });

  it('writes nothing outside of its volumes', async () => {
    for (const service of STAYING) {
      expect(await installation.inspect(service, '{{.HostConfig.ReadonlyRootfs}}')).toBe('true');
      const changed = (await docker('diff', await installation.container(service))).split('\n').filter(Boolean);
      // The place on which a file of docker-compose.yml is mounted.
      expect(changed.filter((line) => !line.includes('/docker-entrypoint-initdb.d'))).toEqual([]);
      await expect(installation.run(service, 'sh', '-c', 'echo x > /written')).rejects.toThrow(/Read-only/);
    }
  });

  it('talks to nobody outside of its own networks', async () => {
    for (const service of STAYING) {
      const networks: Record<string, { Gateway: string; IPAddress: string; IPPrefixLen: number }> = JSON.parse(
        await installation.inspect(service, '{{json .NetworkSettings.Networks}}'),
      );
      const own = Object.values(networks).map(({ IPAddress, IPPrefixLen }) => ({ IPAddress, IPPrefixLen }));
      const tables = await installation.run(service, 'sh', '-c', 'cat /proc/net/tcp /proc/net/tcp6 /proc/net/udp /proc/net/udp6');
      // It has looked at the right tables: all of them talk to the database, and the database to them.
      expect(remoteAddresses(tables)).not.toEqual([]);
      const isOwn = (address: string) => own.some((network) => isIPv4(address) && sameNetwork(address, network));
      expect(remoteAddresses(tables).filter((address) => !isOwn(address))).toEqual([]);
    }
    expect(Object.keys(JSON.parse(await installation.inspect('database', '{{json .NetworkSettings.Networks}}')))).toHaveLength(1);
  });

  it('makes a backup by itself, from which empty volumes are filled again', async () => {
    const admin = (...words: string[]) => installation.run('worker', 'node', 'dist/admin.js', ...words, '--as', 'compose');
    await eventually('a backup is made', async () => (await installation.run('worker', 'ls', '/backups')) !== '', 180_000);
    appointment = await walk().book('COMPOSE-3');
    await admin('backup', 'create', '--to', '/backups');
    await admin('backup', 'verify', '--from', '/backups');
    await installation.compose('down');
    await docker('volume', 'rm', 'triptych-test_database', 'triptych-test_data');
    await installation.compose('run', '--rm', '--no-TTY', 'restore');
    await installation.up(NOW);
    await installation.ready();
    await walk().expectAppointment(appointment);
    await admin('audit', 'verify');
  });

  it(`has an image of at most ${LIMIT_MB} MB`, async () => {
    expect(Number(await docker('image', 'inspect', '--format', '{{.Size}}', NOW)) / 1e6).toBeLessThan(LIMIT_MB);
  });
});

function sameNetwork(address: string, { IPAddress, IPPrefixLen }: { IPAddress: string; IPPrefixLen: number }): boolean {
  const toNumber = (dotted: string) => dotted.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - IPPrefixLen);
  return Math.floor(toNumber(address) / size) === Math.floor(toNumber(IPAddress) / size);
}
