import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BESIDE } from '../contract/paths-beside.ts';
import { ROOT } from './pages.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const Document = z.looseObject({ paths: z.record(z.string(), z.looseObject({})) });
const { scripts } = z.looseObject({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')));

/** A path with one form for each way to write a parameter. */
const plain = (path: string) => path.replaceAll(/\{[^}]*\}|:\w+|<[^>]*>/g, '{}');
const operations = ['integration', 'practice', 'mobile', 'platform'].flatMap((api) =>
  Object.entries(Document.parse(JSON.parse(read(`openapi/${api}.json`))).paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${plain(path)}`),
  ),
);
/** The last two are there for demo practices. */
const beside = new Set([...BESIDE, '/sandbox/clock', '/sandbox/faults'].map(plain));

/** Pages leave out the prefix of an API: `/v1/1` and `/api`. */
function isKnown(method: string, path: string): boolean {
  const asked = method === 'HEAD' ? 'GET' : method;
  return beside.has(path) || operations.some((one) => one.startsWith(`${asked} `) && one.endsWith(path));
}

const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: ROOT }).sort()];

describe.each(PAGES)('%s', (file) => {
  const inline = [...read(file).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

  it('names requests that there are', () => {
    const requests = inline.flatMap((code) => [...code.matchAll(/^(GET|POST|PUT|PATCH|DELETE|HEAD) (\/[^\s?]*)/g)]);
    expect(requests.filter(([, method = '', path = '']) => !isKnown(method, plain(path))).map(([request]) => request)).toEqual([]);
  });

  it('names commands that there are', () => {
    const unknown = inline.filter((code) => {
      const [, script] = /^npm run (?:--silent )?([\w:-]+)/.exec(code) ?? [];
      const [, path] = /^(?:npx )?node ((?:scripts|bench)\/\S+)/.exec(code) ?? [];
      return (script !== undefined && !(script in scripts)) || (path !== undefined && !existsSync(join(ROOT, path)));
    });
    expect(unknown).toEqual([]);
  });
});
