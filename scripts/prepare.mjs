/**
 * Makes what the server needs before its first line runs: the Prisma client, from prisma/schema, when it is missing
 * or older than the schema. Plain JavaScript, because it also runs on a Node that is too old, to say so.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const client = join(root, 'src', 'generated', 'prisma');
const mark = join(client, 'schema.sha256');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`Node ${process.versions.node} cannot run TypeScript. "npm ci" brings Node 24 on Linux; elsewhere install Node 24.`);
  process.exit(1);
}

const require = createRequire(import.meta.url);
const version = require('prisma/package.json').version;
const schema = join(root, 'prisma', 'schema');
const hash = createHash('sha256').update(version);
for (const name of readdirSync(schema).sort()) hash.update(readFileSync(join(schema, name)));
const wanted = hash.digest('hex');

if (!existsSync(mark) || readFileSync(mark, 'utf8') !== wanted) {
  console.error('  Triptych is making its database client');
  rmSync(mark, { force: true });
  // Prisma would download a native engine that generating does not use; any program that exists satisfies it.
  const made = spawnSync(process.execPath, [require.resolve('prisma/build/index.js'), 'generate'], {
    cwd: root,
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1' },
    encoding: 'utf8',
  });
  if (made.status !== 0) {
    console.error(`The Prisma client could not be generated.\n${made.stdout}${made.stderr}`);
    process.exit(1);
  }
  writeFileSync(mark, wanted);
}
