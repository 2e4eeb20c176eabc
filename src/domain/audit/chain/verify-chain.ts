import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { type Prepared, preparedIn, statement } from '../../../database/statements/statement.ts';
import { inPractice, type PracticeTx } from '../../tx.ts';
import { ArchiveError, type ArchivePlace, readArchiveFile } from '../archive/archive-file.ts';
import { type Checkpoint, readCheckpoints, toChainPlace } from '../archive/checkpoints.ts';
import { describeChainError, EVENTS_BETWEEN, type KeptHead, readHead } from './chain-heads.ts';
import { type ChainHead, type EntryKey, toInstant } from './chain-links.ts';
import { type ChainPlace, type Gap, isUnbroken, type Link, passOver, type Step, walkChain } from './chain-walk.ts';

/** Looked up for each event: a join might read all of the audit. Values: organization, the transaction after which to begin. */
export const EVENT_WITHOUT_ENTRY = statement<{ id: string; name: string }>(
  'audit_event_without_entry',
  `SELECT e.id::text, e.name FROM event e
    WHERE e.organization_id = $1::int AND e.transaction_id > $2::bigint
      AND (SELECT a.id FROM audit_entry a WHERE a.organization_id = $1::int AND a.transaction_id = e.transaction_id LIMIT 1) IS NULL
    ORDER BY e.transaction_id, e.id LIMIT 1`,
);

/** The head of a chain, or why it cannot be used. */
async function headOrFlaw(prepared: Prepared, keyring: Keyring, organizationId: number) {
  try {
    return { head: await readHead(prepared, keyring, organizationId), flaw: null };
  } catch (error) {
    return { head: null, flaw: describeChainError(error) };
  }
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
    const { head: later, flaw } = await headOrFlaw(prepared, keyring, organizationId);
    if (flaw !== null) return flaw;
    if (later && later.events !== head.events) return flawOfEvents(prepared, keyring, organizationId, later);
    return `${head.events} events belong to the sealed entries, but there are ${events}`;
  }
  const [orphan] = await prepared.rows(EVENT_WITHOUT_ENTRY, [organizationId, last]);
  return orphan ? `event ${orphan.id} (${orphan.name}) has no audit entry: entries that were not sealed yet are missing` : null;
}

export interface ChainReport {
  organizationId: number;
  /** Valid links, with those of a lost master key. */
  links: number;
  /** Entries newer than the last link, to be sealed next. */
  unsealed: number;
  /** The newest link, where all are valid: the head to expect next time. */
  head: ChainHead | null;
  broken: Gap | null;
  /** The last link that was sealed under a lost master key: nobody can check it. Null where all can be checked. */
  unverifiable: Unverifiable | null;
  /** The part of the chain that is in the archive, where there is one. */
  archive?: ArchivedPart;
}

interface Unverifiable {
  position: bigint;
  /** The instant of its last entry. */
  at: Date;
}

export interface ArchivedPart {
  /** Entries up to the newest checkpoint, and the instants of the oldest and the newest of them. */
  entries: number;
  firstAt: Date;
  lastAt: Date;
  /** The place of the newest file, as it was given. */
  place: string;
  /** Whether the files were read. */
  isWalked: boolean;
  /** Files that were deleted for their age, oldest first. */
  discarded: Checkpoint[];
  /** Expected heads that lie in what was not walked over, and were not checked. */
  unchecked: number;
}

interface Walk extends ChainPlace {
  unverifiable: Unverifiable | null;
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
  const { checkpoints, flaw: flawOfCheckpoints } = await readCheckpoints(prepared, keyring, organizationId);
  const files = archive ? checkpoints.slice(checkpoints.findLastIndex(({ discarded }) => discarded !== null) + 1) : [];
  const start = toChainPlace(checkpoints.at(-1 - files.length));
  const walk: Walk = { ...start, unverifiable: null };
  const unchecked = expected.filter(({ position }) => position < start.position).length;
  const toReport = () => ({
    organizationId,
    unverifiable: walk.unverifiable,
    ...archivedPart(checkpoints, archive !== undefined, unchecked),
  });
  const brokenAt = (flaw: Gap): ChainReport => ({
    links: Math.max(0, Number(flaw.position - start.position) - 1),
    unsealed: 0,
    head: null,
    broken: flaw,
    ...toReport(),
  });
  const toBroken = (what: string) => brokenAt({ position: walk.position + 1n, auditEntryId: walk.last.auditEntryId, what });
  if (flawOfCheckpoints !== null) return toBroken(flawOfCheckpoints);
  // Read before the links and again after them: the sealer goes on meanwhile, and never takes a link back.
  const before = await headOrFlaw(prepared, keyring, organizationId);
  const wanted = [...expected, ...(before.head ? [asChainHead(before.head)] : [])].filter(({ position }) => position >= start.position);
  const steps = walkWholeChain(db, keyring, { organizationId, checkpoints, files, archive, start });
  const flawed = await walkLinks(steps, { walk, keyring, expected: wanted, lostPosition: before.head?.lostPosition ?? 0n });
  if (flawed) return brokenAt(flawed);
  const flaw = describeUnreached(wanted, walk) ?? before.flaw ?? (await flawOfEnd(prepared, keyring, organizationId, walk));
  if (flaw !== null) return toBroken(flaw);
  const unsealed = await countAfter(inPractice(db, organizationId), walk.last);
  const head = walk.position === 0n ? null : { position: walk.position, hash: walk.hash.toString('base64url') };
  return { links: Number(walk.position - start.position), unsealed, head, broken: null, ...toReport() };
}

function archivedPart(checkpoints: readonly Checkpoint[], isWalked: boolean, unchecked: number): { archive?: ArchivedPart } {
  const [oldest, newest] = [checkpoints[0], checkpoints.at(-1)];
  if (!oldest || !newest) return {};
  const discarded = checkpoints.filter((checkpoint) => checkpoint.discarded !== null);
  const { place, lastAt } = newest;
  return { archive: { entries: Number(newest.position), firstAt: oldest.firstAt, lastAt, place, isWalked, discarded, unchecked } };
}

const asChainHead = ({ position, hash }: KeptHead): ChainHead => ({ position, hash: hash.toString('base64url') });

interface WholeChain {
  organizationId: number;
  checkpoints: readonly Checkpoint[];
  /** Those whose files are walked over, behind `start`. */
  files: readonly Checkpoint[];
  archive: ArchivePlace | undefined;
  start: ChainPlace;
}

/** The links of the archive's files, and then those of the table. What is wrong with a file is a gap. */
async function* walkWholeChain(
  db: Db,
  keyring: Keyring,
  { organizationId, checkpoints, files, archive, start }: WholeChain,
): AsyncGenerator<Step | Gap> {
  const at = { ...start };
  for (const file of archive ? files : []) {
    try {
      if (archive) yield* readArchiveFile(archive, keyring, file, at);
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      const what = `${error.message} (entries ${file.previousPosition + 1n} to ${file.position})`;
      yield { what, position: at.position + 1n, auditEntryId: at.last.auditEntryId };
    }
  }
  yield* walkChain(db, keyring, organizationId, { after: toChainPlace(checkpoints.at(-1)) });
}

interface Verification {
  walk: Walk;
  keyring: Keyring;
  expected: readonly ChainHead[];
  lostPosition: bigint;
}

/** Walks over all links. @returns the first that is invalid, or another than is expected there */
async function walkLinks(steps: AsyncIterable<Step | Gap>, { walk, keyring, expected, lostPosition }: Verification): Promise<Gap | null> {
  const heads = expected.toSorted((one, other) => Number(one.position - other.position));
  const other = heads.find(({ position, hash }) => position === walk.position && hash !== walk.hash.toString('base64url'));
  if (other && walk.position > 0n) return { ...other, auditEntryId: walk.last.auditEntryId, what: unexpectedAt(other) };
  for await (const step of steps) {
    if (!('link' in step)) return step;
    const { link, first, entries, broken } = step;
    if (broken && !isUnbroken(step, lostPosition)) return broken;
    const unexpected = heads.find((head) => first <= head.position && head.position <= link.position && !isHead(link, head));
    if (unexpected) return { auditEntryId: BigInt(entries[0].id), position: unexpected.position, what: unexpectedAt(unexpected) };
    passOver(walk, link);
    if (link.position <= lostPosition && !keyring.ids.includes(link.keyId))
      walk.unverifiable = { position: link.position, at: toInstant(entries.at(-1) ?? entries[0]) };
  }
  return null;
}

/** Whether a link is a head that was kept, from wherever. A head is always the end of a link. */
const isHead = (link: Link, { position, hash }: ChainHead): boolean =>
  link.position === position && Buffer.from(link.hash).toString('base64url') === hash;

const unexpectedAt = ({ position }: ChainHead) => `link ${position} is not the expected one: the chain was rebuilt`;

function describeUnreached(wanted: readonly ChainHead[], walk: Walk): string | null {
  const [unreached] = wanted.filter(({ position }) => position > walk.position).sort((one, other) => Number(one.position - other.position));
  return unreached ? `the chain ends before link ${unreached.position}: its newest links were cut off` : null;
}

/** The head that is kept after all links were walked over is the newest link, or a later one; and every event has its entry. */
async function flawOfEnd(prepared: Prepared, keyring: Keyring, organizationId: number, walk: Walk): Promise<string | null> {
  const { head, flaw } = await headOrFlaw(prepared, keyring, organizationId);
  if (flaw !== null) return flaw;
  if (head && head.position < walk.position) return `the stored head is link ${head.position}: an older one replaced it`;
  if (!head && walk.position > 0n) return 'the head of the chain is missing: it was deleted';
  return flawOfEvents(prepared, keyring, organizationId, head);
}

async function countAfter(tx: PracticeTx, after: EntryKey): Promise<number> {
  const [counted] = await tx.prisma.$queryRaw<{ entries: number }[]>`
    SELECT count(*) AS entries FROM audit_entry
     WHERE organization_id = ${tx.organizationId}
       AND (transaction_id, id) > (${after.transactionId}::bigint, ${after.auditEntryId}::bigint)`;
  return counted?.entries ?? 0;
}
