import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/keyring.ts';
import { type Prepared, preparedIn, statement } from '../../../database/statement.ts';
import type { Caller } from '../../caller.ts';
import { conflict } from '../../errors.ts';
import { type Checkpoint, keepCheckpoint, placeOf, readCheckpoints } from './checkpoints.ts';

/** Key of the advisory lock of a practice's checkpoints; the value is arbitrary, and the second key is the practice. */
const LOCK = 7_410_274;
/** Links that one statement deletes: those of older releases have one entry each. */
const BATCH = 5_000;

const LOCK_CHECKPOINTS = statement<never>('audit_lock_checkpoints', 'SELECT 1 AS locked FROM pg_advisory_xact_lock($1::int, $2::int)');
/** Values: the instant before which is to be archived. */
const PARTITIONS = statement<{ name: string; upper: string; isWhole: boolean }>(
  'audit_partitions_before',
  `SELECT name, to_char(p.upper AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS upper,
          p.upper <= $1::timestamptz AND p.upper <= now() AS "isWhole"
     FROM log_partitions() p WHERE log = 'audit_entry' AND p.upper IS NOT NULL ORDER BY p.upper`,
);
/** The database's functions, since the server's role may delete neither links nor partitions otherwise. */
const DELETE_LINKS = statement<{ deleted: string }>(
  'audit_delete_archived_links',
  'SELECT delete_archived_links($1::int, $2::int)::text AS deleted',
);
const DROP = statement<{ dropped: string[] }>('audit_drop_archived', 'SELECT drop_archived_audit($1::timestamptz) AS dropped');

/** A partition of the audit's table. */
export interface AuditPartition {
  name: string;
  /** Its rows are before that instant. */
  upper: Date;
  /** Whether all of them are from before the instant that was asked for. */
  isWhole: boolean;
}

/** The partitions of the audit, the oldest first. */
export async function listPartitions(prepared: Prepared, before: Date): Promise<AuditPartition[]> {
  const rows = await prepared.rows(PARTITIONS, [before]);
  return rows.map(({ name, upper, isWhole }) => ({ name, upper: new Date(upper), isWhole }));
}

/**
 * Adds the checkpoint of a segment that was written and read back; it is an entry of the audit.
 * @throws Failure conflict where another run has archived the chain further meanwhile
 */
export async function addCheckpoint(db: Db, caller: Caller, keyring: Keyring, checkpoint: Checkpoint): Promise<void> {
  const prepared = preparedIn(db);
  const { organizationId, previousPosition, position, place, segment, manifest } = checkpoint;
  await prepared.rows(LOCK_CHECKPOINTS, [LOCK, organizationId]);
  const { checkpoints } = await readCheckpoints(prepared, keyring, organizationId);
  if (placeOf(checkpoints.at(-1)).position !== previousPosition)
    throw conflict('archive_under_way', 'Another run has archived this audit meanwhile. Run the command again.');
  await keepCheckpoint(prepared, keyring, checkpoint);
  caller.journal.audits.push({
    ...{ action: 'administer', resource: 'audit_chain', ids: [] },
    detail: `entries ${previousPosition + 1n} to ${position} archived to ${place}, segment ${segment}, SHA-256 ${manifest.toString('hex')}`,
  });
}

/** Deletes the links of a practice that a checkpoint has taken the place of. */
export async function deleteArchivedLinks(prepared: Prepared, organizationId: number): Promise<void> {
  for (;;) {
    const [row] = await prepared.rows(DELETE_LINKS, [organizationId, BATCH]);
    if (BigInt(row?.deleted ?? 0) < BigInt(BATCH)) return;
  }
}

/** Drops the partitions that the checkpoints of all practices cover. @returns their names; fewer while a backup is under way */
export async function dropPartitions(prepared: Prepared, before: Date): Promise<string[]> {
  const [row] = await prepared.rows(DROP, [before]);
  return row?.dropped ?? [];
}
