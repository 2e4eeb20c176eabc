import { type Keyring, KeyringError } from '../../../database/keyring.ts';
import { type Prepared, statement } from '../../../database/statement.ts';
import { type FoundSeal, isMac } from '../chain-heads.ts';
import { CHAIN_START, type ChainPlace } from '../chain-walk.ts';

const PURPOSE = 'audit-checkpoint';
const DISCARD_PURPOSE = 'audit-discard';

/** The link up to which the chain of a practice is in the archive, and the segment that ends with it. */
export interface Checkpoint {
  organizationId: number;
  position: bigint;
  auditEntryId: bigint;
  transactionId: bigint;
  hash: Buffer;
  /** The link of the checkpoint before: the segment begins behind it. Position 0 before the first. */
  previousPosition: bigint;
  previousHash: Buffer;
  /** The segment's name in the place, and the SHA-256 of its manifest. */
  segment: string;
  place: string;
  manifest: Buffer;
  /** The instants of its oldest and its newest entry. */
  firstAt: Date;
  lastAt: Date;
  /** Entries from before this instant leave the table; the others of the segment stay there too, which are the border. */
  cutAt: Date;
  /** The months of the border, each with a sum (border.ts). */
  border: string[];
  /** Ids of the master keys that the segment needs to be verified. */
  sealedUnder: string[];
}

/** A segment that an operator has deleted for its age. */
export interface Discard {
  organizationId: number;
  position: bigint;
  operator: string;
  at: Date;
}

export interface KeptCheckpoint extends Checkpoint {
  archivedAt: Date;
  discard: Discard | null;
}

interface CheckpointRow {
  organizationId: number;
  position: string;
  auditEntryId: string;
  transactionId: string;
  hash: Uint8Array;
  previousPosition: string;
  previousHash: Uint8Array;
  segment: string;
  place: string;
  manifest: Uint8Array;
  firstAt: Date;
  lastAt: Date;
  cutAt: Date;
  border: string[];
  sealedUnder: string[];
  archivedAt: Date;
  keyId: string;
  mac: Uint8Array;
  operator: string | null;
  discardedAt: Date | null;
  discardKeyId: string | null;
  discardMac: Uint8Array | null;
}

const COLUMNS = `c.organization_id AS "organizationId", c.position::text, c.audit_entry_id::text AS "auditEntryId",
       c.transaction_id::text AS "transactionId", c.hash, c.previous_position::text AS "previousPosition", c.previous_hash AS "previousHash",
       c.segment, c.place, c.manifest, c.first_at AS "firstAt", c.last_at AS "lastAt", c.cut_at AS "cutAt", c.border,
       c.sealed_under AS "sealedUnder", c.archived_at AS "archivedAt", c.key_id AS "keyId", c.mac,
       d.operator, d.discarded_at AS "discardedAt", d.key_id AS "discardKeyId", d.mac AS "discardMac"`;
const WITH_DISCARDS = 'audit_checkpoint c LEFT JOIN audit_discard d ON d.organization_id = c.organization_id AND d.position = c.position';

/** Values: organization. */
const CHECKPOINTS = statement<CheckpointRow>(
  'audit_checkpoints',
  `SELECT ${COLUMNS} FROM ${WITH_DISCARDS} WHERE c.organization_id = $1::int ORDER BY c.position`,
);
/** The newest of each key: a start looks at them. */
const NEWEST_OF_EACH_KEY = statement<CheckpointRow>(
  'audit_checkpoint_of_each_key',
  `SELECT DISTINCT ON (c.key_id) ${COLUMNS} FROM ${WITH_DISCARDS} WHERE true
                   ORDER BY c.key_id, c.archived_at DESC, c.organization_id, c.position DESC`,
  { overAllPractices: 'a start tries every master key' },
);
/** Values: the id of the key that is current. */
const OF_OTHER_KEYS = statement<CheckpointRow>(
  'audit_checkpoints_of_other_keys',
  `SELECT ${COLUMNS} FROM ${WITH_DISCARDS} WHERE c.key_id <> $1::text OR d.key_id <> $1::text ORDER BY c.organization_id, c.position`,
  { overAllPractices: 'checkpoints are signed anew under another master key' },
);
/** Values: the columns in their order. */
const ADD = statement<never>(
  'audit_add_checkpoint',
  `INSERT INTO audit_checkpoint (organization_id, position, audit_entry_id, transaction_id, hash, previous_position, previous_hash, segment,
                                 place, manifest, first_at, last_at, cut_at, border, sealed_under, key_id, mac)
   VALUES ($1::int, $2::bigint, $3::bigint, $4::bigint, $5::bytea, $6::bigint, $7::bytea, $8::text,
           $9::text, $10::bytea, $11::timestamptz, $12::timestamptz, $13::timestamptz, $14::text[], $15::text[], $16::text, $17::bytea)`,
);
/** Values: organization, position, operator, instant, key, MAC. */
const ADD_DISCARD = statement<never>(
  'audit_add_discard',
  `INSERT INTO audit_discard (organization_id, position, operator, discarded_at, key_id, mac)
   VALUES ($1::int, $2::bigint, $3::text, $4::timestamptz, $5::text, $6::bytea)`,
);
/** Values: organization, position, key, MAC, and the MAC that is replaced. */
const RENEW = statement<never>(
  'audit_renew_checkpoint',
  'UPDATE audit_checkpoint SET key_id = $3::text, mac = $4::bytea WHERE organization_id = $1::int AND position = $2::bigint AND mac = $5::bytea',
);
const RENEW_DISCARD = statement<never>(
  'audit_renew_discard',
  'UPDATE audit_discard SET key_id = $3::text, mac = $4::bytea WHERE organization_id = $1::int AND position = $2::bigint AND mac = $5::bytea',
);

/** The checkpoints of a chain that hold, the oldest first, and why the first that does not hold does not. */
export interface FoundCheckpoints {
  checkpoints: KeptCheckpoint[];
  flaw: string | null;
}

/** Reads the checkpoints of a chain, and checks that each was made with the master keys and begins where the one before ends. */
export async function readCheckpoints(prepared: Prepared, keyring: Keyring, organizationId: number): Promise<FoundCheckpoints> {
  const checkpoints: KeptCheckpoint[] = [];
  for (const row of await prepared.rows(CHECKPOINTS, [organizationId])) {
    const flaw = flawOf(keyring, row, checkpoints.at(-1));
    if (flaw !== null) return { checkpoints, flaw };
    checkpoints.push(checkpointOf(row));
  }
  return { checkpoints, flaw: null };
}

function flawOf(keyring: Keyring, row: CheckpointRow, before: Checkpoint | undefined): string | null {
  const named = `the checkpoint at link ${row.position}`;
  const checkpoint = checkpointOf(row);
  try {
    if (!isMac(keyring, PURPOSE, textOf(checkpoint), row)) return `${named} was edited, or was made without the master keys`;
    if (!holdsDiscard(keyring, row)) return `the note that the segment of link ${row.position} was discarded was edited`;
  } catch (error) {
    if (error instanceof KeyringError) return `${named} cannot be checked: ${error.message}`;
    throw error;
  }
  const { position, hash } = placeOf(before);
  if (checkpoint.previousPosition === position && checkpoint.previousHash.equals(hash)) return null;
  return `the checkpoint before link ${row.position}, at link ${checkpoint.previousPosition}, is missing: it was deleted`;
}

function holdsDiscard(keyring: Keyring, row: CheckpointRow): boolean {
  const { discard } = checkpointOf(row);
  if (!discard || row.discardKeyId === null || row.discardMac === null) return discard === null;
  return isMac(keyring, DISCARD_PURPOSE, textOfDiscard(discard), { keyId: row.discardKeyId, mac: row.discardMac });
}

/** The link of a checkpoint, behind which a walk goes on; the start of the chain without one. */
export function placeOf(checkpoint: Checkpoint | undefined): ChainPlace {
  if (!checkpoint) return { ...CHAIN_START };
  const { position, hash, auditEntryId, transactionId } = checkpoint;
  return { position, hash, last: { auditEntryId, transactionId } };
}

/** Keeps a checkpoint, with a MAC under the current master key. */
export async function keepCheckpoint(prepared: Prepared, keyring: Keyring, checkpoint: Checkpoint): Promise<void> {
  const { organizationId, position, auditEntryId, transactionId, hash, previousPosition, previousHash } = checkpoint;
  const { segment, place, manifest, firstAt, lastAt, cutAt, border, sealedUnder } = checkpoint;
  await prepared.rows(ADD, [
    ...[organizationId, String(position), String(auditEntryId), String(transactionId), hash, String(previousPosition), previousHash],
    ...[segment, place, manifest, firstAt, lastAt, cutAt, border, sealedUnder],
    ...[keyring.currentId, keyring.mac(PURPOSE, textOf(checkpoint))],
  ]);
}

/** Notes that the segment of a checkpoint is discarded. */
export async function keepDiscard(prepared: Prepared, keyring: Keyring, discard: Discard): Promise<void> {
  const { organizationId, position, operator, at } = discard;
  const mac = keyring.mac(DISCARD_PURPOSE, textOfDiscard(discard));
  await prepared.rows(ADD_DISCARD, [organizationId, String(position), operator, at, keyring.currentId, mac]);
}

/** Puts the checkpoints under the current master key, so that they are known without older ones. Those that do not hold stay as they are. */
export async function renewCheckpoints(prepared: Prepared, keyring: Keyring): Promise<void> {
  for (const row of await prepared.rows(OF_OTHER_KEYS, [keyring.currentId])) {
    const checkpoint = checkpointOf(row);
    const { organizationId, position, discard } = checkpoint;
    const renew = (query: typeof RENEW, mac: Buffer, former: Uint8Array) =>
      prepared.rows(query, [organizationId, String(position), keyring.currentId, mac, former]);
    if (isHeld(() => isMac(keyring, PURPOSE, textOf(checkpoint), row)))
      await renew(RENEW, keyring.mac(PURPOSE, textOf(checkpoint)), row.mac);
    if (discard && row.discardMac && isHeld(() => holdsDiscard(keyring, row)))
      await renew(RENEW_DISCARD, keyring.mac(DISCARD_PURPOSE, textOfDiscard(discard)), row.discardMac);
  }
}

/** Whether a MAC holds; one of a key that is gone does not. */
function isHeld(check: () => boolean): boolean {
  try {
    return check();
  } catch (error) {
    if (error instanceof KeyringError) return false;
    throw error;
  }
}

/** The newest checkpoint of each master key, as what a start checks its keys by. */
export async function newestCheckpointSeals(prepared: Prepared): Promise<FoundSeal[]> {
  const rows = await prepared.rows(NEWEST_OF_EACH_KEY, []);
  return rows.map((row) => ({
    keyId: row.keyId,
    holds: (keyring: Keyring) => isMac(keyring, PURPOSE, textOf(checkpointOf(row)), row),
  }));
}

function checkpointOf({ organizationId, operator, discardedAt, ...row }: CheckpointRow): KeptCheckpoint {
  const { segment, place, sealedUnder } = row;
  const position = BigInt(row.position);
  const [firstAt, lastAt, cutAt, archivedAt] = [row.firstAt, row.lastAt, row.cutAt, row.archivedAt].map(dateOf);
  if (!firstAt || !lastAt || !cutAt || !archivedAt) throw new Error('a checkpoint has four instants');
  return {
    ...{ organizationId, position, auditEntryId: BigInt(row.auditEntryId), transactionId: BigInt(row.transactionId) },
    ...{ hash: Buffer.from(row.hash), previousPosition: BigInt(row.previousPosition), previousHash: Buffer.from(row.previousHash) },
    ...{ segment, place, manifest: Buffer.from(row.manifest), firstAt, lastAt, cutAt, border: row.border, sealedUnder },
    archivedAt,
    discard: operator === null || discardedAt === null ? null : { organizationId, position, operator, at: dateOf(discardedAt) },
  };
}

/** The driver returns a date, Prisma may return a text. */
const dateOf = (at: Date | string): Date => new Date(at);

const textOf = (checkpoint: Checkpoint): string => {
  const { organizationId, position, auditEntryId, transactionId, hash, previousPosition, previousHash } = checkpoint;
  const { segment, place, manifest, firstAt, lastAt, cutAt, border, sealedUnder } = checkpoint;
  return JSON.stringify([
    ...[organizationId, String(position), String(auditEntryId), String(transactionId), hash.toString('hex')],
    ...[String(previousPosition), previousHash.toString('hex'), segment, place, manifest.toString('hex')],
    ...[firstAt.toISOString(), lastAt.toISOString(), cutAt.toISOString(), border, sealedUnder],
  ]);
};

const textOfDiscard = ({ organizationId, position, operator, at }: Discard): string =>
  JSON.stringify([organizationId, String(position), operator, at.toISOString()]);
