/**
 * Writes openapi/*.json, the documents that the server serves under /docs/openapi/, docs/events.md, docs/import-fields.md, docs/practice.schema.json,
 * the schema of the files of `npm run admin -- apply`, the codes of failures that each operation can reach, and those that the package has as a type. `npm run openapi`.
 * With --check it writes nothing, fails if a committed document is stale, and lints them. Needs no database and no
 * network. --into names another folder.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config/config.ts';
import { openDatabase } from '../src/database/database.ts';
import { createKeyring } from '../src/database/encryption/keyring.ts';
import type { Dialect } from '../src/http/endpoints/dialect.ts';
import { readErrorTable } from '../src/http/errors/error-table.ts';
import { documentPath } from '../src/http/openapi/reference-page.ts';
import { createLogger } from '../src/http/telemetry/logger.ts';
import { practiceSchema } from '../src/practice-file/document.ts';
import { KINDS } from '../src/practice-file/kinds/index.ts';
import { createServices } from '../src/services.ts';
import { eventCatalogue } from './event-catalogue.ts';
import { importFields } from './import-fields.ts';
import { complaintOfStale, written } from './stale-documents.ts';
import { codesOfOperations, readSource } from './thrown-codes.ts';

const ROOT = join(import.meta.dirname, '..');
const NAMES: readonly (Dialect['name'] | 'webhooks')[] = ['integration', 'practice', 'mobile', 'platform', 'webhooks'];

const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, into: { type: 'string', default: join(ROOT, 'openapi') } },
});
/** Ends the linter at its first attempt to connect anywhere: checking the documents needs no network. */
const REFUSE_CONNECTIONS = `import net from 'node:net'; net.Socket.prototype.connect = () => { process.stderr.write('The linter tried to connect.\\n'); process.exit(1); };`;

const files = NAMES.map((name) => join(values.into, `${name}.json`));
/** Written without asking the server. */
const others = [
  { file: join(ROOT, 'docs', 'events.md'), content: eventCatalogue() },
  { file: join(ROOT, 'docs', 'import-fields.md'), content: importFields() },
  { file: join(ROOT, 'docs', 'practice.schema.json'), content: written(practiceSchema(KINDS)) },
  { file: join(ROOT, 'src', 'http', 'openapi', 'operation-codes.json'), content: written(operationCodes()) },
  { file: join(ROOT, 'clients', 'typescript', 'src', 'error-codes.ts'), content: errorCodes() },
];
// The documents are made of the last of these.
if (!values.check) await Promise.all(others.map(({ file, content }) => writeFile(file, content)));
const documents = await generate();
if (values.check) await check();
else await write();

/** The codes of failures of each operation, by API. */
function operationCodes(): object {
  const source = readSource();
  return Object.fromEntries(NAMES.filter((name) => name !== 'webhooks').map((name) => [name, codesOfOperations(source, name)]));
}

/** The type of all codes of errors, for the package of integrators. */
function errorCodes(): string {
  const codes = [...readErrorTable().keys()].toSorted().map((code) => `\n  | '${code}'`);
  return `// biome-ignore-all lint/style/noExcessiveLinesPerFile: one line a code.\n\n/** The codes that docs/errors.md explains. Written by \`npm run openapi\`. */\nexport type ErrorCode =${codes.join('')};\n`;
}

/** The documents of an app whose database address leads nowhere. */
async function generate(): Promise<string[]> {
  const config = readConfig({ NODE_ENV: 'test', LOG_LEVEL: 'error', MASTER_KEYS: `none:${randomBytes(32).toString('base64')}` });
  const database = openDatabase({ url: 'postgresql://nobody@127.0.0.1:1/none', poolSize: 1 });
  const services = await createServices({ config, database, keyring: createKeyring(config.MASTER_KEYS), logger: createLogger(config) });
  const app = await buildApp(services, { writesDocuments: true });
  const answers = await Promise.all(NAMES.map((name) => app.inject(documentPath(name))));
  await app.close();
  await services.close();
  await database.close();
  const failed = answers.find(({ statusCode }) => statusCode !== 200);
  if (failed) throw new Error(failed.body);
  return answers.map((answer) => written(answer.json()));
}

async function write(): Promise<void> {
  await mkdir(values.into, { recursive: true });
  await Promise.all(files.map((file, index) => writeFile(file, documents[index] ?? '')));
  console.log(`wrote ${[...files, ...others.map(({ file }) => file)].join(', ')}`);
}

async function check(): Promise<void> {
  const complaint = await complaintOfStale(
    [...files, ...others.map(({ file }) => file)],
    [...documents, ...others.map(({ content }) => content)],
  );
  if (complaint !== null) {
    console.error(complaint);
    process.exit(1);
  }
  process.exit(lint());
}

/** Runs Redocly's linter without its update check and its telemetry. @returns the exit code; 1 where it tried to connect */
function lint(): number {
  const redocly = join(dirname(fileURLToPath(import.meta.resolve('@redocly/cli/package.json'))), 'bin', 'cli.js');
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(REFUSE_CONNECTIONS)}`,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_NOTIFICATIONS: 'true',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  };
  const command = [redocly, 'lint', '--config', join(ROOT, 'redocly.yaml'), ...files];
  return spawnSync(process.execPath, command, { cwd: ROOT, env, stdio: 'inherit' }).status ?? 1;
}
