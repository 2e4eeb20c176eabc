import type { Db } from '../../database/database.ts';
import { type Keyring, KeyringError } from '../../database/keyring.ts';
import { type Prepared, preparedIn, statement } from '../../database/statement.ts';
import { EVENTS_BETWEEN, type KeptHead, readHead, reasonOf } from './chain-heads.ts';
import { BATCH, type ChainHead, ENTRIES_AFTER, type Entry, type EntryKey, FIRST, linkHash, START } from './chain-links.ts';

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

/** Values: organization, the transaction after which to begin. */
const EVENT_WITHOUT_ENTRY = statement<{ id: string; name: string }>(
  'audit_event_without_entry',
  `SELECT e.id::text, e.name FROM event e
    WHERE e.organization_id = $1::int AND e.transaction_id > $2::bigint
      AND NOT EXISTS (SELECT FROM audit_entry a WHERE a.organization_id = $1::int AND a.transaction_id = e.transaction_id)
    ORDER BY e.transaction_id, e.id LIMIT 1`,
);

/** Position of the verification, and the hash there. */
interface Walk {
  position: bigint;
  hash: Buffer;
  last: EntryKey;
  /** Whether a link was made since heads are kept. */
  hadHead: boolean;
}

/**
 * Verifies the chain of an organization from its start, and names the first place where an entry or its link was edited,
 * deleted, moved or inserted; where the chain does not reach the head that its sealer kept; and where an event has no entry: every
 * change writes both in one transaction.
 *
 * Rows that were replaced by an older state of all of them, heads included, look whole. Copies outside of the database tell: the
 * server's log has every head, and anchors have them signed (anchors.ts).
 * @param expected heads that the chain once had: their positions and hashes must still be there
 */
export async function verifyChain(
  db: Db,
  keyring: Keyring,
  organizationId: number,
  expected: readonly ChainHead[] = [],
): Promise<ChainReport> {
  const prepared = preparedIn(db);
  const walk: Walk = { position: 0n, hash: FIRST, last: START, hadHead: false };
  const broken = (what: string, auditEntryId = walk.last.auditEntryId): ChainReport => ({
    ...{ organizationId, links: Number(walk.position), unsealed: 0, head: null },
    broken: { position: walk.position + 1n, auditEntryId, what },
  });
  // Read before the links and again after them: the sealer goes on meanwhile, and never takes a link back.
  const before = await findHead(prepared, keyring, organizationId);
  const wanted = [...expected, ...(before.head ? [asChainHead(before.head)] : [])];
  const flawed = await walkLinks(db, keyring, organizationId, walk, wanted);
  if (flawed) return broken(flawed.what, flawed.auditEntryId);
  const unreached = wanted
    .filter(({ position }) => position > walk.position)
    .sort((one, other) => Number(one.position - other.position))[0];
  if (unreached) return broken(`the chain ends before link ${unreached.position}, which is expected: its newest links were cut off`);
  const after = await findHead(prepared, keyring, organizationId);
  const flaw =
    before.flaw ?? after.flaw ?? flawOfHead(walk, after.head) ?? (await flawOfEvents(prepared, keyring, organizationId, after.head));
  if (flaw !== null) return broken(flaw);
  const unsealed = await countAfter(db, organizationId, walk.last);
  const head = walk.position === 0n ? null : { position: walk.position, hash: walk.hash.toString('base64url') };
  return { organizationId, links: Number(walk.position), unsealed, head, broken: null };
}

const asChainHead = ({ position, hash }: KeptHead): ChainHead => ({ position, hash: hash.toString('base64url') });

async function findHead(prepared: Prepared, keyring: Keyring, organizationId: number) {
  try {
    return { head: await readHead(prepared, keyring, organizationId), flaw: null };
  } catch (error) {
    return { head: null, flaw: reasonOf(error) };
  }
}

/** Walks over all links. @returns the first that is invalid, or another than is expected there */
async function walkLinks(db: Db, keyring: Keyring, organizationId: number, walk: Walk, expected: readonly ChainHead[]) {
  const hashes = new Map(expected.map(({ position }) => [position, new Set<string>()]));
  for (const { position, hash } of expected) hashes.get(position)?.add(hash);
  const entriesOf = preparedIn(db);
  for (;;) {
    const links = await db.auditLink.findMany({
      where: { organizationId, position: { gt: walk.position } },
      orderBy: { position: 'asc' },
      take: BATCH,
    });
    if (links.length === 0) return null;
    const { transactionId, auditEntryId } = walk.last;
    const entries = await entriesOf.rows(ENTRIES_AFTER, [organizationId, transactionId, auditEntryId, false, links.length]);
    for (const [index, link] of links.entries()) {
      const entry = entries[index];
      const what = flawOfLink(keyring, walk, link, entry) ?? unexpected(link, hashes.get(link.position));
      if (what) return { what, auditEntryId: entry ? BigInt(entry.id) : link.auditEntryId };
      walk.position = link.position;
      walk.hash = Buffer.from(link.hash);
      walk.last = link;
      walk.hadHead ||= link.form !== 1;
    }
  }
}

type Link = EntryKey & { position: bigint; keyId: string; form: number; hash: Uint8Array };

/** The problem of a link, compared with the entry at its position in the order of the log; null where it is valid. */
function flawOfLink(keyring: Keyring, walk: Walk, link: Link, entry: Entry | undefined): string | null {
  const position = walk.position + 1n;
  if (link.position !== position) return `link ${position} is missing: it was deleted or moved`;
  if (!entry || follows(entry, link)) return `audit entry ${link.auditEntryId} is missing: it was deleted or moved`;
  if (BigInt(entry.id) !== link.auditEntryId) return `audit entry ${entry.id} has no link: it was slipped in or moved`;
  try {
    const hash = linkHash(keyring, { keyId: link.keyId, form: link.form, previous: walk.hash, position }, entry);
    const same = hash.equals(link.hash) && BigInt(entry.transactionId) === link.transactionId;
    return same ? null : `audit entry ${entry.id} or its link was edited or moved`;
  } catch (error) {
    if (error instanceof KeyringError) return `link ${position} cannot be checked: ${error.message}`;
    throw error;
  }
}

/** @param expected hashes of this link, from wherever a head was kept */
function unexpected(link: Link, expected: ReadonlySet<string> | undefined): string | null {
  if (!expected || (expected.size === 1 && expected.has(Buffer.from(link.hash).toString('base64url')))) return null;
  return `link ${link.position} is not the one that is expected: the chain was made anew`;
}

/** The head that is kept after all links were walked over: the newest link, or a later one. */
function flawOfHead(walk: Walk, head: KeptHead | null): string | null {
  if (head && head.position < walk.position) return `the kept head is link ${head.position}: an older one replaced it`;
  return !head && walk.hadHead ? 'the head of the chain is missing: it was deleted' : null;
}

/**
 * The head counts the events up to it, without those that were deleted by age; every later one has an entry of its transaction. Where
 * the count differs, a deletion may have come between: a later head is looked at then.
 */
async function flawOfEvents(prepared: Prepared, keyring: Keyring, organizationId: number, head: KeptHead | null): Promise<string | null> {
  const last = String(head?.transactionId ?? 0n);
  const [counted] = await prepared.rows(EVENTS_BETWEEN, [organizationId, '0', last]);
  const events = BigInt(counted?.events ?? 0);
  if (head && events !== head.events) {
    const { head: later, flaw } = await findHead(prepared, keyring, organizationId);
    if (flaw !== null) return flaw;
    if (later && later.events !== head.events) return flawOfEvents(prepared, keyring, organizationId, later);
    return `${head.events} events belong to the sealed entries, and there are ${events}`;
  }
  const [orphan] = await prepared.rows(EVENT_WITHOUT_ENTRY, [organizationId, last]);
  return orphan ? `event ${orphan.id} (${orphan.name}) has no audit entry: entries that were not sealed yet are missing` : null;
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
