/**
 * Generates the Prisma client, which the server needs before its first line runs, from prisma/schema, when it is missing or
 * older than the schema. Plain JavaScript, because it also runs on a Node that is too old, to say so.
 *
 * The client is generated from a copy of the schema in which a BigInt is an Int, so that ids of 64 bits are numbers in
 * TypeScript and stay JSON integers. Prisma reads and writes them exactly to 2^53 - 1 and throws at a larger one. Columns that
 * the schema calls "bigint in TypeScript" are left as they are. What else the schema says of tables becomes src/generated/tables.ts.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const generated = join(root, 'src', 'generated');
const client = join(generated, 'prisma');
const mark = join(client, 'schema.sha256');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`Node ${process.versions.node} cannot run TypeScript. "npm ci" brings Node 24 on Linux; elsewhere install Node 24.`);
  process.exit(1);
}

const require = createRequire(import.meta.url);
const version = require('prisma/package.json').version;
const schema = join(root, 'prisma', 'schema');
const copy = join(generated, 'schema');
const files = readdirSync(schema)
  .sort()
  .map((name) => ({ name, text: readFileSync(join(schema, name), 'utf8') }));
const hash = createHash('sha256')
  .update(version)
  .update(readFileSync(fileURLToPath(import.meta.url)))
  .update(readFileSync(join(root, 'scripts', 'tables.ts')));
for (const { text } of files) hash.update(text);
const wanted = hash.digest('hex');

/** A schema file as the client is generated from it. */
function forClient(text) {
  const lines = text
    .split('\n')
    .map((line) => (line.includes('bigint in TypeScript') ? line : line.replace(/^( {2}\w+ +)BigInt\b/, '$1Int')));
  return lines.join('\n').replace(/^( {2}output +=) .*$/m, '$1 "../prisma"');
}

/** Writes Prisma's compiler of queries, which it has as text in base64, into a file: the text would stay in memory twice, as 9 MB. */
function keepCompilerInFile() {
  const file = join(client, 'internal', 'class.ts');
  const code = readFileSync(file, 'utf8');
  const loading = /const \{ wasm \} = await import\("(.+)\.mjs"\)\s+return await decodeBase64AsWasm\(wasm\)/;
  const [, runtime] = loading.exec(code) ?? [];
  if (runtime === undefined) throw new Error('Prisma loads its compiler in another way than scripts/prepare.mjs expects');
  writeFileSync(join(client, 'internal', 'compiler.wasm'), Buffer.from(require(`${runtime}.js`).wasm, 'base64'));
  const fromFile =
    "const { readFile } = await import('node:fs/promises')\n    return new WebAssembly.Module(await readFile(new URL('compiler.wasm', import.meta.url)))";
  writeFileSync(file, code.replace(loading, fromFile));
}

if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
  console.error('  Triptych is making its database client');
  rmSync(mark, { force: true });
  const { withoutTableLines, writeTables } = await import('./tables.ts');
  mkdirSync(generated, { recursive: true });
  try {
    writeFileSync(join(generated, 'tables.ts'), writeTables(files));
  } catch ({ message }) {
    console.error(message);
    process.exit(1);
  }
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const { name, text } of files) writeFileSync(join(copy, name), forClient(withoutTableLines(text)));
  // Prisma would download a native engine that generating does not use; any program that exists satisfies it.
  const made = spawnSync(process.execPath, [require.resolve('prisma/build/index.js'), 'generate', '--schema', copy], {
    cwd: root,
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1' },
    encoding: 'utf8',
  });
  if (made.status !== 0) {
    console.error(`The Prisma client could not be generated.\n${made.stdout}${made.stderr}`);
    process.exit(1);
  }
  rmSync(copy, { recursive: true });
  keepCompilerInFile();
  writeFileSync(mark, wanted);
}
