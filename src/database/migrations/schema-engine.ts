import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import type { SchemaEngine } from '@prisma/schema-engine-wasm';
import type pg from 'pg';
import { connectionOptions } from '../database.ts';
import { concurrentIndex, runConcurrently, runScript } from './migration-scripts.ts';

export const PRISMA_FOLDER = join(import.meta.dirname, '../../..', 'prisma');
const SCHEMA_FOLDER = join(PRISMA_FOLDER, 'schema');

/** The part of WebAssembly that is used here; Node's own types leave it to the browser's. */
declare const WebAssembly: {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

/** Receives a sentence for the operator. */
export type Notice = (sentence: string) => void;

/** Nothing of the schema is left to others. */
export const NO_FILTER = { externalTables: [], externalEnums: [] };
/** Milliseconds that a statement of a migration may take, at the largest tables. */
export const STATEMENT_TIMEOUT_MS = 6 * 3_600_000;

/** Loads the engine once per process: its JavaScript part holds one instance and fails with a second. */
async function loadSchemaEngine() {
  const require = createRequire(import.meta.url);
  const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const wasm = await readFile(require.resolve('@prisma/schema-engine-wasm/schema_engine_bg').replace(/\.js$/, '.wasm'));
  const { instance } = await WebAssembly.instantiate(wasm, { './schema_engine_bg.js': glue });
  glue.__wbg_set_wasm(instance.exports);
  if (typeof instance.exports.__wbindgen_start === 'function') instance.exports.__wbindgen_start();
  return glue.SchemaEngine;
}
let loading: ReturnType<typeof loadSchemaEngine> | undefined;

/**
 * Runs a callback with Prisma's own schema engine, in its WebAssembly build: the same engine as that of `prisma migrate`,
 * without a native download.
 * @param url of a database; the engine wants a live one even for tasks that touch none
 * @param notice receives what the scripts tell the operator
 */
export async function withSchemaEngine<T>(url: string, work: (engine: SchemaEngine) => Promise<T>, notice: Notice = () => {}): Promise<T> {
  loading ??= loadSchemaEngine();
  const schemaEngine = await loading;
  const adapters = new WholeScripts({ ...connectionOptions(url, STATEMENT_TIMEOUT_MS), allowExitOnIdle: true }, notice);
  const engine = await schemaEngine.new(
    // Neither task reads the schema, which would take longer to parse than either.
    { datamodels: [['schema.prisma', 'datasource db {\n  provider = "postgresql"\n}']] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(adapters),
  );
  try {
    return await work(engine);
  } catch (error) {
    throw adapters.failure ?? error;
  } finally {
    engine.free();
    await adapters.dispose();
  }
}

/**
 * The adapter splits a script at every semicolon, also inside functions, and commits each piece. Sent whole, a script
 * is one implicit transaction, as it is under Prisma's native engine: applied as a whole or not at all.
 */
class WholeScripts extends PrismaPg {
  readonly #notice: Notice;
  #open: { dispose(): Promise<void> }[] = [];
  /** The error of the script that failed, which the engine wraps in its own. */
  failure: unknown;

  constructor(pool: pg.PoolConfig, notice: Notice) {
    super(pool);
    this.#notice = notice;
  }

  /** The engine leaves its connections open. */
  async dispose(): Promise<void> {
    await Promise.all(this.#open.splice(0).map((adapter) => adapter.dispose()));
  }

  override async connect() {
    const adapter = await super.connect();
    // A connection that is lost makes its statement fail; without a listener it would end the process too.
    adapter.underlyingDriver().on('connect', (client) => client.on('error', () => {}));
    this.#open.push(adapter);
    adapter.executeScript = async (script) => {
      try {
        const connect = () => adapter.underlyingDriver().connect();
        const index = concurrentIndex(script);
        // Outside of a transaction the mark cannot be set with it; it may be run again.
        if (index === null) await runScript(connect, `${script}\n;${MARK_FINISHED}`, { notice: this.#notice });
        else await runConcurrently(connect, script, index);
      } catch (error) {
        this.failure = error;
        throw error;
      }
    };
    return adapter;
  }
}

/** The files of prisma/schema as one text, in the order of their names. */
export async function currentSchema(): Promise<string> {
  const names = (await readdir(SCHEMA_FOLDER)).filter((name) => name.endsWith('.prisma')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(SCHEMA_FOLDER, name), 'utf8')));
  return texts.join('\n');
}

/**
 * Appended to each script, so that the mark of a finished migration is committed with it: PostgreSQL completes a script even when
 * its client was killed, and would otherwise leave no trace of that. Only one migration runs at a time.
 */
const MARK_FINISHED = `
DO $$ BEGIN
  IF to_regclass('_prisma_migrations') IS NOT NULL THEN
    UPDATE _prisma_migrations SET finished_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL;
  END IF;
END $$`;

/**
 * The SQL that leads from one schema text to another, by Prisma's differ.
 * @param url of any PostgreSQL, which is not touched
 * @param from the schema of the last migration; null where there is none
 */
export async function schemaDifference(url: string, from: string | null, to: string): Promise<string> {
  const target = (content: string) => ({
    tag: 'schemaDatamodel' as const,
    files: [{ path: 'schema.prisma', content }],
    configDir: PRISMA_FOLDER,
  });
  const { stdout } = await withSchemaEngine(url, (engine) =>
    engine.diff({
      from: from === null ? { tag: 'empty' } : target(from),
      to: target(to),
      script: true,
      exitCode: null,
      filters: NO_FILTER,
    }),
  );
  return stdout ?? '';
}
