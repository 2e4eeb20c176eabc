import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../src/config/config.ts';
import { PRACTICE_LIMITS } from '../../src/config/practice-limits.ts';
import { SECRETS } from '../../src/config/secret-files.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const REFERENCE = read('docs/environment.md');
const COMPOSE = read('docker-compose.yml');
const EXAMPLE = read('.env.example');

/** Set by the image, or put together by docker-compose.yml from passwords and ports that .env has; no pooler is in it. */
const FIXED_IN_CONTAINERS = ['NODE_ENV', 'TRIPTYCH_HOST', 'DATA_DIR', 'DATABASE_URL', 'DATABASE_OWNER_URL', 'DATABASE_DIRECT_URL'];
const OF_WORKER = ['WORKER_PORT', 'WORKER_HOST'];
/** Beginnings of names for the containers themselves, which no program of ours reads. */
const OF_COMPOSE =
  /^(?:POSTGRES_PASSWORD|DATABASE_(?:OWNER_)?PASSWORD|(?:DATABASE|SERVER|WORKER)_(?:MEMORY|CPUS)|(?:SERVER|POSTGRES|CADDY|PROMETHEUS|GRAFANA)_IMAGE|GRAFANA_(?:PASSWORD|PORT))$/;

/** The names that a part of docker-compose.yml gives values to: from a line on, until one is indented less. */
function namesBelow(heading: RegExp): string[] {
  const [, indent = '', rest = ''] = new RegExp(`^( *)${heading.source}.*\\n([\\s\\S]*)`, 'm').exec(COMPOSE) ?? [];
  const lines = rest.split('\n');
  const end = lines.findIndex((line) => line.trim() !== '' && !line.startsWith(`${indent} `));
  return lines.slice(0, end).flatMap((line) => /^ +([A-Z][A-Z0-9_]*):/.exec(line)?.[1] ?? []);
}

const inCompose = (service: 'server' | 'worker') => [...namesBelow(/x-environment:/), ...namesBelow(new RegExp(`${service}:`))];

describe('every variable that the server reads', () => {
  it.each(VARIABLES)('%s is in the table of docs/environment.md', (name) => {
    expect(REFERENCE).toMatch(new RegExp(`^\\|[^|]*\`${name}\``, 'm'));
  });

  it('has its defaults there, as the limits of a practice', () => {
    const limits = Object.entries(PRACTICE_LIMITS).map(([name, most]) => `${name}=${most}`);
    expect(REFERENCE).toContain(`| \`PRACTICE_LIMITS\` | \`${limits.join(',')}\` |`);
  });

  it('reaches the server of docker-compose.yml, or the worker', () => {
    const passed = new Set([...FIXED_IN_CONTAINERS, 'PORT', ...inCompose('server'), ...OF_WORKER]);
    expect(inCompose('worker')).toEqual(expect.arrayContaining(OF_WORKER));
    expect(VARIABLES.filter((name) => !passed.has(name))).toEqual([]);
  });

  it('is in .env.example, where compose does not decide it', () => {
    const lines = new Set([...EXAMPLE.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name));
    expect(VARIABLES.filter((name) => !FIXED_IN_CONTAINERS.includes(name) && !lines.has(name))).toEqual([]);
  });
});

describe('each page and heading that is named', () => {
  const files = [
    '.env.example',
    'docker-compose.yml',
    ...globSync('{src,scripts,deploy,docker,ops}/**/*.{ts,mjs,yaml,yml,sql,ini,txt,example}', {
      cwd: ROOT,
      exclude: (path) => path === 'generated' || path.endsWith('/generated'),
    }),
  ];
  const headings = new Set(
    globSync('docs/**/*.md', { cwd: ROOT }).flatMap((page) => [
      page,
      ...[...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => `${page}, "${heading}"`),
    ]),
  );

  it('is there, in .env.example and wherever else an operator is sent to one', () => {
    const named = files.flatMap((file) =>
      [...read(file).matchAll(/\bdocs\/[\w/-]+\.md(?:, \\?"[^"\n]+")?/g)].map(([place]) => ({
        file,
        place: place.replaceAll('\\', '').replaceAll('’', "'"),
      })),
    );
    expect(named.filter(({ place }) => place.includes('"')).length).toBeGreaterThan(8);
    expect(named.filter(({ place }) => !headings.has(place))).toEqual([]);
  });
});

describe('no name is written that nothing reads', () => {
  it('in .env.example', () => {
    const names = [...EXAMPLE.matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name);
    expect(names.filter((name) => !VARIABLES.includes(name) && !OF_COMPOSE.test(name))).toEqual([]);
  });

  it.each(['server', 'worker'] as const)('in docker-compose.yml for the %s', (service) => {
    const names = inCompose(service);
    expect(names).toContain('MASTER_KEYS');
    expect(names.filter((name) => !VARIABLES.includes(name))).toEqual([]);
  });
});

describe('secrets', () => {
  it('are those variables that look like one, and can all be files', () => {
    // Ids of keys that are gone are no keys.
    const looks = VARIABLES.filter(
      (name) =>
        /(?:^|_)(?:KEYS?|SECRET|TOKEN|PASSWORD)(?:_|$)|^(?:DATABASE|SMTP|SIGNAL).*URL$|OTLP_HEADERS$/.test(name) && !name.endsWith('_IDS'),
    );
    expect([...SECRETS].sort()).toEqual(looks.sort());
    const section = REFERENCE.slice(REFERENCE.indexOf('## Secrets in files'));
    for (const name of SECRETS) expect(section).toContain(`\`${name}\``);
  });
});
