import { timingSafeEqual } from 'node:crypto';
import { type Keyring, KeyringError } from '../../../database/encryption/keyring.ts';
import { type Prepared, statement } from '../../../database/statements/statement.ts';

const HEAD_PURPOSE = 'audit-head';
const ROLL_PURPOSE = 'audit-roll';

/** The newest link of a chain, as its sealer left it. */
export interface KeptHead {
  organizationId: number;
  position: bigint;
  auditEntryId: bigint;
  transactionId: bigint;
  hash: Buffer;
  /** Events of the practice up to that transaction. */
  events: bigint;
  /** The last link that was sealed under a master key that is lost: it and those before it may have seals that nobody can check. */
  lostPosition: bigint;
}

/** A chain is not as its sealer left it. The message is for operators, and names no record of a patient. */
export class AuditChainError extends Error {}

interface HeadRow {
  organizationId: number;
  position: string;
  auditEntryId: string;
  transactionId: string;
  /** A Buffer, or through Prisma a Uint8Array. */
  hash: Uint8Array;
  events: string;
  lostPosition: string;
  keyId: string;
  mac: Uint8Array;
}

const COLUMNS = `organization_id AS "organizationId", position::text, audit_entry_id::text AS "auditEntryId",
                 transaction_id::text AS "transactionId", hash, events::text, lost_position::text AS "lostPosition", key_id AS "keyId", mac`;

/** Values: organization. */
const HEAD = statement<HeadRow>('audit_head', `SELECT ${COLUMNS} FROM audit_head WHERE organization_id = $1::int`);

/** One row a practice: all of them are read at a start. */
const HEAD_OF_EACH_KEY = statement<HeadRow>(
  'audit_head_of_each_key',
  `SELECT DISTINCT ON (key_id) ${COLUMNS} FROM audit_head h WHERE true ORDER BY key_id, sealed_at DESC, organization_id`,
  { overAllPractices: 'a start tries every master key' },
);

/** Values: organization, the transaction after which to begin, the last one. */
export const EVENTS_BETWEEN = statement<{ events: string }>(
  'audit_events_between',
  `SELECT count(*)::text AS events FROM event
    WHERE organization_id = $1::int AND transaction_id > $2::bigint AND transaction_id <= $3::bigint`,
);

/** Values: organization, position, entry, transaction, hash, events, lost position, key, MAC. */
const KEEP_HEAD = statement<never>(
  'audit_keep_head',
  `INSERT INTO audit_head (organization_id, position, audit_entry_id, transaction_id, hash, events, lost_position, key_id, mac)
   VALUES ($1::int, $2::bigint, $3::bigint, $4::bigint, $5::bytea, $6::bigint, $7::bigint, $8::text, $9::bytea)
   ON CONFLICT (organization_id) DO UPDATE SET position = excluded.position, audit_entry_id = excluded.audit_entry_id,
     transaction_id = excluded.transaction_id, hash = excluded.hash, events = excluded.events,
     lost_position = excluded.lost_position, key_id = excluded.key_id,
     mac = excluded.mac, sealed_at = excluded.sealed_at`,
);

/** Values: the id of the key that is current. */
const HEADS_OF_OTHER_KEYS = statement<HeadRow>(
  'audit_heads_of_other_keys',
  `SELECT ${COLUMNS} FROM audit_head WHERE key_id <> $1::text ORDER BY organization_id`,
  { overAllPractices: 'heads are signed anew under another master key' },
);
/** Values: organization, the MAC that is replaced, lost position, key, MAC. */
const RENEW_HEAD = statement<never>(
  'audit_renew_head',
  `UPDATE audit_head SET lost_position = $3::bigint, key_id = $4::text, mac = $5::bytea WHERE organization_id = $1::int AND mac = $2::bytea`,
);

const ROLL = statement<{ organizations: number[]; keyId: string; mac: Uint8Array }>(
  'audit_roll',
  'SELECT organizations, key_id AS "keyId", mac FROM audit_roll',
);
/** Makes the others wait that add a practice; the row may be missing. */
const LOCK_ROLL = statement<never>('audit_lock_roll', 'SELECT 1 AS locked FROM pg_advisory_xact_lock(7410259)');
/** Values: organizations, key, MAC. */
const KEEP_ROLL = statement<never>(
  'audit_keep_roll',
  `INSERT INTO audit_roll (organizations, key_id, mac) VALUES ($1::int[], $2::text, $3::bytea)
   ON CONFLICT (id) DO UPDATE SET organizations = excluded.organizations, key_id = excluded.key_id, mac = excluded.mac`,
);
const ANY_HEAD = statement<{ found: boolean }>('audit_any_head', 'SELECT true AS found FROM audit_head LIMIT 1', {
  overAllPractices: 'a start asks whether anything was sealed',
});

/**
 * The head that the sealer left for a practice. One of a lost master key counts as it is found: what was altered is not known then.
 * @returns null where it never left one
 * @throws AuditChainError where it was altered, is another practice's, or was deleted; KeyringError without its master key
 */
export async function readHead(prepared: Prepared, keyring: Keyring, organizationId: number): Promise<KeptHead | null> {
  const [row] = await prepared.rows(HEAD, [organizationId]);
  if (row) {
    const head = openHead(keyring, row);
    if (!head) throw new AuditChainError('the head of the chain was edited or belongs to another practice');
    return head;
  }
  if ((await readRoll(prepared, keyring)).includes(organizationId))
    throw new AuditChainError('the head of the chain is missing: it was deleted');
  return null;
}

/** @returns null where it was altered */
function openHead(keyring: Keyring, row: HeadRow): KeptHead | null {
  const head = toHead(row);
  if (!isMac(keyring, HEAD_PURPOSE, toText(head), row)) return null;
  return keyring.isLost(row.keyId) ? { ...head, lostPosition: head.position } : head;
}

function toHead({ organizationId, position, auditEntryId, transactionId, hash, events, lostPosition }: HeadRow): KeptHead {
  const ids = { position: BigInt(position), auditEntryId: BigInt(auditEntryId), transactionId: BigInt(transactionId) };
  return { organizationId, ...ids, hash: Buffer.from(hash), events: BigInt(events), lostPosition: BigInt(lostPosition) };
}

/** A head, or the list of the heads, with the key and the MAC that it has. */
export interface FoundSeal {
  keyId: string;
  holds(keyring: Keyring): boolean;
}

/** The newest seals of each master key: the head that was kept last, and the list of heads. */
export async function newestSeals(prepared: Prepared): Promise<FoundSeal[]> {
  const heads = await prepared.rows(HEAD_OF_EACH_KEY, []);
  const rolls = await prepared.rows(ROLL, []);
  return [
    ...heads.map((row) => ({ keyId: row.keyId, holds: (keyring: Keyring) => isMac(keyring, HEAD_PURPOSE, toText(toHead(row)), row) })),
    ...rolls.map((row) => ({
      keyId: row.keyId,
      holds: (keyring: Keyring) => isMac(keyring, ROLL_PURPOSE, JSON.stringify(row.organizations), row),
    })),
  ];
}

/** Keeps the head that a sealer leaves, and at first enters the practice in the roll. @throws AuditChainError as readHead */
export async function keepHead(prepared: Prepared, keyring: Keyring, head: KeptHead, { isFirst }: { isFirst: boolean }): Promise<void> {
  const { organizationId, position, auditEntryId, transactionId, hash, events, lostPosition } = head;
  const mac = keyring.mac(HEAD_PURPOSE, toText(head));
  await prepared.rows(KEEP_HEAD, [
    ...[organizationId, String(position), String(auditEntryId), String(transactionId)],
    ...[hash, String(events), String(lostPosition), keyring.currentId, mac],
  ]);
  if (isFirst) await enterInRoll(prepared, keyring, organizationId);
}

async function enterInRoll(prepared: Prepared, keyring: Keyring, organizationId: number): Promise<void> {
  await prepared.rows(LOCK_ROLL, []);
  const [kept] = await prepared.rows(ROLL, []);
  const organizations = kept ? await readRoll(prepared, keyring) : [];
  if (!organizations.includes(organizationId)) await keepRoll(prepared, keyring, [...organizations, organizationId]);
}

async function keepRoll(prepared: Prepared, keyring: Keyring, organizations: readonly number[]): Promise<void> {
  await prepared.rows(KEEP_ROLL, [organizations, keyring.currentId, keyring.mac(ROLL_PURPOSE, JSON.stringify(organizations))]);
}

/** The practices that have a head. @throws AuditChainError where the list was edited, or deleted while there are heads */
async function readRoll(prepared: Prepared, keyring: Keyring): Promise<number[]> {
  const [roll] = await prepared.rows(ROLL, []);
  if (!roll) {
    if ((await prepared.rows(ANY_HEAD, [])).length > 0) throw new AuditChainError('the list of chain heads was deleted');
    return [];
  }
  if (!isMac(keyring, ROLL_PURPOSE, JSON.stringify(roll.organizations), roll))
    throw new AuditChainError('the list of chain heads was edited');
  return roll.organizations;
}

/**
 * Puts the heads and their list under the current master key, so that the sealer needs no older one. What does not hold is left as
 * it is, for verify to name.
 */
export async function renewHeads(prepared: Prepared, keyring: Keyring): Promise<void> {
  for (const row of await prepared.rows(HEADS_OF_OTHER_KEYS, [keyring.currentId])) {
    const head = canCheck(keyring, row) ? openHead(keyring, row) : null;
    if (!head) continue;
    // A head that the sealer moved meanwhile is under the current key already.
    await prepared.rows(RENEW_HEAD, [
      ...[row.organizationId, row.mac, String(head.lostPosition), keyring.currentId],
      keyring.mac(HEAD_PURPOSE, toText(head)),
    ]);
  }
  await prepared.rows(LOCK_ROLL, []);
  const [roll] = await prepared.rows(ROLL, []);
  if (roll && roll.keyId !== keyring.currentId && canCheck(keyring, roll))
    await keepRoll(prepared, keyring, await readRoll(prepared, keyring));
}

const toText = ({ organizationId, position, auditEntryId, transactionId, hash, events, lostPosition }: KeptHead): string =>
  JSON.stringify([organizationId, ...[position, auditEntryId, transactionId, events, lostPosition].map(String), hash.toString('hex')]);

/** Whether the key of a MAC is there, or is known to be lost. */
export const canCheck = (keyring: Keyring, { keyId }: { keyId: string }): boolean => keyring.ids.includes(keyId) || keyring.isLost(keyId);

/** Whether a row of the audit has its MAC; one of a lost master key counts as it is found. @throws KeyringError without the master key */
export function isMac(keyring: Keyring, purpose: string, text: string, { keyId, mac }: { keyId: string; mac: Uint8Array }): boolean {
  if (keyring.isLost(keyId)) return true;
  const expected = keyring.mac(purpose, text, keyId);
  return mac.length === expected.length && timingSafeEqual(expected, mac);
}

/** The reason why a head cannot be used; other errors are thrown. */
export function describeChainError(error: unknown): string {
  if (error instanceof AuditChainError) return error.message;
  if (error instanceof KeyringError) return `the head of the chain cannot be checked: ${error.message}`;
  throw error;
}
