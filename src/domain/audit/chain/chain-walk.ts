import type { Db } from '../../../database/database.ts';
import { type Keyring, KeyringError } from '../../../database/encryption/keyring.ts';
import { preparedIn } from '../../../database/statements/statement.ts';
import { BATCH, ENTRIES_AFTER, type Entry, type EntryKey, FIRST, linkHash, MOST_IN_LINK, START } from './chain-links.ts';
import { isMarked, readMarks } from './link-marks.ts';

export type Link = EntryKey & { position: bigint; keyId: string; hash: Uint8Array; marks: Uint8Array };

/** A place in a chain, with the entry that stands there. */
interface Place {
  position: bigint;
  auditEntryId: bigint;
}

/** A link that does not hold: under the key of its id, or because that key is not among the master keys. */
export interface BrokenSeal extends Place {
  what: string;
  keyIsMissing: boolean;
}

/** One link on the way, with its entries in the order of the log. */
export interface Step {
  link: Link;
  /** The position of its first entry. */
  first: bigint;
  entries: [Entry, ...Entry[]];
  /** Null where the seal holds. */
  broken: BrokenSeal | null;
}

/** A place where a chain and its entries do not fit: a link or an entry was deleted, moved or slipped in. */
export interface Gap extends Place {
  what: string;
}

/** The link that a walk has passed last: its position, its hash and its last entry. */
export interface ChainPlace {
  position: bigint;
  hash: Buffer;
  last: EntryKey;
}

/** The place before the first link. */
export const CHAIN_START: Readonly<ChainPlace> = { position: 0n, hash: FIRST, last: START };

/** Which part of a chain is walked over: what follows `after`, and up to the link at `to`, where that is given. */
export interface WalkRange {
  after?: Readonly<ChainPlace>;
  to?: bigint;
}

/** Links per statement: as many as cover a batch of entries, where each has as many as it may. */
const LINKS = Math.ceil(BATCH / MOST_IN_LINK);

/** Whether a link holds, or was sealed under a master key that is lost. @param lostPosition see KeptHead */
export const isUnbroken = ({ broken, link }: Step, lostPosition: bigint): boolean =>
  broken === null || (broken.keyIsMissing && link.position <= lostPosition);

/** Walks over the links of a chain, from its start unless a range says otherwise, up to the first gap. */
export async function* walkChain(
  db: Db,
  keyring: Keyring,
  organizationId: number,
  { after = CHAIN_START, to }: WalkRange = {},
): AsyncGenerator<Step | Gap> {
  const prepared = preparedIn(db);
  const walk: ChainPlace = { ...after };
  for (;;) {
    const found = await db.auditLink.findMany({
      where: { organizationId, position: { gt: walk.position, ...(to === undefined ? {} : { lte: to }) } },
      orderBy: { position: 'asc' },
      take: LINKS,
    });
    if (found.length === 0) return;
    const { transactionId, auditEntryId } = walk.last;
    const size = found.reduce((sum, link) => sum + countMarks(link), 0);
    // One more: it may have slipped in behind the last one.
    const entries = await prepared.rows(ENTRIES_AFTER, [
      ...[organizationId, transactionId, auditEntryId, null],
      Math.min(size, LINKS * MOST_IN_LINK) + 1,
    ]);
    let at = 0;
    for (const link of found) {
      const step = stepOver(keyring, walk, link, entries.slice(at, at + countMarks(link) + 1));
      yield step;
      if (!('link' in step)) return;
      at += step.entries.length;
      passOver(walk, link);
    }
  }
}

export function passOver(walk: ChainPlace, link: Link): void {
  walk.position = link.position;
  walk.hash = Buffer.from(link.hash);
  walk.last = link;
}

const countMarks = ({ marks }: Link): number => readMarks(marks).length;

/** @param found the entries from its place on, and one more where there is one */
export function stepOver(keyring: Keyring, walk: ChainPlace, link: Link, found: readonly Entry[]): Step | Gap {
  const first = walk.position + 1n;
  const size = countMarks(link);
  if (link.position !== walk.position + BigInt(size) || size === 0)
    return { what: `link ${first} is missing: it was deleted or moved`, position: first, auditEntryId: toEntryId(found[0], link) };
  const gap = gapAmong(first, link.marks, found);
  const [one, ...more] = found.slice(0, size);
  if (gap || !one) return gap ?? { what: '', position: first, auditEntryId: link.auditEntryId };
  const next = found[size];
  if (next && isSamePlace(next, link)) return slippedIn(link.position, next);
  const entries: Step['entries'] = [one, ...more];
  return { link, first, entries, broken: brokenSeal(keyring, walk.hash, { link, first, entries }) };
}

const toEntryId = (entry: Entry | undefined, link: Link): bigint => (entry ? BigInt(entry.id) : link.auditEntryId);

export const slippedIn = (position: bigint, { id }: Entry): Gap => ({
  what: `audit entry ${id} has no link: it was inserted or moved`,
  position,
  auditEntryId: BigInt(id),
});

const describeMissing = (position: bigint, id: bigint | string, found: Entry | undefined): Gap => ({
  what: `audit entry ${id} is missing: it was deleted or moved`,
  position,
  auditEntryId: BigInt(found?.id ?? id),
});

/** The first entry that is another than the one that was marked there. */
function gapAmong(first: bigint, marks: Uint8Array, found: readonly Entry[]): Gap | null {
  for (const [index, { id }] of readMarks(marks).entries()) {
    const entry = found[index];
    if (entry?.id === id) continue;
    const position = first + BigInt(index);
    return entry && found.some((other) => other.id === id) ? slippedIn(position, entry) : describeMissing(position, id || '0', entry);
  }
  return null;
}

function brokenSeal(keyring: Keyring, previous: Buffer, { link, first, entries }: Omit<Step, 'broken'>): BrokenSeal | null {
  const { keyId, position } = link;
  const marks = Buffer.from(link.marks);
  const last = entries[entries.length - 1] ?? entries[0];
  const describeEdited = (at: bigint, { id }: Entry): BrokenSeal => ({
    what: `audit entry ${id} or its link was edited or moved`,
    keyIsMissing: false,
    position: at,
    auditEntryId: BigInt(id),
  });
  try {
    for (const [index, mark] of readMarks(marks).entries()) {
      const entry = entries[index];
      if (entry && !isMarked(keyring, keyId, entry, mark)) return describeEdited(first + BigInt(index), entry);
    }
    const hash = linkHash(keyring, keyId, { previous, position, marks }, entries);
    return hash.equals(link.hash) && isSamePlace(last, link) ? null : describeEdited(position, last);
  } catch (error) {
    if (!(error instanceof KeyringError)) throw error;
    return {
      what: `link ${first} cannot be checked: ${error.message}`,
      keyIsMissing: true,
      position: first,
      auditEntryId: BigInt(entries[0].id),
    };
  }
}

const isSamePlace = (entry: Entry, { transactionId, auditEntryId }: EntryKey): boolean =>
  BigInt(entry.transactionId) === transactionId && BigInt(entry.id) === auditEntryId;
