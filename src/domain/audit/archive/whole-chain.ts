import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/keyring.ts';
import { preparedIn } from '../../../database/statement.ts';
import { columnsText, type Entry, LINK_FORM } from '../chain-links.ts';
import { type ChainPlace, type Gap, type Step, walkChain } from '../chain-walk.ts';
import { beginOfBorder, isBorder, readBorder } from './border.ts';
import { type KeptCheckpoint, placeOf, readCheckpoints } from './checkpoints.ts';
import { openSegment, SegmentError, walkSegment } from './read-segment.ts';
import type { ArchivePlace } from './segment-format.ts';

/** A chain with the part of it that is in the archive. */
export interface WholeChain {
  checkpoints: KeptCheckpoint[];
  /** The reason why the checkpoints do not hold; nothing is walked over then. */
  flaw: string | null;
  /** The place behind which the walk begins: the newest checkpoint, or what is left of the archive where that is read too. */
  start: ChainPlace;
  steps(): AsyncGenerator<Step | Gap>;
}

/** @param place of the archive, where that is to be walked over before the table */
export async function openChain(db: Db, keyring: Keyring, organizationId: number, place?: ArchivePlace): Promise<WholeChain> {
  const { checkpoints, flaw } = await readCheckpoints(preparedIn(db), keyring, organizationId);
  const newest = placeOf(checkpoints.at(-1));
  const table = () => walkChain(db, keyring, organizationId, { after: newest });
  if (!place) return { checkpoints, flaw, start: newest, steps: table };
  const discarded = checkpoints.findLastIndex(({ discard }) => discard !== null) + 1;
  const start = placeOf(checkpoints[discarded - 1]);
  async function* steps(archive: ArchivePlace): AsyncGenerator<Step | Gap> {
    const at = { ...start };
    const last = checkpoints.at(-1);
    const border: Border | null = last ? { checkpoint: last, begin: await beginOfBorder(preparedIn(db), last), entries: [] } : null;
    for (const checkpoint of checkpoints.slice(discarded)) {
      for await (const step of walkArchived(keyring, archive, { checkpoint, at })) {
        if (border && 'link' in step) border.entries.push(...step.entries.filter((entry) => isBorder(entry, border.begin)));
        yield step;
        if (!('link' in step)) return;
      }
    }
    if (border && discarded < checkpoints.length)
      for await (const gap of differences(db, border)) {
        yield gap;
        return;
      }
    yield* table();
  }
  return { checkpoints, flaw, start, steps: () => steps(place) };
}

/** The entries of the archive that are in the table too. */
interface Border {
  /** The newest. */
  checkpoint: KeptCheckpoint;
  /** They are not from before. */
  begin: Date;
  entries: Entry[];
}

interface Archived {
  checkpoint: KeptCheckpoint;
  /** Moves along. */
  at: ChainPlace;
}

/** Walks over the segment of a checkpoint. What is wrong with it is a gap. */
async function* walkArchived(keyring: Keyring, place: ArchivePlace, { checkpoint, at }: Archived): AsyncGenerator<Step | Gap> {
  const gap = (what: string): Gap => ({ what, position: at.position + 1n, auditEntryId: at.last.auditEntryId });
  try {
    const manifest = await openSegment(place, keyring, checkpoint);
    for await (const step of walkSegment(place, keyring, manifest, at)) {
      yield step;
      if (!('link' in step)) return;
    }
  } catch (error) {
    if (!(error instanceof SegmentError)) throw error;
    yield gap(`${error.message} (entries ${checkpoint.previousPosition + 1n} to ${checkpoint.position})`);
    return;
  }
  const { position, hash } = checkpoint;
  if (at.position !== position || !at.hash.equals(hash)) yield gap(`segment ${checkpoint.segment} does not end with its checkpoint`);
}

/** The first entry that is in the archive and in the table, and is not the same in both. */
async function* differences(db: Db, { checkpoint, begin, entries }: Border): AsyncGenerator<Gap> {
  const gap = ({ id }: Entry, what: string): Gap => ({ what, position: checkpoint.position, auditEntryId: BigInt(id) });
  const rest = [...entries].reverse();
  for await (const found of readBorder(preparedIn(db), checkpoint, begin)) {
    const kept = rest.pop();
    if (kept && columnsText(LINK_FORM, kept) === columnsText(LINK_FORM, found)) continue;
    if (kept?.id === found.id) yield gap(found, `audit entry ${found.id} is in the archive as it was, and was edited in the table`);
    else if (kept && entries.some(({ id }) => id === found.id)) yield gap(kept, missing(kept));
    else yield gap(found, `audit entry ${found.id} has no link: it was slipped into the table`);
    return;
  }
  const left = rest.pop();
  if (left) yield gap(left, missing(left));
}

const missing = ({ id }: Entry): string => `audit entry ${id} is in the archive, and was deleted in the table`;
