import { createHash } from 'node:crypto';
import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/keyring.ts';
import { preparedIn, statement } from '../../../database/statement.ts';
import { AuditChainError } from '../chain-heads.ts';
import { type ChainPlace, type Gap, type Link, type Step, walkChain } from '../chain-walk.ts';
import { createCover, readExplanations } from '../explanations.ts';
import { createBorder, flawOfBorder, isBorder, readBorder } from './border.ts';
import { type Checkpoint, type KeptCheckpoint, placeOf, readCheckpoints } from './checkpoints.ts';
import { openSegment, walkSegment } from './read-segment.ts';
import { type ArchivePlace, digestOf, inBase64, type SegmentManifest } from './segment-format.ts';
import { type NewSegment, writeSegment } from './write-segment.ts';

/** Values: organization, the entry after which to begin, the instant before which entries are archived. */
const LAST_BEFORE = statement<{ transactionId: string; id: string }>(
  'audit_last_before',
  `SELECT transaction_id::text AS "transactionId", id::text FROM audit_entry e
    WHERE organization_id = $1::int AND (e.transaction_id, e.id) > ($2::bigint, $3::bigint) AND at < $4::timestamptz
    ORDER BY e.transaction_id DESC, e.id DESC LIMIT 1`,
);
/** Values: organization, the position after which to look, an entry. */
const LINK_OVER = statement<{ position: string }>(
  'audit_link_over',
  `SELECT position::text FROM audit_link l
    WHERE organization_id = $1::int AND l.position > $2::bigint AND (transaction_id, audit_entry_id) >= ($3::bigint, $4::bigint)
    ORDER BY l.position LIMIT 1`,
);
/** Values: organization, the position after which to look, the last one. */
const KEYS = statement<{ keyId: string }>(
  'audit_keys_of_links',
  `SELECT DISTINCT key_id AS "keyId" FROM audit_link WHERE organization_id = $1::int AND position > $2::bigint AND position <= $3::bigint ORDER BY 1`,
);

/** A part of a chain that is to go into the archive. */
export interface Cut {
  organizationId: number;
  /** The checkpoint behind which it begins. */
  previous: KeptCheckpoint | undefined;
  after: ChainPlace;
  last: Link;
  cutAt: Date;
}

/**
 * Finds the link with which the archived part of a chain is to end: the one that covers the last entry, in the order of the chain, from
 * before an instant. It never divides a stretch that was explained.
 * @returns null where nothing is left to archive
 * @throws AuditChainError where the checkpoints do not hold, or entries from before the instant have no link
 */
export async function findCut(db: Db, keyring: Keyring, organizationId: number, cutAt: Date): Promise<Cut | null> {
  const prepared = preparedIn(db);
  const { checkpoints, flaw } = await readCheckpoints(prepared, keyring, organizationId);
  if (flaw !== null) throw new AuditChainError(flaw);
  const previous = checkpoints.at(-1);
  const after = placeOf(previous);
  const from = [String(after.last.transactionId), String(after.last.auditEntryId)];
  const [entry] = await prepared.rows(LAST_BEFORE, [organizationId, ...from, cutAt]);
  if (!entry) return null;
  const [over] = await prepared.rows(LINK_OVER, [organizationId, String(after.position), entry.transactionId, entry.id]);
  if (!over) throw new AuditChainError(`entries up to ${entry.id} are not sealed`);
  const covered = BigInt(over.position);
  const { holding } = await readExplanations(db, keyring, organizationId);
  const position = holding.find(({ first, last }) => first <= covered && covered < last)?.last ?? covered;
  const last = await db.auditLink.findUnique({ where: { organizationId_position: { organizationId, position } } });
  if (!last) throw new AuditChainError(`link ${position} is missing: it was deleted or moved`);
  const changed = previous ? await flawOfBorder(prepared, previous) : null;
  if (changed !== null) throw new AuditChainError(changed);
  return { organizationId, previous, after, last, cutAt };
}

/**
 * Verifies a part of a chain, writes it as a segment, reads that back and verifies it again. Nothing is changed in the database. Written
 * again, it is the same segment.
 * @param placeName by which the checkpoint names the place
 * @throws AuditChainError naming the first link that does not hold; SegmentError where the segment reads back otherwise
 */
export async function archiveCut(db: Db, keyring: Keyring, place: ArchivePlace, placeName: string, cut: Cut): Promise<Checkpoint> {
  const { organizationId, after, last, cutAt } = cut;
  const name = segmentName(cut);
  const rows = await preparedIn(db).rows(KEYS, [organizationId, String(after.position), String(last.position)]);
  const keys = rows.map(({ keyId }) => keyId);
  const segment: NewSegment = { name, organizationId, after, last: last.position, keys };
  const written = await watch(db, keyring, cut, walkChain(db, keyring, organizationId, { after, to: last.position }));
  const manifest = await writeSegment(place, keyring, segment, written.steps);
  const digest = digestOf(manifest);
  const opened = await openSegment(place, keyring, { segment: name, organizationId, manifest: digest });
  const at = { ...after };
  const read = await watch(db, keyring, cut, walkSegment(place, keyring, opened, at));
  for (let step = await read.steps.next(); step.done !== true; step = await read.steps.next());
  const border = read.border();
  if (at.position !== last.position || !at.hash.equals(last.hash) || border.join() !== written.border().join())
    throw new AuditChainError(`segment ${name} reads back otherwise than it was written`);
  return {
    ...{ organizationId, position: last.position, auditEntryId: last.auditEntryId, transactionId: last.transactionId, hash: at.hash },
    ...{ previousPosition: after.position, previousHash: after.hash, segment: name, place: placeName, manifest: digest, cutAt, border },
    ...{ ...instantsOf(manifest), sealedUnder: [...new Set([...keys, keyring.currentId])].sort() },
  };
}

/** The same for the same links, so that a run after one that was killed writes the same files again. */
function segmentName({ organizationId, after, last, cutAt }: Cut): string {
  const links = JSON.stringify([organizationId, String(after.position), inBase64(after.hash), String(last.position), inBase64(last.hash)]);
  const mark = createHash('sha256').update(links).digest('hex').slice(0, 8);
  return `${cutAt.toISOString().replaceAll(/[-:.]/g, '')}-${mark}`;
}

/** Verified links on their way, and what is summed up of them. */
interface Watched {
  steps: AsyncIterator<Step>;
  /** The border with that of the checkpoint before, at the end. */
  border(): string[];
}

async function watch(
  db: Db,
  keyring: Keyring,
  { organizationId, previous, after, cutAt }: Cut,
  steps: AsyncIterable<Step | Gap>,
): Promise<Watched> {
  const { holding } = await readExplanations(db, keyring, organizationId);
  const cover = createCover(holding.filter(({ first }) => first > after.position));
  const border = createBorder();
  if (previous) for await (const entry of readBorder(preparedIn(db), previous, cutAt)) border.add(entry);
  async function* verified(): AsyncGenerator<Step> {
    for await (const step of steps) {
      if (!('link' in step)) throw new AuditChainError(step.what);
      const { isCovered, what } = cover.take(step);
      if (what !== null) throw new AuditChainError(what);
      if (step.broken && !isCovered) throw new AuditChainError(step.broken.what);
      for (const entry of step.entries) if (isBorder(entry, cutAt)) border.add(entry);
      yield step;
    }
  }
  return { steps: verified(), border: () => border.end() };
}

const instantsOf = ({ first_at, last_at }: SegmentManifest) => ({ firstAt: instantOf(first_at), lastAt: instantOf(last_at) });

/** An instant as the log writes it, in milliseconds. */
const instantOf = (written: string): Date => new Date(`${written.slice(0, 'yyyy-mm-ddThh:mm:ss.sss'.length)}Z`);
