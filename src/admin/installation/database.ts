import type { Command } from 'commander';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { readDatabasePlace } from '../../config/database-address.ts';
import { VERSION } from '../../config/version.ts';
import { size } from '../../database/measures/quantities.ts';
import { databaseSize, tableSizes } from '../../database/measures/sizes.ts';
import { migrationNames, pendingMigrations } from '../../database/migrations/migrations.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { type CommandResult, record, table } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';

/** The number of tables shown, the largest first. */
const LARGEST_TABLES = 10;

export function databaseCommands(program: Command, { commandOnUnmigrated }: CommandDeclarer): void {
  const database = program.command('database').description('The database of the server.');

  commandOnUnmigrated(database, 'status', {
    summary: 'Show the location, pending migrations and size of the database',
    details: 'Row counts are estimates by PostgreSQL.',
    options: z.object({}),
    keys: 'none',
    run: status,
  });
}

async function status({ config, databaseServer, database: { pool } }: Session): Promise<CommandResult> {
  const pending = await pendingMigrations(pool);
  const all = await migrationNames();
  const { rows: versions } = await pool.query<{ version: string }>("SELECT current_setting('server_version') AS version");
  const { bytes } = await databaseSize(pool);
  const tables = [...(await tableSizes(pool))].map(([name, sizes]) => ({ table: name, ...sizes }));
  const largest = tables.toSorted((one, other) => other.bytes - one.bytes || (one.table < other.table ? -1 : 1)).slice(0, LARGEST_TABLES);
  const row = {
    triptych: VERSION,
    postgresql: versions[0]?.version ?? '',
    place: databaseServer.embedded ? `embedded, in ${config.DATA_DIR}` : databaseAddress(config),
    migrations_applied: all.length - pending.length,
    migrations_pending: pending,
    bytes,
  };
  const shown = record({ ...row, bytes: size(row.bytes) });
  const text = largest.length === 0 ? shown.text : `${shown.text}\n\n${table(largest.map((one) => ({ ...one, bytes: size(one.bytes) })))}`;
  return { json: { ...row, tables: largest }, text };
}

/** Servers and database of DATABASE_URL, without user and password. */
function databaseAddress({ DATABASE_URL = '' }: Config): string {
  const { servers, database } = readDatabasePlace(DATABASE_URL);
  return `${servers}${database}`;
}
