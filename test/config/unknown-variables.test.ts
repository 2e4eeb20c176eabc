import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readConfig, readDatabaseConfig } from '../../src/config/config.ts';
import { readComplaint } from './complaint.ts';

const folder = await mkdtemp(join(tmpdir(), 'triptych-config-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const read = (env: Record<string, string | undefined>) => readConfig({ DATA_DIR: folder, ...env });
const complaint = (env: Record<string, string | undefined>) => readComplaint(() => read(env));

describe('the environment', () => {
  it('is read under our own names where a login shell or conda has given the short ones away', () => {
    const foreign = { MAIL: '/var/mail/root', HOST: 'x86_64-conda-linux-gnu', FILES: '/etc', DOCS: '/usr/share/doc', CARRIER: 'eth0' };
    expect(read(foreign)).toEqual(read({}));
  });

  it.each([
    ['TRIPTYCH_MIAL', 'TRIPTYCH_MAIL'],
    ['TRIPTYCH_CARIER', 'TRIPTYCH_CARRIER'],
    ['TRIPTYCH_PORT', 'PORT'],
    ['TRIPTYCH_DATABASE_URL', 'DATABASE_URL'],
    ['TRIPTYCH_MASTER_KEY_FILE', 'MASTER_KEYS_FILE'],
    ['TRIPTYCH_MAIL_FILE', 'TRIPTYCH_MAIL'],
    ['TRIPTYCH_mail', 'TRIPTYCH_MAIL'],
    ['triptych_mail', 'TRIPTYCH_MAIL'],
    ['TRIPTYCHMAIL', 'TRIPTYCH_MAIL'],
  ])('is refused where it has %s, for which it names %s', (misspelt, meant) => {
    const sentence = `${misspelt}: is not a variable of this server. Did you mean ${meant}?`;
    expect(complaint({ [misspelt]: 'local' })).toBe(sentence);
    expect(complaint({ [misspelt]: 'local', LOG_LEVEL: 'loud' })).toMatch(
      new RegExp(`^${sentence.replace('?', '\\?')}\nLOG_LEVEL: [^\n]+$`),
    );
    expect(readComplaint(() => readDatabaseConfig({ DATA_DIR: folder, [misspelt]: 'local' }))).toBe(sentence);
    expect(complaint({ [misspelt]: ' ' })).toBe('no complaint');
  });

  it('may have what Kubernetes sets for a service called triptych', () => {
    const service = { TRIPTYCH_SERVICE_HOST: '10.0.0.9', TRIPTYCH_SERVICE_PORT_HTTP: '80', TRIPTYCH_PORT: 'tcp://10.0.0.9:80' };
    const older = { TRIPTYCH_PORT_80_TCP: 'tcp://10.0.0.9:80', TRIPTYCH_PORT_80_TCP_ADDR: '10.0.0.9' };
    expect(complaint({ ...service, ...older })).toBe('no complaint');
  });
});
