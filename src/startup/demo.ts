import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { StartError } from '../config/start-errors.ts';
import type { DatabaseUrls } from '../database/connections/runtime-role.ts';
import type { Database } from '../database/database.ts';
import { writePrivately } from '../database/embedded/private-file.ts';
import { ownerVariable, withConnection } from '../database/migrations/migrate-on-start.ts';
import { createPrepared, type Prepared, preparedIn, statement } from '../database/statements/statement.ts';

/** Some practice; no row in an empty database. */
const ANY_PRACTICE = statement<{ id: number }>('any_practice', 'SELECT id FROM organization LIMIT 1', {
  overAllPractices: 'a database that has any practice is not filled with a demo',
});

/** Some practice for trying things out. */
const ANY_TEST_PRACTICE = statement<{ id: number }>('any_test_practice', 'SELECT organization_id AS id FROM test_practice LIMIT 1', {
  overAllPractices: 'an installation gets practices for trying things out once',
});

/** The first record number of a practice; no row where the client is not one of this practice. Values: organization, client. */
const DEMO_RECORD_NUMBER = statement<{ recordNumber: string | null }>(
  'demo_record_number',
  `SELECT (SELECT p.medical_record_no FROM patient p
            WHERE p.organization_id = $1 AND p.status = 'active' AND p.medical_record_no IS NOT NULL
            ORDER BY p.id LIMIT 1) AS "recordNumber"
     FROM api_client c
     JOIN api_client_grant g ON g.client_id = c.id AND g.organization_id = $1
    WHERE c.id = $2 AND c.active`,
);

const demoFile = z.object({
  baseUrl: z.string(),
  practices: z.array(
    z.object({
      practiceid: z.int(),
      name: z.string(),
      users: z.array(z.object({ role: z.string(), email: z.string(), password: z.string() })),
      clients: z.array(z.object({ api: z.string(), client_id: z.string(), client_secret: z.string(), scope: z.string() })),
      app: z.object({ client_id: z.string(), redirect_uri: z.string() }).exactOptional(),
    }),
  ),
});

type DemoFile = z.infer<typeof demoFile>;

/** Facts about the demo practices that a start displays. */
export interface Demo {
  file: string;
  practiceIds: number[];
  /** A patient who can be looked up by this record number. */
  recordNumber: string | null;
}

/** Fills the demo, in a process of its own: what it takes for that is given back with its end. */
const FILLER = fileURLToPath(new URL('../demo.ts', import.meta.url));

const toDemoPath = (dataDir: string) => join(dataDir, 'demo.json');

/** The process that adds the demo practices, and writes their credentials to demo.json (demo.ts). */
export interface DemoFiller {
  /** Has the process connect to the database, which runs and has its keys, and prepare what needs no table. */
  connect(): void;
  /** Whether the migrated database lacks the demo. @throws StartError where it cannot be reached */
  isNeeded(urls: DatabaseUrls): Promise<boolean>;
  /**
   * Has it fill the database. Resolves when the practices are there; statistics and the pictures of visits follow.
   * @throws StartError where the process fails; its own words are on the screen by then
   */
  fill(report: (what: string) => void): Promise<void>;
  /** Resolves when the process has ended: when all is there, or at once where it was not told to fill. */
  end(): Promise<unknown>;
}

/**
 * Starts the process that fills the demo before there is a database: it loads its modules while that is created. Beside a demo.json,
 * it is started only once the database turns out to lack the demo.
 * @returns null where no demo is wanted
 */
export function startFiller(config: FillerConfig): DemoFiller | null {
  // A demo's passwords are no secret: production gets one only on request.
  const { SEED_DEMO = !config.DATABASE_URL && config.NODE_ENV !== 'production', SANDBOX, DATA_DIR } = config;
  if (!SEED_DEMO && SANDBOX !== 'on') return null;
  let filler = existsSync(toDemoPath(DATA_DIR)) ? null : spawnFiller();
  const connect = () => void filler?.stdin.write('connect\n');
  return {
    connect,
    isNeeded: (urls) => withConnection(urls.ownerUrl, ownerVariable(urls), (client) => lacksDemo(createPrepared(client), config)),
    async fill(report) {
      report('creating two demo practices with patients and appointments');
      if (!filler) {
        filler = spawnFiller();
        connect();
      }
      filler.stdin.end('fill\n');
      const [code] = await Promise.race([once(filler.stdout, 'data').then(() => [0]), filler.ended]);
      if (code !== 0) throw new StartError('The demo practices could not be created. Start again, or set SEED_DEMO=false.');
    },
    async end() {
      filler?.stdin.end();
      await filler?.ended;
    },
  };
}

function spawnFiller() {
  // Prisma's compiler would be optimized until all is done.
  const filler = spawn(process.execPath, ['--liftoff-only', FILLER], { stdio: ['pipe', 'pipe', 'inherit'] });
  filler.stdin.on('error', () => {});
  return Object.assign(filler, { ended: once(filler, 'exit') });
}

type FillerConfig = DemoConfig & Pick<Config, 'DATA_DIR' | 'DATABASE_URL' | 'NODE_ENV' | 'SEED_DEMO'>;

type DemoConfig = Pick<Config, 'SANDBOX'>;

/** Whether a database has no practice; where a sandbox is asked for, no practice for trying things out. */
export async function lacksDemo({ rows }: Prepared, { SANDBOX }: DemoConfig): Promise<boolean> {
  return (await rows(SANDBOX === 'on' ? ANY_TEST_PRACTICE : ANY_PRACTICE, [])).length === 0;
}

/** Ids of the practices in demo.json; none where it is missing, or belongs to another database. */
export async function demoPracticeIds(database: Database, dataDir: string): Promise<number[]> {
  const { demo } = await demoOfDatabase(database, dataDir);
  return demo?.practices.map(({ practiceid }) => practiceid) ?? [];
}

/**
 * Writes the address of this start into demo.json.
 * @returns null where the file is missing, or belongs to another database
 */
export async function announceDemo(database: Database, dataDir: string, baseUrl: string): Promise<Demo | null> {
  const { demo, recordNumber } = await demoOfDatabase(database, dataDir);
  if (!demo) return null;
  if (demo.baseUrl !== baseUrl) await writeDemo(dataDir, { ...demo, baseUrl });
  return { file: toDemoPath(dataDir), practiceIds: demo.practices.map(({ practiceid }) => practiceid), recordNumber };
}

/** The content of demo.json, if its first client is one of this database; and the record number of a patient. */
async function demoOfDatabase({ prisma }: Database, dataDir: string): Promise<{ demo: DemoFile | null; recordNumber: string | null }> {
  const demo = await readDemo(dataDir);
  const [practice] = demo?.practices ?? [];
  const [client] = practice?.clients ?? [];
  // Not by Prisma: a start would wait until that is loaded.
  const [found] = practice && client ? await preparedIn(prisma).rows(DEMO_RECORD_NUMBER, [practice.practiceid, client.client_id]) : [];
  return { demo: found ? demo : null, recordNumber: found?.recordNumber ?? null };
}

async function readDemo(dataDir: string): Promise<DemoFile | null> {
  try {
    return demoFile.parse(JSON.parse(await readFile(toDemoPath(dataDir), 'utf8')));
  } catch {
    return null;
  }
}

/** Writes the credentials of the demo practices for their user alone. */
export async function writeDemo(dataDir: string, demo: DemoFile): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await writePrivately(toDemoPath(dataDir), `${JSON.stringify(demo, null, 2)}\n`);
}
