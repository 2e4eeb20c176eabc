import type { Command } from 'commander';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import { placeOf } from '../config/database-address.ts';
import { VERSION } from '../config/version.ts';
import { migrationNames, pendingMigrations } from '../database/migrations.ts';
import { size } from '../database/quantities.ts';
import type { CommandDeclarer } from './command.ts';
import { type CommandResult, record, table } from './output.ts';
import type { Session } from './session.ts';

/** The number of tables shown, the largest first. */
const LARGEST_TABLES = 10;

export function databaseCommands(program: Command, { commandOnUnmigrated }: CommandDeclarer): void {
  const database = program.command('database').description('The database that the server works on.');

  commandOnUnmigrated(database, 'status', {
    summary: 'Show where the database is, what it lacks and how large it is',
    details: 'Rows are estimates of PostgreSQL.',
    options: z.object({}),
    keys: 'none',
    run: status,
  });
}

async function status({ config, databaseServer, database: { pool } }: Session): Promise<CommandResult> {
  const pending = await pendingMigrations(pool);
  const all = await migrationNames();
  const {
    rows: [facts],
  } = await pool.query<{ version: string; bytes: string }>(
    `SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes`,
  );
  const { rows: tables } = await pool.query<{ table: string; rows: string; bytes: string }>(
    `SELECT whole.relname AS table, sum(greatest(c.reltuples, s.n_live_tup, 0))::bigint AS rows, sum(pg_total_relation_size(c.oid))::bigint AS bytes
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_stat_user_tables s ON s.relid = c.oid
       LEFT JOIN pg_inherits i ON i.inhrelid = c.oid JOIN pg_class whole ON whole.oid = coalesce(i.inhparent, c.oid)
      WHERE c.relkind = 'r' AND n.nspname = current_schema()
      GROUP BY whole.relname ORDER BY bytes DESC, whole.relname LIMIT $1`,
    [LARGEST_TABLES],
  );
  const row = {
    triptych: VERSION,
    postgresql: facts?.version ?? '',
    place: databaseServer.embedded ? `embedded, in ${config.DATA_DIR}` : databaseAddress(config),
    migrations_applied: all.length - pending.length,
    migrations_pending: pending,
    bytes: Number(facts?.bytes ?? 0),
  };
  const largest = tables.map((one) => ({ table: one.table, rows: Number(one.rows), bytes: Number(one.bytes) }));
  const shown = record({ ...row, bytes: size(row.bytes) });
  const text = largest.length === 0 ? shown.text : `${shown.text}\n\n${table(largest.map((one) => ({ ...one, bytes: size(one.bytes) })))}`;
  return { json: { ...row, tables: largest }, text };
}

/** Servers and database of DATABASE_URL, without user and password. */
function databaseAddress({ DATABASE_URL = '' }: Config): string {
  const { servers, database } = placeOf(DATABASE_URL);
  return `${servers}${database}`;
}
