import type { Db } from '../../database/database.ts';
import { type Keyring, KeyringError } from '../../database/keyring.ts';
import { type Prepared, preparedIn, statement } from '../../database/statement.ts';

const PURPOSE = 'audit-chain';
const FIRST = Buffer.alloc(32);
/** Entries per statement when sealing or verifying. */
const BATCH = 2_000;

/** The newest link of a chain. A copy outside of the database proves that no entries were cut off. */
export interface ChainHead {
  position: bigint;
  /** In base64url. */
  hash: string;
}

/** The key of an audit row in the order of the log. */
interface EntryKey {
  transactionId: bigint;
  auditEntryId: bigint;
}

const START: EntryKey = { transactionId: 0n, auditEntryId: 0n };

/**
 * An audit row in the form that is hashed: the database formats its instant and its numbers, and its ids, of which a list may
 * have thousands, as JSON.
 */
interface Entry {
  organizationId: number;
  id: string;
  transactionId: string;
  at: string;
  actor: string;
  action: string;
  resource: string;
  resourceIds: string;
  patientIds: string | null;
  operation: string;
  requestId: string | null;
  address: string | null;
  detail: string | null;
}

/** Values: organization, the transaction and entry after which to begin, whether to return only completed transactions, limit. */
const ENTRIES_AFTER = statement<Entry>(
  'audit_entries_after',
  `SELECT organization_id AS "organizationId", id::text, transaction_id::text AS "transactionId",
          to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at, actor, action, resource,
          array_to_json(resource_ids)::text AS "resourceIds", array_to_json(patient_ids)::text AS "patientIds", operation,
          request_id AS "requestId", address, detail
     FROM audit_entry e
    WHERE organization_id = $1::int AND (e.transaction_id, e.id) > ($2::bigint, $3::bigint)
      AND (NOT $4::boolean OR e.transaction_id < (SELECT log_horizon()))
    ORDER BY e.transaction_id, e.id
    LIMIT $5::int`,
);

const NEWEST_LINK = statement<{ position: string; transactionId: string; auditEntryId: string; hash: Buffer }>(
  'audit_newest_link',
  `SELECT position::text, transaction_id::text AS "transactionId", audit_entry_id::text AS "auditEntryId", hash
     FROM audit_link l WHERE organization_id = $1::int ORDER BY l.position DESC LIMIT 1`,
);

/** Values: organization, key, and the links as arrays: position, entry, transaction, hash in hexadecimal. */
const ADD_LINKS = statement<never>(
  'audit_add_links',
  `INSERT INTO audit_link (organization_id, position, audit_entry_id, transaction_id, key_id, hash)
   SELECT $1::int, l.position, l.entry, l.transaction, $2::text, decode(l.hash, 'hex')
     FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::text[]) AS l (position, entry, transaction, hash)`,
);

/** Organizations with unsealed entries: two index lookups each, however long the log is. */
export async function organizationsToSeal(db: Db): Promise<number[]> {
  const rows = await db.$queryRaw<{ id: number }[]>`
    SELECT o.id
      FROM organization o
      LEFT JOIN LATERAL (
        SELECT transaction_id, audit_entry_id FROM audit_link WHERE organization_id = o.id ORDER BY position DESC LIMIT 1
      ) AS head ON true
     CROSS JOIN LATERAL (
        SELECT 1 FROM audit_entry
         WHERE organization_id = o.id
           AND (transaction_id, id) > (coalesce(head.transaction_id, 0), coalesce(head.audit_entry_id, 0))
           AND transaction_id < log_horizon()
         ORDER BY transaction_id, id
         LIMIT 1
      ) AS unsealed`;
  return rows.map(({ id }) => id);
}

/**
 * Seals a batch of unsealed audit entries of one organization: each gets a link, whose hash covers the entry and the previous
 * link under a key that the database does not have. Only entries of transactions older than every running one are sealed, in
 * their order, so that a late commit is never skipped. The caller holds the lock of the chain.
 * @returns the new head, or null when there was nothing to seal
 */
export async function sealOrganization(tx: Prepared, keyring: Keyring, organizationId: number): Promise<ChainHead | null> {
  const [head] = await tx.rows(NEWEST_LINK, [organizationId]);
  const after = [head?.transactionId ?? '0', head?.auditEntryId ?? '0'];
  const entries = await tx.rows(ENTRIES_AFTER, [organizationId, ...after, true, BATCH]);
  if (entries.length === 0) return null;
  let hash = head?.hash ?? FIRST;
  let position = BigInt(head?.position ?? 0);
  const positions: string[] = [];
  const hashes: string[] = [];
  for (const entry of entries) {
    position += 1n;
    hash = linkHash(keyring, keyring.currentId, hash, position, entry);
    positions.push(String(position));
    hashes.push(hash.toString('hex'));
  }
  const ids = entries.map(({ id }) => id);
  const transactions = entries.map(({ transactionId }) => transactionId);
  await tx.rows(ADD_LINKS, [organizationId, keyring.currentId, positions, ids, transactions, hashes]);
  return { position, hash: hash.toString('base64url') };
}

/** Result of verifying a chain. */
export interface ChainReport {
  organizationId: number;
  /** Valid links. */
  links: number;
  /** Entries newer than the last link, to be sealed next. */
  unsealed: number;
  /** The newest link, where all are valid: the head to expect next time. */
  head: ChainHead | null;
  /** The first invalid place of the chain. */
  broken: { position: bigint; auditEntryId: bigint; what: string } | null;
}

/**
 * Verifies the chain of an organization from its start, and names the first place where an entry or its link was edited,
 * deleted, moved or inserted.
 *
 * The rows alone cannot tell that the newest links were cut off together with their entries, nor that entries which
 * were not sealed yet (the last seconds) are gone. So every new head is also written to the server's log: keep that
 * elsewhere, and give a head of it here.
 * @param expected a head that the chain once had: its position and hash must still be there
 */
export async function verifyChain(db: Db, keyring: Keyring, organizationId: number, expected?: ChainHead): Promise<ChainReport> {
  const entriesOf = preparedIn(db);
  const walk: Walk = { position: 0n, hash: FIRST, last: START };
  for (;;) {
    const links = await db.auditLink.findMany({
      where: { organizationId, position: { gt: walk.position } },
      orderBy: { position: 'asc' },
      take: BATCH,
    });
    if (links.length === 0) break;
    const { transactionId, auditEntryId } = walk.last;
    const entries = await entriesOf.rows(ENTRIES_AFTER, [organizationId, transactionId, auditEntryId, false, links.length]);
    for (const [index, link] of links.entries()) {
      const entry = entries[index];
      const what = flaw(keyring, walk, link, entry) ?? unexpected(link, expected);
      if (what) return broken(organizationId, walk, entry ? BigInt(entry.id) : link.auditEntryId, what);
      walk.position = link.position;
      walk.hash = Buffer.from(link.hash);
      walk.last = link;
    }
  }
  if (expected && expected.position > walk.position) {
    const what = `the chain ends before link ${expected.position}, which is expected: its newest links were cut off`;
    return broken(organizationId, walk, walk.last.auditEntryId, what);
  }
  const unsealed = await countAfter(db, organizationId, walk.last);
  const head = walk.position === 0n ? null : { position: walk.position, hash: walk.hash.toString('base64url') };
  return { organizationId, links: Number(walk.position), unsealed, head, broken: null };
}

/** Position of the verification, and the hash there. */
interface Walk {
  position: bigint;
  hash: Buffer;
  last: EntryKey;
}

function broken(organizationId: number, { position }: Walk, auditEntryId: bigint, what: string): ChainReport {
  return { organizationId, links: Number(position), unsealed: 0, head: null, broken: { position: position + 1n, auditEntryId, what } };
}

type Link = EntryKey & { position: bigint; keyId: string; hash: Uint8Array };

/** The problem of a link, compared with the entry at its position in the order of the log; null where it is valid. */
function flaw(keyring: Keyring, walk: Walk, link: Link, entry: Entry | undefined): string | null {
  const position = walk.position + 1n;
  if (link.position !== position) return `link ${position} is missing: it was deleted or moved`;
  if (!entry || follows(entry, link)) return `audit entry ${link.auditEntryId} is missing: it was deleted or moved`;
  if (BigInt(entry.id) !== link.auditEntryId) return `audit entry ${entry.id} has no link: it was slipped in or moved`;
  try {
    const hash = linkHash(keyring, link.keyId, walk.hash, position, entry);
    const same = hash.equals(link.hash) && BigInt(entry.transactionId) === link.transactionId;
    return same ? null : `audit entry ${entry.id} or its link was edited or moved`;
  } catch (error) {
    if (error instanceof KeyringError) return `link ${position} cannot be checked: ${error.message}`;
    throw error;
  }
}

function unexpected(link: Link, expected: ChainHead | undefined): string | null {
  if (link.position !== expected?.position || expected.hash === Buffer.from(link.hash).toString('base64url')) return null;
  return `link ${link.position} is not the one that is expected: the chain was made anew`;
}

function follows(entry: Entry, previous: EntryKey): boolean {
  const transaction = BigInt(entry.transactionId);
  return transaction === previous.transactionId ? BigInt(entry.id) > previous.auditEntryId : transaction > previous.transactionId;
}

async function countAfter(db: Db, organizationId: number, after: EntryKey): Promise<number> {
  const [counted] = await db.$queryRaw<{ entries: number }[]>`
    SELECT count(*) AS entries FROM audit_entry
     WHERE organization_id = ${organizationId}
       AND (transaction_id, id) > (${after.transactionId}::bigint, ${after.auditEntryId}::bigint)`;
  return counted?.entries ?? 0;
}

/**
 * The hashed text: every column of the entry in one format, and its position. Patient ids were added later than the first links,
 * and are included only where there are some.
 */
function linkHash(keyring: Keyring, keyId: string, previous: Buffer, position: bigint, entry: Entry): Buffer {
  const { organizationId, id, transactionId, at, actor, action, resource, resourceIds, patientIds, operation, requestId, address, detail } =
    entry;
  const before = JSON.stringify([organizationId, id, transactionId, at, actor, action, resource]);
  const after = JSON.stringify([operation, requestId, address, detail]);
  const charts = patientIds === null ? '' : `,${patientIds}`;
  const columns = `${before.slice(0, -1)},${resourceIds},${after.slice(1, -1)}${charts}]`;
  return keyring.mac(PURPOSE, Buffer.concat([previous, Buffer.from(`${position} ${columns}`)]), keyId);
}
