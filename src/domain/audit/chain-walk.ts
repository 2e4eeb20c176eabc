import type { Db } from '../../database/database.ts';
import { type Keyring, KeyringError } from '../../database/keyring.ts';
import { preparedIn } from '../../database/statement.ts';
import { BATCH, ENTRIES_AFTER, type Entry, type EntryKey, FIRST, linkHash, START } from './chain-links.ts';

export type Link = EntryKey & { position: bigint; keyId: string; form: number; hash: Uint8Array };

/** A link that does not hold: under the key of its id, or because that key is not among the master keys. */
export interface BrokenSeal {
  what: string;
  keyIsMissing: boolean;
}

/** One link on the way, with the entry at its place in the order of the log. */
export interface Step {
  link: Link;
  /** The hash of the link before. */
  previous: Buffer;
  entry: Entry;
  /** Null where the seal holds. */
  broken: BrokenSeal | null;
}

/** A place where links and entries are not one for one: a link or an entry was deleted, moved or slipped in. */
export interface Gap {
  what: string;
  auditEntryId: bigint;
}

/** Walks over the links of a chain from its start, up to the first gap. */
export async function* walkChain(db: Db, keyring: Keyring, organizationId: number): AsyncGenerator<Step | Gap> {
  const entriesOf = preparedIn(db);
  const walk: { position: bigint; hash: Buffer; last: EntryKey } = { position: 0n, hash: FIRST, last: START };
  for (;;) {
    const links = await db.auditLink.findMany({
      where: { organizationId, position: { gt: walk.position } },
      orderBy: { position: 'asc' },
      take: BATCH,
    });
    if (links.length === 0) return;
    const { transactionId, auditEntryId } = walk.last;
    const entries = await entriesOf.rows(ENTRIES_AFTER, [organizationId, transactionId, auditEntryId, false, links.length]);
    for (const [index, link] of links.entries()) {
      const entry = entries[index];
      const gap = gapAt(walk.position + 1n, link, entry);
      if (gap !== null || entry === undefined) {
        yield { what: gap ?? '', auditEntryId: entry ? BigInt(entry.id) : link.auditEntryId };
        return;
      }
      yield { link, previous: walk.hash, entry, broken: brokenSeal(keyring, walk.hash, link, entry) };
      walk.position = link.position;
      walk.hash = Buffer.from(link.hash);
      walk.last = link;
    }
  }
}

function gapAt(position: bigint, link: Link, entry: Entry | undefined): string | null {
  if (link.position !== position) return `link ${position} is missing: it was deleted or moved`;
  if (!entry || follows(entry, link)) return `audit entry ${link.auditEntryId} is missing: it was deleted or moved`;
  if (BigInt(entry.id) !== link.auditEntryId) return `audit entry ${entry.id} has no link: it was slipped in or moved`;
  return null;
}

function brokenSeal(keyring: Keyring, previous: Buffer, { keyId, form, position, ...link }: Link, entry: Entry): BrokenSeal | null {
  try {
    const hash = linkHash(keyring, { keyId, form, previous, position }, entry);
    if (hash.equals(link.hash) && BigInt(entry.transactionId) === link.transactionId) return null;
    return { what: `audit entry ${entry.id} or its link was edited or moved`, keyIsMissing: false };
  } catch (error) {
    if (error instanceof KeyringError) return { what: `link ${position} cannot be checked: ${error.message}`, keyIsMissing: true };
    throw error;
  }
}

function follows(entry: Entry, previous: EntryKey): boolean {
  const transaction = BigInt(entry.transactionId);
  return transaction === previous.transactionId ? BigInt(entry.id) > previous.auditEntryId : transaction > previous.transactionId;
}
