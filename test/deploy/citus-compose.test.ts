import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { splitServers } from '../../src/config/database-address.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'deploy', 'citus');
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const COMPOSE = read('docker-compose.yml');
const findService = (name: string) => new RegExp(`^  ${name}:.*\\n((?:    .*\\n|\\n)*)`, 'm').exec(COMPOSE)?.[1] ?? '';

describe('deploy/citus/docker-compose.yml', () => {
  it('mounts files that the project has', () => {
    const mounted = [...COMPOSE.matchAll(/(\.\/[\w.]+):\//g)].map(([, path = '']) => path);
    expect(new Set(mounted)).toEqual(new Set(['./roles.sql', './join.sql', './pgbouncer.ini']));
    expect(mounted.filter((path) => !existsSync(join(FOLDER, path)))).toEqual([]);
  });

  it('has a coordinator, two nodes that are joined to it, three servers and two workers', () => {
    const joined = [...read('join.sql').matchAll(/citus_add_node\('(\w+)'/g)].map(([, node = '']) => node);
    expect(joined).toEqual(['node1', 'node2']);
    for (const node of [...joined, 'coordinator', 'pooler']) expect(findService(node), node).not.toBe('');
    expect(findService('server')).toContain('replicas: 3');
    expect(findService('worker')).toContain('replicas: 2');
  });

  it('runs programs that exist, with the tables in their places before a server starts', () => {
    const programs = [...COMPOSE.matchAll(/command: \[node, dist\/(\w+)\.js\]/g)].map(([, name = '']) => name);
    expect(programs.toSorted()).toEqual(['distribute', 'migrate', 'worker']);
    expect(programs.filter((name) => !existsSync(join(FOLDER, '..', '..', 'src', `${name}.ts`)))).toEqual([]);
    for (const name of ['server', 'worker'])
      expect(findService(name)).toContain('distribute: { condition: service_completed_successfully }');
  });

  it('sends what needs a session past the pooler, and gives the owner to nobody who stays up', () => {
    const urls = [...COMPOSE.matchAll(/^x-(\w+)-url: &\S+ (\S+?)\$\{[^}]+\}(\S+)$/gm)].map(([, name, before, after]) => [
      name,
      `${before}x${after}`,
    ]);
    const hosts = urls.map(([name, url = '']) => [name, new URL(splitServers(url)[0] ?? '').host]);
    expect(Object.fromEntries(hosts)).toEqual({ direct: 'coordinator:5432', pooled: 'pooler:6432', owner: 'coordinator:5432' });
    for (const name of ['server', 'worker']) expect(findService(name)).not.toContain('owner-url');
    expect(read('pgbouncer.ini')).toContain('host=coordinator port=5432 dbname=triptych');
  });

  it('lets each image be another, such as one by its digest', () => {
    const images = [...COMPOSE.matchAll(/^ +image: (.*)$/gm)].map(([, image = '']) => image);
    expect(images.filter((image) => !/^\$\{[A-Z]+_IMAGE:-[a-z/]+(?::[\w.]+)?\}$/.test(image))).toEqual([]);
  });

  it('pools as the settings do that are tested behind a single machine', () => {
    const settings = (text: string) =>
      Object.fromEntries([...text.slice(text.indexOf('[pgbouncer]')).matchAll(/^(\w+) = (.*)$/gm)].map(([, name, value]) => [name, value]));
    const single = settings(readFileSync(join(FOLDER, '..', 'pgbouncer', 'pgbouncer.ini'), 'utf8'));
    expect(settings(read('pgbouncer.ini'))).toEqual({ ...single, listen_addr: '0.0.0.0' });
  });
});
