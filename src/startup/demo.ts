import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { usableFolder } from '../database/data-folder.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { writePrivately } from '../database/embedded/private-file.ts';
import type { Keyring } from '../database/encryption/keyring.ts';
import { preparedIn } from '../database/statements/statement.ts';
import { hashSecret, newSecret } from '../domain/identity/secrets.ts';
import type { Files } from '../gateways/files/files.ts';
import { ANY_PRACTICE, DEMO_RECORD_NUMBER } from './demo.sql.ts';

const demoFile = z.object({
  baseUrl: z.string(),
  practices: z.array(
    z.object({
      practiceid: z.int(),
      name: z.string(),
      users: z.array(z.object({ role: z.string(), email: z.string(), password: z.string() })),
      clients: z.array(z.object({ api: z.string(), client_id: z.string(), client_secret: z.string(), scope: z.string() })),
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

/** Database and files that the demo practices are written to. */
interface DemoTarget {
  url: string;
  dataDir: string;
  /** The keyring and the file storage of the server. */
  keyring: Keyring;
  files: Files;
  report: (what: string) => void;
}

/** Of several processes that start on one empty database, one fills it while the others wait. */
const ADVISORY_LOCK = 7_410_258;

const pathOf = (dataDir: string) => join(dataDir, 'demo.json');

/**
 * Fills an empty database with two demo practices and writes their credentials to demo.json. The file is on the disk before the
 * rows are committed: a start killed in between leaves a file without a matching database, and the next start overwrites it.
 */
export async function prepareDemo({ url, ...target }: DemoTarget): Promise<void> {
  // A pool of its own, with a longer statement timeout than that of requests.
  const database = openDatabase({ url, poolSize: 2, statementTimeout: 60_000 });
  try {
    if (!(await isEmpty(database))) return;
    // Its passwords are to be written there: told now, and not after a minute of filling.
    await usableFolder(target.dataDir);
    const locked = await database.pool.connect();
    try {
      await locked.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
      if (await isEmpty(database)) await fill(database, target);
    } finally {
      // Closing the connection releases the lock.
      locked.release(true);
    }
  } finally {
    await database.close();
  }
}

async function isEmpty({ prisma }: Database): Promise<boolean> {
  return (await preparedIn(prisma).rows(ANY_PRACTICE, [])).length === 0;
}

async function fill(database: Database, { dataDir, keyring, files, report }: Omit<DemoTarget, 'url'>): Promise<void> {
  report('filling two demo practices with patients and appointments');
  // Loaded only for a first start: the generator behind it is large.
  const { seedDemo } = await import('../../prisma/seed/demo.ts');
  const { keepDemoMedia } = await import('../../prisma/seed/session-media.ts');
  const practices = await seedDemo(database.prisma, {
    now: new Date(),
    keyring,
    hash: hashSecret,
    randomSecret: newSecret,
    beforeCommit: (made) => writeDemo(dataDir, { baseUrl: '', practices: made }),
  });
  const store = { db: database.prisma, files };
  for (const { practiceid } of practices) await keepDemoMedia(database, store, practiceid);
}

/** Ids of the demo practices in this database; none where demo.json is missing, or belongs to another database. */
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
  return { file: pathOf(dataDir), practiceIds: demo.practices.map(({ practiceid }) => practiceid), recordNumber };
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
    return demoFile.parse(JSON.parse(await readFile(pathOf(dataDir), 'utf8')));
  } catch {
    return null;
  }
}

async function writeDemo(dataDir: string, demo: DemoFile): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await writePrivately(pathOf(dataDir), `${JSON.stringify(demo, null, 2)}\n`);
}
