import type { Db } from '../database.ts';
import type { AuditEntry } from '../generated/prisma/client.ts';
import type { Keyring } from '../keyring.ts';

const PURPOSE = 'audit-chain';
const FIRST = Buffer.alloc(32);
/** Entries read, or checked, at a time. */
const BATCH = 2_000;

/**
 * Seals the audit entries of one organization that are not sealed yet: each gets a link, whose hash covers the entry and
 * the link before it under a key that the database does not know. Only entries below the oldest running transaction are
 * taken, in its order, so that a late commit is never passed over. The caller holds the lock of the chain.
 * @returns how many were sealed
 */
export async function sealOrganization(tx: Db, keyring: Keyring, organizationId: number): Promise<number> {
  const head = await tx.auditLink.findFirst({ where: { organizationId }, orderBy: { position: 'desc' } });
  const entries = await tx.$queryRaw<{ id: bigint }[]>`
    SELECT id FROM audit_entry
     WHERE organization_id = ${organizationId}
       AND (transaction_id, id) > (${head?.transactionId ?? 0n}, ${head?.auditEntryId ?? 0n})
       AND transaction_id < (pg_snapshot_xmin(pg_current_snapshot())::text)::bigint
     ORDER BY transaction_id, id
     LIMIT ${BATCH}`;
  if (entries.length === 0) return 0;
  const rows = await tx.auditEntry.findMany({ where: { organizationId, id: { in: entries.map(({ id }) => id) } } });
  const byId = new Map(rows.map((row) => [row.id, row]));
  let previous: Buffer = head ? Buffer.from(head.hash) : FIRST;
  let position = head?.position ?? 0n;
  const links = entries.flatMap(({ id }) => {
    const entry = byId.get(id);
    if (!entry) return [];
    position += 1n;
    previous = linkHash(keyring, keyring.currentId, previous, position, entry);
    return [{ organizationId, position, auditEntryId: id, transactionId: entry.transactionId, keyId: keyring.currentId, hash: new Uint8Array(previous) }];
  });
  await tx.auditLink.createMany({ data: links });
  return links.length;
}

/** What a walk of a chain found. */
export interface ChainReport {
  organizationId: number;
  /** Links that hold. */
  links: number;
  /** Entries younger than the last link, which the next seal will take. */
  unsealed: number;
  /** The first place where the chain does not hold. */
  broken: { position: bigint; auditEntryId: bigint; what: string } | null;
}

/** Walks the chain of an organization from its start, and names the first link that was edited, deleted or moved. */
export async function verifyChain(db: Db, keyring: Keyring, organizationId: number): Promise<ChainReport> {
  let previous: Buffer = FIRST;
  let position = 0n;
  let last: { transactionId: bigint; auditEntryId: bigint } = { transactionId: 0n, auditEntryId: 0n };
  for (;;) {
    const links = await db.auditLink.findMany({ where: { organizationId, position: { gt: position } }, orderBy: { position: 'asc' }, take: BATCH });
    if (links.length === 0) break;
    const entries = await db.auditEntry.findMany({ where: { organizationId, id: { in: links.map((link) => link.auditEntryId) } } });
    const byId = new Map(entries.map((entry) => [entry.id, entry]));
    for (const link of links) {
      const entry = byId.get(link.auditEntryId);
      const what = flaw(keyring, previous, position, link, entry);
      if (what) return { organizationId, links: Number(position), unsealed: 0, broken: { position: position + 1n, auditEntryId: link.auditEntryId, what } };
      previous = Buffer.from(link.hash);
      position = link.position;
      last = link;
    }
  }
  return finish(db, organizationId, position, last);
}

type Link = { position: bigint; auditEntryId: bigint; keyId: string; hash: Uint8Array };

function flaw(keyring: Keyring, previous: Buffer, position: bigint, link: Link, entry: AuditEntry | undefined): string | null {
  if (link.position !== position + 1n) return `link ${position + 1n} is missing: it was deleted or moved`;
  if (!entry) return `audit entry ${link.auditEntryId} is missing: it was deleted or moved`;
  const expected = linkHash(keyring, link.keyId, previous, link.position, entry);
  return expected.equals(link.hash) ? null : `audit entry ${link.auditEntryId} or its link was edited or moved`;
}

/** Entries that should have been sealed before the last link were slipped in later, or their links cut off. */
async function finish(db: Db, organizationId: number, position: bigint, last: { transactionId: bigint; auditEntryId: bigint }): Promise<ChainReport> {
  const [counts] = await db.$queryRaw<{ all: bigint; young: bigint }[]>`
    SELECT count(*) AS all, count(*) FILTER (WHERE (transaction_id, id) > (${last.transactionId}, ${last.auditEntryId})) AS young
      FROM audit_entry WHERE organization_id = ${organizationId}`;
  const young = counts?.young ?? 0n;
  const slipped = (counts?.all ?? 0n) - young - position;
  const broken = slipped === 0n ? null : { position, auditEntryId: last.auditEntryId, what: `${slipped} audit entries stand before the last link without a link of their own` };
  return { organizationId, links: Number(position), unsealed: Number(young), broken };
}

/** Over every column of the entry, in one spelling, and where it stands. */
function linkHash(keyring: Keyring, keyId: string, previous: Buffer, position: bigint, entry: AuditEntry): Buffer {
  const { organizationId, id, transactionId, at, actor, action, resource, resourceIds, operation, requestId, address, detail } = entry;
  const columns = [organizationId, String(id), String(transactionId), at.toISOString(), actor, action, resource, resourceIds, operation, requestId, address, detail];
  return keyring.mac(PURPOSE, Buffer.concat([previous, Buffer.from(`${position} ${JSON.stringify(columns)}`)]), keyId);
}
