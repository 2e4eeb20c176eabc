import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** What the server is built on, by the wish of the person whom it is built for. */
const PACKAGES = [
  ...['fastify', '@fastify/swagger', '@fastify/jwt', '@fastify/formbody', 'zod', 'prisma', '@prisma/client', 'pino'],
  ...['vitest', 'supertest'],
];
const TOP_LEVEL = ['package.json', 'tsconfig.json', 'prisma', 'src', 'test', 'openapi', 'docker-compose.yml', 'README.md'];

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { dependencies, devDependencies } = JSON.parse(read('package.json'));
// With the generated client of Prisma.
const files = ['prisma.config.ts', ...globSync('{src,test}/**/*.ts', { cwd: ROOT })];
const imported = new Set(
  files.flatMap((file) =>
    [...read(file).matchAll(/(?:from|import)\s*\(?['"]((?:@[^/'"]+\/)?[^/'"]+)/g)]
      .map(([, name]) => name)
      .filter((name) => name !== undefined),
  ),
);

it.each(PACKAGES)('%s is a dependency, and imported', (name) => {
  expect({ ...dependencies, ...devDependencies }).toHaveProperty([name]);
  expect(imported).toContain(name);
});

it.each(TOP_LEVEL)('%s is in the top level', (path) => {
  expect(existsSync(join(ROOT, path))).toBe(true);
});
