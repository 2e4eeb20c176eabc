import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { preparedIn } from '../../database/statements/statement.ts';
import { ArchiveError, type ArchivePlace, readArchiveFile } from '../audit/archive/archive-file.ts';
import { type Checkpoint, readCheckpoints, toChainPlace } from '../audit/archive/checkpoints.ts';
import type { Entry } from '../audit/chain/chain-links.ts';
import { type Caller, OPERATOR } from '../caller.ts';
import { Failure } from '../errors.ts';

export interface ArchiveSearch {
  /** Only entries about this patient's chart. */
  patientId?: number | undefined;
  /** As in AuditSearch. */
  actor?: string | undefined;
  since?: Date | undefined;
  /** Only entries before this one, by id. */
  before?: number | undefined;
  limit: number;
}

export type ArchivedEntry = Omit<Entry, 'resourceIds' | 'patientIds'> & { resourceIds: number[]; patientIds: number[] };

/**
 * Entries of a practice that are in the archive, newest first. Files are read through, newest first, until there are enough.
 * Only for operators, who see restricted charts; recordArchiveSearch audits it.
 * @throws Failure unprocessable where a file cannot be used
 */
export async function searchArchive(
  db: Db,
  keyring: Keyring,
  place: ArchivePlace,
  organizationId: number,
  search: ArchiveSearch,
): Promise<ArchivedEntry[]> {
  const { checkpoints } = await readCheckpoints(preparedIn(db), keyring, organizationId);
  const found: ArchivedEntry[] = [];
  for (const [index, checkpoint] of [...checkpoints.entries()].reverse()) {
    if (checkpoint.discarded || found.length >= search.limit) break;
    if (search.since && checkpoint.lastAt < search.since) break;
    const newest: ArchivedEntry[] = [];
    for await (const entry of archivedEntries(place, keyring, checkpoint, checkpoints[index - 1])) {
      if (isMatch(entry, search)) newest.push(entry);
      // Only the newest of a file are wanted, however many fit.
      if (newest.length > 2 * search.limit) newest.splice(0, newest.length - search.limit);
    }
    found.push(...newest.reverse());
  }
  return found.slice(0, search.limit);
}

/** The entries of one file of the archive. @param before the checkpoint before it @throws Failure unprocessable where it cannot be used */
export async function* archivedEntries(
  place: ArchivePlace,
  keyring: Keyring,
  checkpoint: Checkpoint,
  before: Checkpoint | undefined,
): AsyncGenerator<ArchivedEntry> {
  try {
    for await (const step of readArchiveFile(place, keyring, checkpoint, toChainPlace(before))) {
      if (!('link' in step)) throw new ArchiveError(step.what);
      for (const { resourceIds, patientIds, ...entry } of step.entries)
        yield { ...entry, resourceIds: readIds(resourceIds), patientIds: readIds(patientIds) };
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    throw new Failure('unprocessable', 'archive_unusable', `The archive cannot be used: ${error.message}.`);
  }
}

/** Reading the audit is audited. */
export function recordArchiveSearch({ journal }: Caller, { patientId }: ArchiveSearch): void {
  const audited = patientId === undefined ? {} : { patientIds: [patientId] };
  journal.audits.push({ action: 'search', resource: 'audit_entry', ids: [], ...audited, detail: 'archive' });
}

/** The ids of a list as the log writes it. */
const readIds = (list: string | null): number[] => (list?.match(/\d+/g) ?? []).map(Number);

function isMatch(entry: ArchivedEntry, { patientId, actor, since, before }: ArchiveSearch): boolean {
  const isPatients = patientId === undefined || listEntryPatients(entry).includes(patientId);
  const isBy = actor === undefined || entry.actor === actor || (actor === OPERATOR && entry.actor.startsWith(`${OPERATOR}:`));
  return (
    isPatients && isBy && (before === undefined || Number(entry.id) < before) && (since === undefined || entry.at >= since.toISOString())
  );
}

export const listEntryPatients = ({ resource, resourceIds, patientIds }: ArchivedEntry): number[] => [
  ...patientIds,
  ...(resource === 'patient' ? resourceIds : []),
];
