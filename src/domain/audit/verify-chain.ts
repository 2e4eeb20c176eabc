import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/keyring.ts';
import { preparedIn } from '../../database/statement.ts';
import type { KeptHead } from './chain-heads.ts';
import { type ChainHead, type EntryKey, FIRST, START } from './chain-links.ts';
import { type Link, walkChain } from './chain-walk.ts';
import { flawOfEvents, headOrFlaw } from './event-count.ts';
import { createCover, type Explanation, readExplanations } from './explanations.ts';

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
  broken: Flaw | null;
  /** Stretches that were sealed under a key that nobody has, which an operator explained; they are as they were then. */
  explained: Explanation[];
}

/** A place that is invalid, and why. */
interface Flaw {
  position: bigint;
  auditEntryId: bigint;
  what: string;
}

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
  const { holding: explained, refused } = await readExplanations(db, keyring, organizationId);
  const brokenAt = (flaw: Flaw): ChainReport => ({
    ...{ organizationId, links: Number(flaw.position) - 1, unsealed: 0, head: null, explained, broken: flaw },
  });
  const broken = (what: string) => brokenAt({ position: walk.position + 1n, auditEntryId: walk.last.auditEntryId, what });
  // Read before the links and again after them: the sealer goes on meanwhile, and never takes a link back.
  const before = await headOrFlaw(prepared, keyring, organizationId);
  const wanted = [...expected, ...(before.head ? [asChainHead(before.head)] : [])];
  const flawed = await walkLinks(db, keyring, { organizationId, walk, expected: wanted, explained });
  const isFlawed = ({ first, last }: { first: bigint; last: bigint }) => first <= walk.position + 1n && walk.position < last;
  if (flawed) return brokenAt({ ...flawed, what: refused.find(isFlawed)?.what ?? flawed.what });
  const unreached = wanted
    .filter(({ position }) => position > walk.position)
    .sort((one, other) => Number(one.position - other.position))[0];
  if (unreached) return broken(`the chain ends before link ${unreached.position}, which is expected: its newest links were cut off`);
  const after = await headOrFlaw(prepared, keyring, organizationId);
  const flaw =
    refused[0]?.what ??
    before.flaw ??
    after.flaw ??
    flawOfHead(walk, after.head) ??
    (await flawOfEvents(prepared, keyring, organizationId, after.head));
  if (flaw !== null) return broken(flaw);
  const unsealed = await countAfter(db, organizationId, walk.last);
  const head = walk.position === 0n ? null : { position: walk.position, hash: walk.hash.toString('base64url') };
  return { organizationId, links: Number(walk.position), unsealed, head, broken: null, explained };
}

const asChainHead = ({ position, hash }: KeptHead): ChainHead => ({ position, hash: hash.toString('base64url') });

interface Verification {
  organizationId: number;
  walk: Walk;
  expected: readonly ChainHead[];
  explained: readonly Explanation[];
}

/** Walks over all links. @returns the first that is invalid and not explained, or another than is expected there */
async function walkLinks(db: Db, keyring: Keyring, { organizationId, walk, expected, explained }: Verification): Promise<Flaw | null> {
  const heads = expected.toSorted((one, other) => Number(one.position - other.position));
  const cover = createCover(explained);
  for await (const step of walkChain(db, keyring, organizationId)) {
    if (!('link' in step)) return step;
    const { link, first, entries, broken } = step;
    const { isCovered, what: altered } = cover.take(step);
    const at = { position: first, auditEntryId: BigInt(entries[0].id) };
    if (altered !== null) return { ...at, what: altered };
    if (broken && !isCovered) return broken;
    const unexpected = heads.find((head) => first <= head.position && head.position <= link.position && !isHead(link, head));
    if (unexpected) return { ...at, position: unexpected.position, what: unexpectedAt(unexpected) };
    walk.position = link.position;
    walk.hash = Buffer.from(link.hash);
    walk.last = link;
    walk.hadHead ||= link.form !== 1;
  }
  const cut = cover.unreached();
  return cut === null ? null : { position: walk.position + 1n, auditEntryId: walk.last.auditEntryId, what: cut };
}

/** Whether a link is a head that was kept, from wherever. A head is always the end of a link. */
const isHead = (link: Link, { position, hash }: ChainHead): boolean =>
  link.position === position && Buffer.from(link.hash).toString('base64url') === hash;

const unexpectedAt = ({ position }: ChainHead) => `link ${position} is not the one that is expected: the chain was made anew`;

/** The head that is kept after all links were walked over: the newest link, or a later one. */
function flawOfHead(walk: Walk, head: KeptHead | null): string | null {
  if (head && head.position < walk.position) return `the kept head is link ${head.position}: an older one replaced it`;
  return !head && walk.hadHead ? 'the head of the chain is missing: it was deleted' : null;
}

async function countAfter(db: Db, organizationId: number, after: EntryKey): Promise<number> {
  const [counted] = await db.$queryRaw<{ entries: number }[]>`
    SELECT count(*) AS entries FROM audit_entry
     WHERE organization_id = ${organizationId}
       AND (transaction_id, id) > (${after.transactionId}::bigint, ${after.auditEntryId}::bigint)`;
  return counted?.entries ?? 0;
}
