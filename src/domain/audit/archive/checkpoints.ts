import { type Keyring, KeyringError } from '../../../database/encryption/keyring.ts';
import { type Prepared, statement } from '../../../database/statements/statement.ts';
import { canCheck, type FoundSeal, isMac } from '../chain/chain-heads.ts';
import { CHAIN_START, type ChainPlace } from '../chain/chain-walk.ts';

const PURPOSE = 'audit-checkpoint';

/** The link up to which the chain of a practice is in the archive, and the file that ends with it. */
export interface Checkpoint {
  organizationId: number;
  position: bigint;
  auditEntryId: bigint;
  transactionId: bigint;
  hash: Buffer;
  /** The position of the checkpoint before: the file begins behind it. 0 before the first. */
  previousPosition: bigint;
  /** The folder and the name in the place, which is as it was given. */
  file: string;
  place: string;
  sha256: Buffer;
  /** The instants of its oldest and its newest entry. */
  firstAt: Date;
  lastAt: Date;
  /** The operator who deleted the file for its age. */
  discarded: { operator: string; at: Date } | null;
}

interface CheckpointRow {
  organizationId: number;
  position: string;
  auditEntryId: string;
  transactionId: string;
  hash: Uint8Array;
  previousPosition: string;
  file: string;
  place: string;
  sha256: Uint8Array;
  firstAt: Date;
  lastAt: Date;
  discardedBy: string | null;
  discardedAt: Date | null;
  keyId: string;
  mac: Uint8Array;
}

const COLUMNS = `organization_id AS "organizationId", position::text, audit_entry_id::text AS "auditEntryId",
       transaction_id::text AS "transactionId", hash, previous_position::text AS "previousPosition", file, place, sha256,
       first_at AS "firstAt", last_at AS "lastAt", discarded_by AS "discardedBy", discarded_at AS "discardedAt", key_id AS "keyId", mac`;

/** Values: organization. */
const CHECKPOINTS = statement<CheckpointRow>(
  'audit_checkpoints',
  `SELECT ${COLUMNS} FROM audit_checkpoint c WHERE organization_id = $1::int ORDER BY c.position`,
);
/** The newest of each key: a start looks at them. */
const NEWEST_OF_EACH_KEY = statement<CheckpointRow>(
  'audit_newest_checkpoints',
  `SELECT DISTINCT ON (key_id) ${COLUMNS} FROM audit_checkpoint c
    ORDER BY key_id, archived_at DESC, organization_id, c.position DESC`,
  { overAllPractices: 'a start tries every master key' },
);
/** Values: the id of the key that is current. */
const OF_OTHER_KEYS = statement<CheckpointRow>(
  'audit_checkpoints_of_other_keys',
  `SELECT ${COLUMNS} FROM audit_checkpoint c WHERE key_id <> $1::text ORDER BY organization_id, c.position`,
  { overAllPractices: 'checkpoints are signed anew under another master key' },
);
/** Values: the columns in their order. */
const ADD = statement<never>(
  'audit_add_checkpoint',
  `INSERT INTO audit_checkpoint (organization_id, position, audit_entry_id, transaction_id, hash, previous_position, file, place, sha256,
                                 first_at, last_at, key_id, mac)
   VALUES ($1::int, $2::bigint, $3::bigint, $4::bigint, $5::bytea, $6::bigint, $7::text, $8::text, $9::bytea,
           $10::timestamptz, $11::timestamptz, $12::text, $13::bytea)`,
);
/** Values: organization, position, who discarded the file and when, or null, key, MAC. */
const SIGN = statement<never>(
  'audit_sign_checkpoint',
  `UPDATE audit_checkpoint SET discarded_by = $3::text, discarded_at = $4::timestamptz, key_id = $5::text, mac = $6::bytea
    WHERE organization_id = $1::int AND position = $2::bigint`,
);

/** The checkpoints of a chain that hold, oldest first, and why the first that does not hold does not. */
export interface FoundCheckpoints {
  checkpoints: Checkpoint[];
  flaw: string | null;
}

/** Reads the checkpoints of a chain, and checks that each was made with the master keys and begins where the one before ends. */
export async function readCheckpoints(prepared: Prepared, keyring: Keyring, organizationId: number): Promise<FoundCheckpoints> {
  const checkpoints: Checkpoint[] = [];
  for (const row of await prepared.rows(CHECKPOINTS, [organizationId])) {
    const flaw = findFlaw(keyring, row, checkpoints.at(-1));
    if (flaw !== null) return { checkpoints, flaw };
    checkpoints.push(toCheckpoint(row));
  }
  return { checkpoints, flaw: null };
}

function findFlaw(keyring: Keyring, row: CheckpointRow, before: Checkpoint | undefined): string | null {
  const named = `the checkpoint at link ${row.position}`;
  const checkpoint = toCheckpoint(row);
  try {
    if (!isMac(keyring, PURPOSE, toText(checkpoint), row)) return `${named} was edited, or was created without the master keys`;
  } catch (error) {
    if (error instanceof KeyringError) return `${named} cannot be checked: ${error.message}`;
    throw error;
  }
  if (checkpoint.previousPosition === toChainPlace(before).position) return null;
  return `the checkpoint before link ${row.position}, at link ${checkpoint.previousPosition}, is missing: it was deleted`;
}

/** The link of a checkpoint, behind which a walk goes on; the start of the chain without one. */
export function toChainPlace(checkpoint: Checkpoint | undefined): ChainPlace {
  if (!checkpoint) return { ...CHAIN_START };
  const { position, hash, auditEntryId, transactionId } = checkpoint;
  return { position, hash, last: { auditEntryId, transactionId } };
}

/** Keeps a checkpoint, with a MAC under the current master key. */
export async function keepCheckpoint(prepared: Prepared, keyring: Keyring, checkpoint: Checkpoint): Promise<void> {
  const { organizationId, position, auditEntryId, transactionId, hash, previousPosition } = checkpoint;
  const { file, place, sha256, firstAt, lastAt } = checkpoint;
  await prepared.rows(ADD, [
    ...[organizationId, String(position), String(auditEntryId), String(transactionId), hash, String(previousPosition)],
    ...[file, place, sha256, firstAt, lastAt, keyring.currentId, keyring.mac(PURPOSE, toText(checkpoint))],
  ]);
}

/** Signs a checkpoint anew: under another master key, or with the note that its file was discarded. */
export async function signCheckpoint(prepared: Prepared, keyring: Keyring, checkpoint: Checkpoint): Promise<void> {
  const { organizationId, position, discarded } = checkpoint;
  const mac = keyring.mac(PURPOSE, toText(checkpoint));
  await prepared.rows(SIGN, [organizationId, String(position), discarded?.operator ?? null, discarded?.at ?? null, keyring.currentId, mac]);
}

/** Puts the checkpoints under the current master key, so that they are known without older ones. Those that do not hold stay as they are. */
export async function renewCheckpoints(prepared: Prepared, keyring: Keyring): Promise<void> {
  for (const row of await prepared.rows(OF_OTHER_KEYS, [keyring.currentId])) {
    const checkpoint = toCheckpoint(row);
    if (canCheck(keyring, row) && isMac(keyring, PURPOSE, toText(checkpoint), row)) await signCheckpoint(prepared, keyring, checkpoint);
  }
}

/** The newest checkpoint of each master key, as what a start checks its keys by. */
export async function newestCheckpointSeals(prepared: Prepared): Promise<FoundSeal[]> {
  const rows = await prepared.rows(NEWEST_OF_EACH_KEY, []);
  return rows.map((row) => ({
    keyId: row.keyId,
    holds: (keyring: Keyring) => isMac(keyring, PURPOSE, toText(toCheckpoint(row)), row),
  }));
}

function toCheckpoint({ organizationId, discardedBy, discardedAt, file, place, firstAt, lastAt, ...row }: CheckpointRow): Checkpoint {
  return {
    organizationId,
    position: BigInt(row.position),
    previousPosition: BigInt(row.previousPosition),
    auditEntryId: BigInt(row.auditEntryId),
    transactionId: BigInt(row.transactionId),
    hash: Buffer.from(row.hash),
    file,
    place,
    sha256: Buffer.from(row.sha256),
    firstAt: toDate(firstAt),
    lastAt: toDate(lastAt),
    discarded: discardedBy === null || discardedAt === null ? null : { operator: discardedBy, at: toDate(discardedAt) },
  };
}

/** The driver returns a date, Prisma may return a text. */
const toDate = (at: Date | string): Date => new Date(at);

const toText = (checkpoint: Checkpoint): string => {
  const { organizationId, position, auditEntryId, transactionId, hash, previousPosition, discarded } = checkpoint;
  const { file, place, sha256, firstAt, lastAt } = checkpoint;
  return JSON.stringify([
    ...[organizationId, String(position), String(auditEntryId), String(transactionId), hash.toString('hex'), String(previousPosition)],
    ...[file, place, sha256.toString('hex'), firstAt.toISOString(), lastAt.toISOString()],
    ...[discarded?.operator ?? null, discarded?.at.toISOString() ?? null],
  ]);
};
