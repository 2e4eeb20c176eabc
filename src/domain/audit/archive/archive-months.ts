import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { PracticeRows } from '../../../database/statements/practice-rows.ts';
import { type Prepared, preparedIn, statement } from '../../../database/statements/statement.ts';
import { conflict } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { AuditChainError, readHead } from '../chain/chain-heads.ts';
import { type ChainPlace, type Gap, isUnbroken, type Link, type Step, walkChain } from '../chain/chain-walk.ts';
import { type ArchivePlace, readArchiveFile, writeArchiveFile } from './archive-file.ts';
import { type Checkpoint, keepCheckpoint, readCheckpoints, toChainPlace } from './checkpoints.ts';

/** Key of the advisory lock of a practice's checkpoints; the value is arbitrary, and the second key is the practice. */
const LOCK = 7_410_274;
/** Links that one statement deletes. */
const BATCH = 5_000;

const LOCK_CHECKPOINTS = statement<never>('audit_lock_checkpoints', 'SELECT 1 AS locked FROM pg_advisory_xact_lock($1::int, $2::int)');
/** Values: the instant before which is to be archived. */
const PARTITIONS = statement<{ name: string; upper: string; isWhole: boolean }>(
  'audit_partitions_before',
  `SELECT name, to_char(p.upper AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS upper,
          p.upper <= $1::timestamptz AND p.upper <= now() AS "isWhole"
     FROM log_partitions() p WHERE log = 'audit_entry' AND p.upper IS NOT NULL ORDER BY p.upper`,
);
/** Values: organization, the entry after which to begin, the instant before which entries are archived. */
const LAST_BEFORE = statement<{ transactionId: string; id: string }>(
  'audit_last_before',
  `SELECT transaction_id::text AS "transactionId", id::text FROM audit_entry e
    WHERE organization_id = $1::int AND (e.transaction_id, e.id) > ($2::bigint, $3::bigint) AND at < $4::timestamptz
    ORDER BY e.transaction_id DESC, e.id DESC LIMIT 1`,
);
/** Values: organization, the position after which to look, an entry. */
const LINK_OVER = statement<{ position: string }>(
  'audit_link_over',
  `SELECT position::text FROM audit_link l
    WHERE organization_id = $1::int AND l.position > $2::bigint AND (transaction_id, audit_entry_id) >= ($3::bigint, $4::bigint)
    ORDER BY l.position LIMIT 1`,
);
/** The database's functions, since the server's role may delete neither links nor entries nor partitions otherwise. */
const DELETE_ARCHIVED = statement<{ deleted: string }>(
  'audit_delete_archived',
  'SELECT delete_archived_audit($1::int, $2::int)::text AS deleted',
);
const DROP = statement<{ dropped: string[] }>('audit_drop_archived', 'SELECT drop_archived_audit($1::timestamptz) AS dropped');

/** A partition of the audit's table: the entries of one month. */
export interface AuditPartition {
  name: string;
  /** Its rows are before that instant. */
  upper: Date;
  /** Whether all of them are from before the instant that was asked for. */
  isWhole: boolean;
}

/** The partitions of the audit, oldest first. */
export async function listPartitions(prepared: Prepared, before: Date): Promise<AuditPartition[]> {
  const rows = await prepared.rows(PARTITIONS, [before]);
  return rows.map(({ name, upper, isWhole }) => ({ name, upper: new Date(upper), isWhole }));
}

/** The part of a chain that is to go into the archive. */
export interface Cut {
  organizationId: number;
  after: ChainPlace;
  last: Link;
  /** The end of the month. */
  upper: Date;
}

/**
 * Finds the part of a chain that has a month's entries: from the newest checkpoint to the link that covers the last of them, in the order
 * of the chain. It may have the first entries of the next month.
 * @returns null where nothing is left to archive
 * @throws AuditChainError where the checkpoints do not hold, or entries of the month have no link
 */
export async function findCut(db: Db, keyring: Keyring, organizationId: number, upper: Date): Promise<Cut | null> {
  const prepared = preparedIn(db);
  const { checkpoints, flaw } = await readCheckpoints(prepared, keyring, organizationId);
  if (flaw !== null) throw new AuditChainError(flaw);
  const after = toChainPlace(checkpoints.at(-1));
  const from = [String(after.last.transactionId), String(after.last.auditEntryId)];
  const [entry] = await prepared.rows(LAST_BEFORE, [organizationId, ...from, upper]);
  if (!entry) return null;
  const [over] = await prepared.rows(LINK_OVER, [organizationId, String(after.position), entry.transactionId, entry.id]);
  if (!over) throw new AuditChainError(`entries up to ${entry.id} are not sealed`);
  const position = BigInt(over.position);
  const last = await db.auditLink.findUnique({ where: { organizationId_position: { organizationId, position } } });
  if (!last) throw new AuditChainError(`link ${position} is missing: it was deleted or moved`);
  return { organizationId, after, last, upper };
}

/**
 * Verifies a part of a chain, writes it as a file, reads that back and verifies it again. Nothing is changed in the database. Written
 * again, it is the same file.
 * @param placeName by which the checkpoint names the place
 * @throws AuditChainError naming the first link that does not hold; ArchiveError where the file reads back otherwise
 */
export async function archiveCut(db: Db, keyring: Keyring, place: ArchivePlace, placeName: string, cut: Cut): Promise<Checkpoint> {
  const { organizationId, after, last } = cut;
  const head = await readHead(preparedIn(db), keyring, organizationId);
  const lostPosition = head?.lostPosition ?? 0n;
  const file = nameFile(cut);
  const steps = requireUnbroken(walkChain(db, keyring, organizationId, { after, to: last.position }), lostPosition);
  const written = await writeArchiveFile(place, keyring, { file, organizationId, after }, steps);
  const at = { ...after };
  const back = requireUnbroken(readArchiveFile(place, keyring, { file, organizationId, sha256: written.sha256 }, at), lostPosition);
  for (let step = await back.next(); step.done !== true; step = await back.next());
  if (at.position !== last.position || !at.hash.equals(last.hash)) throw new AuditChainError(`file ${file} differs from what was written`);
  return {
    organizationId,
    position: last.position,
    auditEntryId: last.auditEntryId,
    transactionId: last.transactionId,
    hash: at.hash,
    previousPosition: after.position,
    file,
    place: placeName,
    ...written,
    discarded: null,
  };
}

/** `practice-3/2019-03-1a2b3c4d.ndjson.gz`: the month, and what tells files of other chains from it. */
function nameFile({ organizationId, last, upper }: Cut): string {
  const month = new Date(upper.getTime() - 1).toISOString().slice(0, 'yyyy-mm'.length);
  return `practice-${organizationId}/${month}-${Buffer.from(last.hash).toString('hex').slice(0, 8)}.ndjson.gz`;
}

async function* requireUnbroken(steps: AsyncIterable<Step | Gap>, lostPosition: bigint): AsyncGenerator<Step> {
  for await (const step of steps) {
    if (!('link' in step)) throw new AuditChainError(step.what);
    if (!isUnbroken(step, lostPosition)) throw new AuditChainError(step.broken?.what);
    yield step;
  }
}

/**
 * Adds the checkpoint of a file that was written and read back; it is an entry of the audit.
 * @throws Failure conflict where another run has archived the chain further meanwhile
 */
export async function addCheckpoint(tx: Tx, keyring: Keyring, checkpoint: Checkpoint): Promise<void> {
  const { organizationId, previousPosition, position, place, file, sha256 } = checkpoint;
  await tx.prepared.rows(LOCK_CHECKPOINTS, [LOCK, organizationId]);
  const { checkpoints } = await readCheckpoints(tx.prepared, keyring, organizationId);
  if (toChainPlace(checkpoints.at(-1)).position !== previousPosition)
    throw conflict('archive_under_way', 'Another run has just archived this audit. Run the command again.');
  await keepCheckpoint(tx.prepared, keyring, checkpoint);
  tx.journal.audits.push({
    action: 'administer',
    resource: 'audit_chain',
    ids: [],
    detail: `entries ${previousPosition + 1n} to ${position} archived to ${place}, file ${file}, SHA-256 ${sha256.toString('hex')}`,
  });
}

/** Drops the partitions that the checkpoints of all practices cover. @returns their names; fewer while a backup is under way */
export async function dropPartitions(prepared: Prepared, before: Date): Promise<string[]> {
  const [row] = await prepared.rows(DROP, [before]);
  return row?.dropped ?? [];
}

/** Deletes what the archive has of a practice besides dropped months: links, and first entries of the next month. */
export async function deleteArchived(tx: PracticeRows): Promise<void> {
  for (;;) {
    const [row] = await tx.rows(DELETE_ARCHIVED, [BATCH]);
    if (BigInt(row?.deleted ?? 0) < BigInt(BATCH)) return;
  }
}
