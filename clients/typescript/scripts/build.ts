import { spawnSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installGenerators, MODULES } from '../../../test/clients/install.ts';

/**
 * Makes `dist`: operations and their types out of openapi/*.json by hey-api, on the client of this package instead of hey-api's, and
 * all of it compiled. Runs before `npm pack`; nothing that it writes is committed.
 */

const FOLDER = join(import.meta.dirname, '..');
const ROOT = join(FOLDER, '..', '..');

await installGenerators();
const { createClient } = await import(pathToFileURL(join(MODULES, '@hey-api/openapi-ts/dist/index.mjs')).href);
await rm(join(FOLDER, 'dist'), { recursive: true, force: true });
for (const api of ['integration', 'practice', 'mobile', 'platform']) await generate(api);
const tsc = spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', FOLDER], { stdio: 'inherit' });
process.exitCode = tsc.status ?? 1;

async function generate(api: string): Promise<void> {
  const folder = join(FOLDER, 'src', 'generated', api);
  await createClient({
    input: join(ROOT, 'openapi', `${api}.json`),
    output: { path: folder, clean: true },
    logs: { level: 'silent' },
    plugins: ['@hey-api/typescript', '@hey-api/client-fetch', { name: '@hey-api/sdk', client: false, auth: false }],
  });
  for (const unused of ['client', 'core', 'client.gen.ts']) await rm(join(folder, unused), { recursive: true, force: true });
  const file = join(folder, 'sdk.gen.ts');
  await writeFile(file, onOwnClient(await readFile(file, 'utf8')));
}

/** Operations of the client of this package, which always throws: hey-api's leave the choice to each call. */
function onOwnClient(operations: string): string {
  return operations
    .replace("'./client/index.js'", "'../../generated-client.js'")
    .replaceAll(/<ThrowOnError extends boolean = \w+>|, ThrowOnError( extends boolean = \w+)?(?=[,>])/g, '');
}
