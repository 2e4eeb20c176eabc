import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/keyring.ts';
import { preparedIn } from '../../database/statement.ts';
import { flawOfBorder } from './archive/border.ts';
import type { KeptCheckpoint } from './archive/checkpoints.ts';
import type { ArchivePlace } from './archive/segment-format.ts';
import { openChain, type WholeChain } from './archive/whole-chain.ts';
import type { KeptHead } from './chain-heads.ts';
import type { ChainHead, EntryKey } from './chain-links.ts';
import { type ChainPlace, type Link, passOver } from './chain-walk.ts';
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
  /** The part of the chain that is in the archive, where there is one. */
  archive?: ArchivedPart;
}

/** The part of a chain that is in the archive. */
export interface ArchivedPart {
  /** Entries up to the newest checkpoint, and the instants of the oldest and the newest of them. */
  entries: number;
  firstAt: Date;
  lastAt: Date;
  /** The place of the newest segment, as it was given. */
  place: string;
  /** Whether the segments were walked over. */
  isWalked: boolean;
  /** Segments that were deleted for their age, the oldest first. */
  discarded: KeptCheckpoint[];
  /** Expected heads and explanations that lie in what was not walked over, and were not checked. */
  unchecked: number;
}

/** A place that is invalid, and why. */
interface Flaw {
  position: bigint;
  auditEntryId: bigint;
  what: string;
}

/** The place of the verification. */
interface Walk extends ChainPlace {
  /** Whether a link was made since heads are kept. */
  hadHead: boolean;
}

/**
 * Verifies the chain of an organization, from its start or from the newest checkpoint of its archive, and names the first place where an
 * entry or its link was edited, deleted, moved or inserted; where the chain does not reach the head that its sealer kept; and where an
 * event has no entry: every change writes both in one transaction.
 *
 * Rows that were replaced by an older state of all of them, heads included, look whole. Copies outside of the database tell: the
 * server's log has every head, and anchors have them signed (anchors.ts).
 * @param expected heads that the chain once had: their positions and hashes must still be there
 * @param archive the place of the archive, which is walked over before the table
 */
export async function verifyChain(
  db: Db,
  keyring: Keyring,
  organizationId: number,
  expected: readonly ChainHead[] = [],
  archive?: ArchivePlace,
): Promise<ChainReport> {
  const prepared = preparedIn(db);
  const chain = await openChain(db, keyring, organizationId, archive);
  const { start } = chain;
  const walk: Walk = { ...start, hadHead: start.position > 0n };
  const found = await readExplanations(db, keyring, organizationId);
  const isWalked = ({ last }: { last: bigint }) => last > start.position;
  const explained = found.holding.filter(isWalked);
  const refused = found.refused.filter(isWalked);
  const unchecked = expected.filter(({ position }) => position < start.position).length + found.holding.length - explained.length;
  const about = { organizationId, explained, ...archivedPart(chain, archive !== undefined, unchecked) };
  const brokenAt = (flaw: Flaw): ChainReport => ({
    ...{ links: Math.max(0, Number(flaw.position - start.position) - 1), unsealed: 0, head: null, broken: flaw },
    ...about,
  });
  const broken = (what: string) => brokenAt({ position: walk.position + 1n, auditEntryId: walk.last.auditEntryId, what });
  if (chain.flaw !== null) return broken(chain.flaw);
  // Read before the links and again after them: the sealer goes on meanwhile, and never takes a link back.
  const before = await headOrFlaw(prepared, keyring, organizationId);
  const wanted = [...expected, ...(before.head ? [asChainHead(before.head)] : [])].filter(({ position }) => position >= start.position);
  const flawed = await walkLinks(chain, { walk, expected: wanted, explained });
  const isFlawed = ({ first, last }: { first: bigint; last: bigint }) => first <= walk.position + 1n && walk.position < last;
  if (flawed) return brokenAt({ ...flawed, what: refused.find(isFlawed)?.what ?? flawed.what });
  const unreached = wanted
    .filter(({ position }) => position > walk.position)
    .sort((one, other) => Number(one.position - other.position))[0];
  if (unreached) return broken(`the chain ends before link ${unreached.position}, which is expected: its newest links were cut off`);
  const after = await headOrFlaw(prepared, keyring, organizationId);
  const newest = chain.checkpoints.at(-1);
  const flaw =
    refused[0]?.what ??
    before.flaw ??
    after.flaw ??
    flawOfHead(walk, after.head) ??
    (newest ? await flawOfBorder(prepared, newest) : null) ??
    (await flawOfEvents(prepared, keyring, organizationId, after.head));
  if (flaw !== null) return broken(flaw);
  const unsealed = await countAfter(db, organizationId, walk.last);
  const head = walk.position === 0n ? null : { position: walk.position, hash: walk.hash.toString('base64url') };
  return { links: Number(walk.position - start.position), unsealed, head, broken: null, ...about };
}

function archivedPart({ checkpoints }: WholeChain, isWalked: boolean, unchecked: number): { archive?: ArchivedPart } {
  const [oldest, newest] = [checkpoints[0], checkpoints.at(-1)];
  if (!oldest || !newest) return {};
  const discarded = checkpoints.filter(({ discard }) => discard !== null);
  const { place, lastAt } = newest;
  return { archive: { entries: Number(newest.position), firstAt: oldest.firstAt, lastAt, place, isWalked, discarded, unchecked } };
}

const asChainHead = ({ position, hash }: KeptHead): ChainHead => ({ position, hash: hash.toString('base64url') });

interface Verification {
  walk: Walk;
  expected: readonly ChainHead[];
  explained: readonly Explanation[];
}

/** Walks over all links. @returns the first that is invalid and not explained, or another than is expected there */
async function walkLinks({ steps }: WholeChain, { walk, expected, explained }: Verification): Promise<Flaw | null> {
  const heads = expected.toSorted((one, other) => Number(one.position - other.position));
  const other = heads.find(({ position, hash }) => position === walk.position && hash !== walk.hash.toString('base64url'));
  if (other && walk.position > 0n) return { ...other, auditEntryId: walk.last.auditEntryId, what: unexpectedAt(other) };
  const cover = createCover(explained);
  for await (const step of steps()) {
    if (!('link' in step)) return step;
    const { link, first, entries, broken } = step;
    const { isCovered, what: altered } = cover.take(step);
    const at = { position: first, auditEntryId: BigInt(entries[0].id) };
    if (altered !== null) return { ...at, what: altered };
    if (broken && !isCovered) return broken;
    const unexpected = heads.find((head) => first <= head.position && head.position <= link.position && !isHead(link, head));
    if (unexpected) return { ...at, position: unexpected.position, what: unexpectedAt(unexpected) };
    passOver(walk, link);
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
