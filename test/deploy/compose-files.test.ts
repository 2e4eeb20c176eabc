import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const PROJECT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8');
const COMPOSE = read('docker-compose.yml');
const PROMETHEUS = read('docker/prometheus.yml');
const canCheck = spawnSync('promtool', ['--version']).status === 0;

describe('docker-compose.yml', () => {
  it('mounts files and folders that the project has', () => {
    const mounted = [...COMPOSE.matchAll(/^ +- (\.\/[^:]+):/gm)].map(([, path = '']) => path);
    expect(mounted.length).toBeGreaterThan(5);
    expect(mounted.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
  });

  it('makes backups where nothing says otherwise: the worker, into a volume that the restore reads', () => {
    const [, worker = '', restore = ''] = /\n {2}worker:\n(.*?)\n\n.*?\n {2}restore:\n(.*?)\n\n/s.exec(COMPOSE) ?? [];
    expect(COMPOSE).toMatch(/^ {2}BACKUP_TO: \$\{BACKUP_TO:-\/backups\}$/m);
    expect(worker).not.toContain('profiles:');
    for (const service of [worker, restore]) expect(service).toContain('"backups:/backups"]');
  });

  it('lets each image be another, such as one by its digest', () => {
    const images = [...COMPOSE.matchAll(/^ +image: (.*)$/gm)].map(([, image = '']) => image);
    expect(images.filter((image) => !/^\$\{[A-Z]+_IMAGE:-[a-z/]+(?::[\w.]+)?\}$/.test(image))).toEqual([]);
  });

  it('lets the server believe the proxy of the profile "tls", and gives proxies time to notice its stop', () => {
    expect(COMPOSE).toMatch(/ TRUST_PROXY: \$\{TRUST_PROXY-uniquelocal\}\n/);
    expect(COMPOSE).toMatch(/ DRAIN_SECONDS: \$\{DRAIN_SECONDS:-5\}\n/);
  });

  it('lets Prometheus reach the ports that the server and the workers have there', () => {
    const ports = new Map(
      ['METRICS_PORT', 'WORKER_PORT'].map((name) => [name, new RegExp(`${name}: \\$\\{${name}:-(\\d+)\\}`).exec(COMPOSE)?.[1]]),
    );
    expect(PROMETHEUS).toContain(`["server:${ports.get('METRICS_PORT')}", "worker:${ports.get('WORKER_PORT')}"]`);
  });

  it.runIf(canCheck)('gives Prometheus a configuration that promtool accepts', () => {
    const folder = mkdtempSync(join(tmpdir(), 'triptych-prometheus-'));
    const file = join(folder, 'prometheus.yml');
    writeFileSync(file, PROMETHEUS.replace('/etc/prometheus/rules', join(PROJECT, 'ops', 'prometheus')));
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'config', file], { encoding: 'utf8' });
    expect(`${stdout}${stderr}`).not.toContain('FAILED');
    expect(status).toBe(0);
    rmSync(folder, { recursive: true });
  });
});
