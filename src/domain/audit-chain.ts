import type { Db } from '../database.ts';
import type { AuditEntry } from '../generated/prisma/client.ts';
import { type Keyring, KeyringError } from '../keyring.ts';

const PURPOSE = 'audit-chain';
const FIRST = Buffer.alloc(32);
/** Entries sealed, or checked, at a time. */
const BATCH = 2_000;

/** The newest link of a chain. Written down where the database cannot reach, it proves that nothing was cut off. */
export interface ChainHead {
  position: bigint;
  /** In base64url. */
  hash: string;
}

/** A link in the order of the log. */
interface Place {
  transactionId: bigint;
  auditEntryId: bigint;
}

const START: Place = { transactionId: 0n, auditEntryId: 0n };

/** A row of the audit. Its ids, of which a list may have thousands, are only written out again: as JSON, in one text. */
type Entry = Omit<AuditEntry, 'resourceIds' | 'patientIds'> & { resourceIds: string; patientIds: string | null };

/** The organizations that have entries to be sealed: two steps down an index for each, however long its log is. */
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
 * Seals the audit entries of one organization that are not sealed yet, some at a time: each gets a link, whose hash covers
 * the entry and the link before it under a key that the database does not know. Only entries of transactions before which
 * nothing runs any more are taken, in their order, so that a late commit is never passed over. The caller holds the lock
 * of the chain.
 * @returns the new head, or null when there was nothing to seal
 */
export async function sealOrganization(tx: Db, keyring: Keyring, organizationId: number): Promise<ChainHead | null> {
  const head = await tx.auditLink.findFirst({ where: { organizationId }, orderBy: { position: 'desc' } });
  const entries = await entriesAfter(tx, organizationId, head ?? START, { most: BATCH, complete: true });
  let previous: Buffer = head ? Buffer.from(head.hash) : FIRST;
  let position = head?.position ?? 0n;
  const links = entries.map((entry) => {
    position += 1n;
    previous = linkHash(keyring, keyring.currentId, previous, position, entry);
    const { id: auditEntryId, transactionId } = entry;
    return {
      position: String(position),
      entry: String(auditEntryId),
      transaction: String(transactionId),
      hash: previous.toString('hex'),
    };
  });
  if (links.length === 0) return null;
  // One parameter for all: a busy server seals thousands at a time, and Prisma would compile each value of a createMany.
  await tx.$executeRaw`
    INSERT INTO audit_link (organization_id, position, audit_entry_id, transaction_id, key_id, hash)
    SELECT ${organizationId}::int, l.position, l.entry, l.transaction, ${keyring.currentId}::text, decode(l.hash, 'hex')
      FROM jsonb_to_recordset(${JSON.stringify(links)}::jsonb) AS l (position bigint, entry bigint, transaction bigint, hash text)`;
  return { position, hash: previous.toString('base64url') };
}

/** What a walk of a chain found. */
export interface ChainReport {
  organizationId: number;
  /** Links that hold. */
  links: number;
  /** Entries younger than the last link, which the next seal will take. */
  unsealed: number;
  /** The newest link, where all hold: what to expect next time. */
  head: ChainHead | null;
  /** The first place where the chain does not hold. */
  broken: { position: bigint; auditEntryId: bigint; what: string } | null;
}

/**
 * Walks the chain of an organization from its start, and names the first place where an entry or its link was edited,
 * deleted, moved or slipped in.
 *
 * The rows alone cannot tell that the newest links were cut off together with their entries, nor that entries which
 * were not sealed yet (the last seconds) are gone. So every new head is also written to the server's log: keep that
 * elsewhere, and give a head of it here.
 * @param expected a head that the chain once had: its position and hash must still be there
 */
export async function verifyChain(db: Db, keyring: Keyring, organizationId: number, expected?: ChainHead): Promise<ChainReport> {
  const walk: Walk = { position: 0n, hash: FIRST, last: START };
  for (;;) {
    const links = await db.auditLink.findMany({
      where: { organizationId, position: { gt: walk.position } },
      orderBy: { position: 'asc' },
      take: BATCH,
    });
    if (links.length === 0) break;
    const entries = await entriesAfter(db, organizationId, walk.last, { most: links.length });
    for (const [index, link] of links.entries()) {
      const entry = entries[index];
      const what = flaw(keyring, walk, link, entry) ?? unexpected(link, expected);
      if (what) return broken(organizationId, walk, entry?.id ?? link.auditEntryId, what);
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

/** How far a walk has come, and the hash there. */
interface Walk {
  position: bigint;
  hash: Buffer;
  last: Place;
}

function broken(organizationId: number, { position }: Walk, auditEntryId: bigint, what: string): ChainReport {
  return { organizationId, links: Number(position), unsealed: 0, head: null, broken: { position: position + 1n, auditEntryId, what } };
}

type Link = Place & { position: bigint; keyId: string; hash: Uint8Array };

/** What is wrong with a link, held against the entry that stands at its place in the order of the log. */
function flaw(keyring: Keyring, walk: Walk, link: Link, entry: Entry | undefined): string | null {
  const position = walk.position + 1n;
  if (link.position !== position) return `link ${position} is missing: it was deleted or moved`;
  if (!entry || follows(entry, link)) return `audit entry ${link.auditEntryId} is missing: it was deleted or moved`;
  if (entry.id !== link.auditEntryId) return `audit entry ${entry.id} has no link: it was slipped in or moved`;
  try {
    const hash = linkHash(keyring, link.keyId, walk.hash, position, entry);
    const same = hash.equals(link.hash) && entry.transactionId === link.transactionId;
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

function follows(entry: Entry, place: Place): boolean {
  return entry.transactionId === place.transactionId ? entry.id > place.auditEntryId : entry.transactionId > place.transactionId;
}

/**
 * The next entries after a place in the order of the log.
 * @param options.complete only entries before which nothing can be added any more
 */
function entriesAfter(db: Db, organizationId: number, after: Place, { most, complete = false }: { most: number; complete?: boolean }) {
  return db.$queryRaw<Entry[]>`
    SELECT organization_id AS "organizationId", id, transaction_id AS "transactionId", at, actor, action, resource,
           array_to_json(resource_ids)::text AS "resourceIds", array_to_json(patient_ids)::text AS "patientIds", operation,
           request_id AS "requestId", address, detail
      FROM audit_entry
     WHERE organization_id = ${organizationId}
       AND (transaction_id, id) > (${after.transactionId}::bigint, ${after.auditEntryId}::bigint)
       AND (${!complete} OR transaction_id < (SELECT log_horizon()))
     ORDER BY transaction_id, id
     LIMIT ${most}`;
}

async function countAfter(db: Db, organizationId: number, after: Place): Promise<number> {
  const [counted] = await db.$queryRaw<{ entries: bigint }[]>`
    SELECT count(*) AS entries FROM audit_entry
     WHERE organization_id = ${organizationId}
       AND (transaction_id, id) > (${after.transactionId}::bigint, ${after.auditEntryId}::bigint)`;
  return Number(counted?.entries ?? 0n);
}

/**
 * Over every column of the entry, in one spelling, and where it stands. Charts that records of another kind show came later
 * than the first links, and stand there only where there are some.
 */
function linkHash(keyring: Keyring, keyId: string, previous: Buffer, position: bigint, entry: Entry): Buffer {
  const { organizationId, id, transactionId, at, actor, action, resource, resourceIds, patientIds, operation, requestId, address, detail } =
    entry;
  const before = JSON.stringify([organizationId, String(id), String(transactionId), at.toISOString(), actor, action, resource]);
  const after = JSON.stringify([operation, requestId, address, detail]);
  const charts = patientIds === null ? '' : `,${patientIds}`;
  const columns = `${before.slice(0, -1)},${resourceIds},${after.slice(1, -1)}${charts}]`;
  return keyring.mac(PURPOSE, Buffer.concat([previous, Buffer.from(`${position} ${columns}`)]), keyId);
}
