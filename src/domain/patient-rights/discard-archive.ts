import { createHash } from 'node:crypto';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { type ArchivePlace, isThere } from '../audit/archive/archive-file.ts';
import { type Checkpoint, readCheckpoints, signCheckpoint } from '../audit/archive/checkpoints.ts';
import { conflict } from '../errors.ts';
import { archivedEntries, listEntryPatients } from '../logs/search-archive.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import { readHeld } from './legal-holds.ts';
import { readRetentionPolicy } from './retention-policy.ts';

/** The files of one practice that may be discarded. */
export interface Discardable {
  organizationId: number;
  files: Checkpoint[];
  /** The reason why the next one is kept, in words; null where none is left from before the instant. */
  kept: string | null;
}

/**
 * Finds the files, oldest first, whose every entry is from before an instant and older than the practice keeps its archive, and
 * that no legal hold concerns. A file is read through for the patients whom it names.
 * @throws Failure conflict where the checkpoints do not hold, unprocessable where a file cannot be read
 */
export async function findDiscardable(tx: PracticeTx, keyring: Keyring, place: ArchivePlace, before: Date): Promise<Discardable> {
  const { organizationId } = tx;
  const { checkpoints, flaw } = await readCheckpoints(tx.prepared, keyring, organizationId);
  if (flaw !== null) throw conflict('archive_broken', `The archive of organization ${organizationId} is invalid: ${flaw}.`);
  const { auditYears } = await readRetentionPolicy(tx);
  const held = await readHeld(tx);
  const found: Discardable = { organizationId, files: [], kept: null };
  for (const [index, checkpoint] of checkpoints.entries()) {
    if (checkpoint.discarded) {
      // The note is made first: what a run that was killed has left is removed now.
      if (await isThere(place, checkpoint.file)) found.files.push(checkpoint);
      continue;
    }
    if (checkpoint.lastAt >= before) break;
    const named = `file ${checkpoint.file}`;
    const until = findKeptUntil(checkpoint, auditYears);
    if (until > new Date())
      found.kept = `${named} is kept until ${until.toISOString().slice(0, 10)}, ${auditYears} years after its newest entry`;
    else if (held.practice) found.kept = `a legal hold keeps everything of the practice, ${named} too`;
    else if (held.charts.length > 0 && (await namesAny(place, keyring, checkpoint, checkpoints[index - 1], held.charts)))
      found.kept = `a legal hold keeps everything about a patient named in ${named} names`;
    if (found.kept !== null) break;
    found.files.push(checkpoint);
  }
  return found;
}

/** The instant until which a practice keeps a file. */
export function findKeptUntil({ lastAt }: Pick<Checkpoint, 'lastAt'>, years: number): Date {
  const until = new Date(lastAt);
  until.setUTCFullYear(until.getUTCFullYear() + years);
  return until;
}

/** A word that confirms exactly these files. */
export function toConfirmationWord(found: readonly Discardable[]): string {
  const names = found.flatMap(({ files }) => files.map(({ file, hash }) => [file, hash.toString('hex')]));
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 12);
}

/** Notes that files are discarded, each as an entry of the audit; the caller removes them from the place after that. */
export async function noteDiscarded(tx: Tx, keyring: Keyring, { files }: Discardable, operator: string): Promise<void> {
  for (const checkpoint of files) {
    if (checkpoint.discarded) continue;
    await signCheckpoint(tx.prepared, keyring, { ...checkpoint, discarded: { operator, at: new Date() } });
    tx.journal.audits.push({
      action: 'administer',
      resource: 'audit_chain',
      ids: [],
      detail: `entries ${checkpoint.previousPosition + 1n} to ${checkpoint.position} discarded from the archive, file ${checkpoint.file}`,
    });
  }
}

async function namesAny(
  place: ArchivePlace,
  keyring: Keyring,
  checkpoint: Checkpoint,
  before: Checkpoint | undefined,
  charts: readonly number[],
): Promise<boolean> {
  const wanted = new Set(charts);
  for await (const entry of archivedEntries(place, keyring, checkpoint, before))
    if (listEntryPatients(entry).some((id) => wanted.has(id))) return true;
  return false;
}
