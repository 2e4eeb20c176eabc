import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from } from 'pg-copy-streams';
import { raiseLogsAbove } from '../database/logs/log-order.ts';
import { makeLogPartitionsAtOnce, replaceLogPartitions } from '../database/logs/log-partitions.ts';
import { type BackupTable, type Manifest, REPORTED_ROWS, unreadable } from './manifest.ts';
import { readPart } from './parts.ts';
import { putOn, takeOff } from './restore-schema.ts';
import { AUDIT_HEADS, columnsOf, nameOf } from './snapshot.ts';
import { type FoundBackup, requireRows } from './verify-backup.ts';

/**
 * Fills an empty database that has the backup's migrations, in one transaction: with all rows, or with none where anything does
 * not hold. Rows, foreign keys, indexes and the heads of the audit are checked before it is committed.
 * @param client connected as the owner, for statements that may take hours
 * @throws Failure backup_unreadable
 */
export async function restoreTables(client: pg.Client, backup: FoundBackup, report: (step: string) => void): Promise<void> {
  const { manifest } = backup;
  await client.query(`BEGIN; SET LOCAL maintenance_work_mem = '256MB'`);
  if (manifest.log_partitions) await replaceLogPartitions(client, manifest.log_partitions);
  const taken = await takeOff(client);
  for (const table of manifest.tables) {
    if (table.rows >= REPORTED_ROWS) report(`restoring ${table.rows} rows of ${table.name}`);
    await copyIn(client, backup, table);
  }
  await putOn(client, taken, report);
  for (const { schema, name, last_value } of manifest.sequences)
    await client.query(`SELECT setval(format('%I.%I', $1::text, $2::text)::regclass, $3::bigint)`, [schema, name, last_value]);
  await raiseLogsAbove(client, BigInt(manifest.log_position));
  await checkHeads(client, manifest);
  await client.query('COMMIT');
  await makeLogPartitionsAtOnce(client);
  report('gathering statistics for plans');
  await client.query('ANALYZE');
}

async function copyIn(client: pg.Client, backup: FoundBackup, table: BackupTable): Promise<void> {
  // Rows are frozen as they come: no vacuum has to visit them again. A partitioned table takes none of these.
  const { rows } = await client.query<{ kind: string }>('SELECT relkind AS kind FROM pg_class WHERE oid = to_regclass($1)', [
    nameOf(table),
  ]);
  const [found] = rows;
  if (!found) throw unreadable(`It has a table ${table.name} that its migrations do not make.`);
  const frozen = found.kind === 'p' ? '' : ' (FREEZE)';
  const stream = client.query(from(`COPY ${nameOf(table)} (${columnsOf(table)}) FROM STDIN${frozen}`));
  await pipeline(Readable.from(readPart(backup, table), { objectMode: false }), stream);
  requireRows(table, stream.rowCount);
}

async function checkHeads(client: pg.Client, { audit_heads }: Manifest): Promise<void> {
  const { rows } = await client.query<{ heads: Manifest['audit_heads'] }>(`SELECT (${AUDIT_HEADS}) AS heads`);
  if (JSON.stringify(rows[0]?.heads) !== JSON.stringify(audit_heads))
    throw unreadable('The heads of its audit are not those of its manifest.');
}
