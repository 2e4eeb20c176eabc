import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { StartError } from '../config/start-errors.ts';
import { type Effect, effectsOf, WORK, type Work } from './migration-effects.ts';
import { MIGRATIONS_FOLDER } from './migrations.ts';
import { counted, duration, size } from './quantities.ts';
import { releaseOf } from './releases.ts';
import { type TableSize, tableSizes } from './sizes.ts';

/** Milliseconds after which a transaction that holds a table is told to the operator. */
const LONG_TRANSACTION_MS = 1_000;
/** Seconds of one step from which on it is worth a line. */
const WORTH_A_LINE = 1;

/** Work of one pending migration on one table that exists. */
export interface PlannedWork extends Effect {
  migration: string;
  rows: number;
  /** Of the table with its indexes. */
  bytes: number;
  seconds: number;
  /** Of the disk, for a while, without the write-ahead log. */
  roomBytes: number;
}

/** The work of the pending migrations on a database that is filled, estimated from its counts of rows. */
export interface MigrationPlan {
  /** The release that the database is of, in words. */
  from: string;
  pending: readonly string[];
  work: readonly PlannedWork[];
  /** Processes of PostgreSQL whose transactions hold one of the tables for a while already: the migration will wait for them. */
  holders: readonly number[];
}

/** @param pending names of migrations, of which there is one at least */
export async function planMigrations(client: pg.Client, pending: readonly string[]): Promise<MigrationPlan> {
  const effects = await Promise.all(
    pending.map(async (migration) => {
      const script = await readFile(join(MIGRATIONS_FOLDER, migration, 'migration.sql'), 'utf8');
      return effectsOf(script).map((effect) => ({ migration, ...effect }));
    }),
  );
  const worked = new Set(effects.flat().map(({ table }) => table));
  const tables = new Map([...(await tableSizes(client))].filter(([name]) => worked.has(name)));
  const work = effects.flat().flatMap((effect) => {
    const sizes = tables.get(effect.table);
    return sizes === undefined ? [] : [{ ...effect, ...sizes, ...costOf(effect.work, sizes) }];
  });
  return { from: releaseOf(pending), pending, work, holders: await holdersOf(client, [...tables.keys()]) };
}

function costOf(work: Work, { rows, bytes }: TableSize): { seconds: number; roomBytes: number } {
  const { microseconds, indexBytes, rewrites } = WORK[work];
  return { seconds: (rows * microseconds) / 1e6, roomBytes: rows * indexBytes + (rewrites ? bytes : 0) };
}

/** Transactions that hold a table now and a while later. Of other roles' transactions a role sees the locks, and not the age. */
async function holdersOf(client: pg.Client, tables: readonly string[]): Promise<number[]> {
  const held = async () => (await client.query<{ pid: number; transaction: string }>(HELD, [tables])).rows;
  const first = await held();
  if (first.length === 0) return [];
  await sleep(LONG_TRANSACTION_MS);
  const later = new Set((await held()).map(({ transaction }) => transaction));
  return first.filter(({ transaction }) => later.has(transaction)).map(({ pid }) => pid);
}

/** Whether one of its steps takes so long, or waits, that somebody should know of it beforehand. */
export const isLong = ({ work, holders }: MigrationPlan): boolean =>
  holders.length > 0 || work.some(({ seconds }) => seconds >= WORTH_A_LINE);

/** @throws StartError where a migration may need more room than there is. @param free bytes; null where the disk is another machine's */
export function requireRoom(plan: MigrationPlan, free: number | null): void {
  const needed = roomOf(plan);
  if (free === null || needed <= free) return;
  throw new StartError(
    `The migrations may need ${size(needed)} of the disk for a while, and ${size(free)} are free. Make room, or run "npm run db:migrate -- --despite-disk".`,
  );
}

/** A statement's old rows stay until the vacuum after it, so the room of all steps counts; the write-ahead log repeats what they write. */
const roomOf = ({ work }: MigrationPlan) => 2 * work.reduce((sum, { roomBytes }) => sum + roomBytes, 0);

/** The plan in lines for the operator. @param free bytes of the disk; null where it is another machine's */
export function planLines(plan: MigrationPlan, free: number | null): string[] {
  const seconds = plan.work.reduce((sum, step) => sum + step.seconds, 0);
  const room = free === null ? 'see that the disk of the database has it' : `${size(free)} are free`;
  return [
    `The database is ${plan.from}, and lacks ${counted(plan.pending.length, 'migration')}: ${plan.pending.join(', ')}.`,
    ...plan.work.filter((step) => step.seconds >= WORTH_A_LINE).map(stepLine),
    `About ${duration(Math.ceil(seconds))} at most, and ${size(roomOf(plan))} of the disk for a while; ${room}.`,
    ...plan.holders.map((pid) => `The transaction of process ${pid} holds a table that a migration needs: it waits until that ends.`),
  ];
}

const WORDS: Readonly<Record<Work, string>> = {
  reads: 'checks all rows of',
  indexes: 'builds an index of',
  changes: 'changes rows of',
  rewrites: 'writes anew',
};

function stepLine({ migration, table, work, rows, bytes, beside, seconds }: PlannedWork): string {
  const waiting = beside || work === 'changes' ? '' : ', during which nobody may change it';
  return `${migration} ${WORDS[work]} ${table} (${counted(rows, 'row')}, ${size(bytes)}): up to ${duration(Math.ceil(seconds))}${waiting}.`;
}

/** Value: names of tables. */
const HELD = `
  SELECT DISTINCT pid, virtualtransaction AS transaction
    FROM pg_locks
   WHERE locktype = 'relation' AND granted AND pid <> pg_backend_pid()
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND relation IN (SELECT to_regclass(quote_ident(name)) FROM unnest($1::text[]) AS name)`;
