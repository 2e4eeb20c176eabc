import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

/**
 * Adds two demo practices where they are wanted and missing, and writes their credentials to demo.json (demo.ts).
 * @throws StartError where the process that fills it fails; its own words are on the screen by then
 */
export async function prepareDemo(urls: DatabaseUrls, config: DemoConfig, report: (what: string) => void): Promise<void> {
  if (!(await withConnection(urls.ownerUrl, ownerVariable(urls), (client) => lacksDemo(createPrepared(client), config)))) return;
  report('creating two demo practices with patients and appointments');
  const filler = spawn(process.execPath, [FILLER], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(filler, 'exit');
  if (code !== 0) throw new StartError('The demo practices could not be created. Start again, or set SEED_DEMO=false.');
  // PostgreSQL would gather statistics a minute later; plans without them take seconds for a list of patients.
  await withConnection(urls.ownerUrl, ownerVariable(urls), (client) => client.query('ANALYZE'));
}

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
