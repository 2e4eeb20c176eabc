import { describe, expect, it } from 'vitest';
import { circles, climbs, readSources } from './imports.ts';
import { ENTRIES, LAYERS } from './layers.ts';

const sources = readSources();

describe('The layers of src', () => {
  it('import only what is below them', () => {
    expect(climbs(sources)).toEqual([]);
  });

  it('have no circle of files, of types neither; nor have the tests, the scripts and the benchmark', () => {
    expect(circles(sources)).toEqual([]);
  });

  it('all exist', () => {
    expect(LAYERS.filter(({ path }) => ![...sources.keys(), 'src/generated'].some((file) => `${file}/`.startsWith(`${path}/`)))).toEqual(
      [],
    );
  });

  it('are listed in order: each names only layers below it', () => {
    const paths = LAYERS.map(({ path }) => path);
    const rank = (path: string) => (paths.includes(path) ? paths.indexOf(path) : paths.findIndex((layer) => layer.startsWith(`${path}/`)));
    const upward = LAYERS.flatMap(({ path, imports }, index) =>
      imports.filter((name) => name.startsWith('src/') && rank(name) <= index).map((name) => `${path} names ${name}`),
    );
    expect(upward).toEqual([]);
  });
});

describe('The comments of src', () => {
  it('are statements: none begins with a word that asks', () => {
    const asking = /(?:^|\s)(?:\/\*\*?|\/\/) (?:What|Who|Whom|Whose|Whoever|Whatever|How|Why)\b.*/gm;
    const found = [...sources].flatMap(([path, text]) =>
      path.startsWith('src/') ? [...text.matchAll(asking)].map(([line]) => path + line) : [],
    );
    expect(found).toEqual([]);
  });
});

/** The climbs of one file with this path and text. */
const findClimbs = (path: string, text: string) => climbs(new Map([[path, text]]));

describe('The check of the layers notices', () => {
  it.each([
    ['src/http/a.ts', '../realtime/b.ts'],
    ['src/jobs/a.ts', '../realtime/b.ts'],
    ['src/realtime/a.ts', '../pages/b.ts'],
    ['src/domain/telehealth/a.ts', '../../realtime/b.ts'],
    ['src/apis/mobile/a.ts', '../../realtime/b.ts'],
    ['src/apis/mobile/a.ts', '../practice/b.ts'],
    ['src/apis/practice/a.ts', '../integration/b.ts'],
    ['src/webhooks/a.ts', '../pages/b.ts'],
    ['src/http/a.ts', '../jobs/b.ts'],
    ['src/http/a.ts', '../apis/mobile/b.ts'],
    ['src/domain/patients/a.ts', '../../http/b.ts'],
    ['src/domain/practices/a.ts', '../patients/b.ts'],
    ['src/domain/audit/a.ts', '../unit-of-work/b.ts'],
    ['src/domain/audit/a.ts', '../logs/b.ts'],
    ['src/gateways/a.ts', '../domain/errors.ts'],
    ['src/database/a.ts', '../gateways/b.ts'],
    ['src/config/a.ts', '../database/b.ts'],
    ['src/apis/mobile/a.ts', '../../generated/prisma/client.ts'],
    ['src/pages/a.ts', './client/b.ts'],
    ['src/admin/a.ts', './main.ts'],
    ['src/admin/a.ts', '../server.ts'],
    ['src/domain/files/a.ts', '../../../test/support/b.ts'],
    ['src/domain/files/a.ts', '../../../prisma/seed/b.ts'],
    ['src/domain/files/a.ts', 'fastify'],
    ['src/jobs/a.ts', '@fastify/websocket'],
  ])('%s that imports %s', (path, target) => {
    expect(findClimbs(path, `import { a } from '${target}';`)).toHaveLength(1);
  });

  it.each([
    `import type { A } from '../realtime/a.ts';`,
    `import {\n  a,\n  type B,\n} from '../realtime/a.ts';`,
    `import '../realtime/a.ts';`,
    `export { a } from '../realtime/a.ts';`,
    `export type * from '../realtime/a.ts';`,
    `const { a } = await import('../realtime/a.ts');`,
    `type A = import('../realtime/a.ts').A;`,
  ])('an import that is written as %j', (text) => {
    expect(findClimbs('src/http/a.ts', text)).toEqual(['src/http/a.ts imports src/realtime/a.ts']);
  });

  it('a folder and a file without a layer', () => {
    expect([...findClimbs('src/helpers/a.ts', ''), ...findClimbs('src/a.ts', ''), ...findClimbs('src/domain/a.ts', '')]).toHaveLength(3);
  });

  it('a circle, whether of values or of types', () => {
    const circle = new Map([
      ['src/http/a.ts', `import { b } from './b.ts';`],
      ['src/http/b.ts', `import type { C } from './c.ts';`],
      ['src/http/c.ts', `import type { A } from './a.ts';`],
      ['src/http/d.ts', `import { a } from './a.ts';`],
    ]);
    expect(circles(circle)).toEqual([['src/http/a.ts', 'src/http/b.ts', 'src/http/c.ts']]);
  });

  it('nothing in an import of a lower layer', () => {
    expect(
      findClimbs('src/http/a.ts', `import { a } from '../domain/errors.ts';\nimport { z } from 'zod';\nexport const b = 'src/realtime';`),
    ).toEqual([]);
    expect(ENTRIES.flatMap((entry) => (entry.endsWith('.ts') ? findClimbs(entry, '') : []))).toEqual([]);
  });
});

describe('The handlers of src/apis', () => {
  /** The functions within others of a file, by their first line, with the number of statements in each. */
  function listHandlers(text: string): { line: string; statements: number }[] {
    const lines = text.split('\n');
    return lines.flatMap((line, start) => {
      const [, indent] = /^( +)\S.*=> \{$/.exec(line) ?? [];
      if (indent === undefined) return [];
      const length = lines.slice(start).findIndex((next) => next.startsWith(`${indent}}`));
      const body = lines.slice(start + 1, start + length);
      return [{ line: line.trim(), statements: body.filter((one) => /;$|^ +(?:if|for|while|try|switch)\b.*\{$/.test(one)).length }];
    });
  }

  it('have at most 12 statements, since the function around them is a list of endpoints', () => {
    const routes = [...sources].filter(([path]) => /^src\/apis\/.*(?<!\.wire|\/errors|\/index)\.ts$/.test(path));
    const found = routes.flatMap(([path, text]) => listHandlers(text).map((handler) => ({ path, ...handler })));
    expect(found.length).toBeGreaterThan(50);
    expect(found.filter(({ statements }) => statements > 12)).toEqual([]);
  });
});
