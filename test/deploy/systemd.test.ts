import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig, readDatabaseConfig, VARIABLES } from '../../src/config/config.ts';
import { SECRETS } from '../../src/config/secret-files.ts';

const PROJECT = join(import.meta.dirname, '..', '..');
const FOLDER = join(PROJECT, 'deploy', 'systemd');
/** Where docs/deployment.md puts the project. */
const INSTALLED = '/opt/triptych';
const UNITS = readdirSync(FOLDER).filter((name) => name.endsWith('.service'));
const canVerify = spawnSync('systemd-analyze', ['--version']).status === 0;

/** `KEY=value` lines of a file, with several values of one key in their order. */
function readSettings(file: string): Map<string, string[]> {
  const settings = new Map<string, string[]>();
  for (const [, key = '', value = ''] of readFileSync(join(FOLDER, file), 'utf8').matchAll(/^([A-Za-z_0-9]+)=(.*)$/gm)) {
    settings.set(key, [...(settings.get(key) ?? []), value]);
  }
  return settings;
}

const isRead = (name: string) => VARIABLES.includes(name) || (name.endsWith('_FILE') && SECRETS.includes(name.slice(0, -'_FILE'.length)));
const environment = Object.fromEntries([...readSettings('environment.example')].map(([name, values]) => [name, values.join('')]));

describe('units of systemd', () => {
  it.each(UNITS)('%s runs a program of the project, with variables that it reads', (unit) => {
    const settings = readSettings(unit);
    expect(settings.get('WorkingDirectory')).toEqual([INSTALLED]);
    expect(settings.get('EnvironmentFile')).toEqual(['/etc/triptych/environment']);
    const [node = '', ...words] = settings.get('ExecStart')?.join('').split(' ') ?? [];
    expect(existsSync(node.replace(INSTALLED, PROJECT))).toBe(true);
    expect(existsSync(join(PROJECT, words.at(-1)?.replace(/^dist\/(\w+)\.js$/, 'src/$1.ts') ?? ''))).toBe(true);
    for (const path of settings.get('Documentation') ?? []) expect(existsSync(path.replace(`file:${INSTALLED}`, PROJECT))).toBe(true);
    for (const pair of settings.get('Environment') ?? []) expect(isRead(pair.split('=')[0] ?? '')).toBe(true);
  });

  it.each(UNITS)('%s may write to its own folder and nowhere else, as an ordinary user', (unit) => {
    const settings = readSettings(unit);
    for (const [key, value] of [
      ['User', 'triptych'],
      ['ProtectSystem', 'strict'],
      ['NoNewPrivileges', 'yes'],
      ['CapabilityBoundingSet', ''],
    ] as const) {
      expect([key, settings.get(key)]).toEqual([key, [value]]);
    }
    expect(settings.has('ReadWritePaths')).toBe(false);
  });

  it('have an example of their environment that the server accepts, without a secret in it', () => {
    expect(Object.keys(environment).filter((name) => !isRead(name))).toEqual([]);
    expect(Object.keys(environment).filter((name) => SECRETS.includes(name))).toEqual([]);
    const proposed = [...readFileSync(join(FOLDER, 'environment.example'), 'utf8').matchAll(/^#([A-Z_0-9]+)=/gm)].map(
      ([, name = '']) => name,
    );
    expect(proposed).toContain('OTEL_EXPORTER_OTLP_ENDPOINT');
    expect(proposed.filter((name) => !isRead(name) || SECRETS.includes(name))).toEqual([]);
    const folder = mkdtempSync(join(tmpdir(), 'triptych-units-'));
    writeFileSync(join(folder, 'database-url'), 'postgresql://triptych:secret@127.0.0.1:5432/triptych\n');
    writeFileSync(join(folder, 'database-owner-url'), 'postgresql://triptych_owner:secret@127.0.0.1:5432/triptych\n');
    writeFileSync(join(folder, 'master-keys'), `k1:${randomBytes(32).toString('base64')}\n`);
    const local = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value.replace('/etc/triptych', folder)]));
    expect(readConfig(local)).toMatchObject({ NODE_ENV: 'production', DATA_DIR: '/var/lib/triptych' });
    const owner = { ...local, DATABASE_OWNER_URL_FILE: join(folder, 'database-owner-url') };
    expect(readDatabaseConfig(owner).DATABASE_OWNER_URL).toContain('triptych_owner');
    rmSync(folder, { recursive: true });
  });

  it.runIf(canVerify)('satisfy systemd-analyze', () => {
    const root = mkdtempSync(join(tmpdir(), 'triptych-root-'));
    const units = join(root, 'etc/systemd/system');
    const program = join(root, INSTALLED, 'node_modules/.bin/node');
    for (const folder of [units, dirname(program)]) mkdirSync(folder, { recursive: true });
    writeFileSync(program, '');
    chmodSync(program, 0o755);
    for (const unit of UNITS) copyFileSync(join(FOLDER, unit), join(units, unit));
    // Those of the system that they refer to; what these say is not looked at.
    for (const target of ['sysinit', 'basic', 'shutdown', 'multi-user', 'network-online']) {
      writeFileSync(join(units, `${target}.target`), '[Unit]\nDescription=of the system\n');
    }
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', `--root=${root}`, ...UNITS], {
      encoding: 'utf8',
    });
    expect({ status, said: `${stdout}${stderr}`.trim() }).toEqual({ status: 0, said: '' });
    rmSync(root, { recursive: true });
  });
});
