import { execFile } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FOLDER, installGenerators, MODULES } from './install.ts';

const GENERATED = join(FOLDER, 'generated');
const APIS = ['integration', 'practice', 'mobile', 'platform'];

const execute = promisify(execFile);

export const GENERATORS = ['openapi-typescript', 'hey-api', 'orval'] as const;

const toDocumentPath = (api: string) => join(FOLDER, '..', '..', '..', 'openapi', `${api}.json`);

/** Runs a script with this Node, while the server of the test answers it. @throws with its output, where it ends with an error */
async function run(script: string, ...given: string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '' };
  return (await execute(process.execPath, [script, ...given], { cwd: GENERATED, maxBuffer: 2 ** 26, env })).stdout;
}

/** Generates a client of each document with each generator, beside the readers that use them. */
export async function generateClients(): Promise<void> {
  await installGenerators();
  await rm(GENERATED, { recursive: true, force: true });
  await cp(join(FOLDER, 'readers'), GENERATED, { recursive: true });
  await mkdir(join(GENERATED, 'openapi-typescript'));
  await writeFile(join(GENERATED, 'package.json'), '{ "type": "commonjs" }\n');
  const outputs = APIS.map((api) => [
    api,
    { input: { target: toDocumentPath(api) }, output: { target: `orval/${api}.ts`, client: 'fetch' } },
  ]);
  await writeFile(join(GENERATED, 'orval.config.mjs'), `export default ${JSON.stringify(Object.fromEntries(outputs))};\n`);
  await run(join(MODULES, 'orval/dist/bin/orval.mjs'), '--config', 'orval.config.mjs');
  for (const api of APIS) {
    await run(join(MODULES, 'openapi-typescript/bin/cli.js'), toDocumentPath(api), '-o', `openapi-typescript/${api}.ts`);
    await run(
      join(MODULES, '@hey-api/openapi-ts/bin/run.js'),
      '-i',
      toDocumentPath(api),
      '-o',
      `hey-api/${api}`,
      '-c',
      '@hey-api/client-fetch',
      '--silent',
    );
  }
}

/** Compiles the generated clients and their readers. @throws with the errors of the compiler */
export const compileClients = (): Promise<string> => run(join(MODULES, 'typescript/bin/tsc'), '-p', 'tsconfig.json');

/** The output of the reader of one generator. */
export const runReader = (generator: string, reading: object): Promise<string> =>
  run(join(GENERATED, 'compiled/main.js'), generator, JSON.stringify(reading));
