import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/keyring.ts';
import { preparedIn } from '../../../database/statement.ts';
import { type Caller, OPERATOR } from '../../caller.ts';
import { Failure } from '../../errors.ts';
import type { Entry } from '../chain-links.ts';
import { placeOf, readCheckpoints } from './checkpoints.ts';
import { openSegment, SegmentError, walkSegment } from './read-segment.ts';
import type { ArchivePlace } from './segment-format.ts';

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

/** An entry with its lists of ids. */
export type ArchivedEntry = Omit<Entry, 'resourceIds' | 'patientIds'> & { resourceIds: number[]; patientIds: number[] };

/**
 * Entries of a practice that are in the archive, the newest first. Segments are read through, the newest first, until there are enough.
 * Only for operators, who see restricted charts; recordArchiveSearch audits it.
 * @throws Failure unprocessable where a segment cannot be used
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
    if (checkpoint.discard || found.length >= search.limit) break;
    if (search.since && checkpoint.lastAt < search.since) break;
    const at = placeOf(checkpoints[index - 1]);
    const newest: ArchivedEntry[] = [];
    try {
      for await (const step of walkSegment(place, keyring, await openSegment(place, keyring, checkpoint), at)) {
        if (!('link' in step)) throw new SegmentError(step.what);
        newest.push(...step.entries.map(withLists).filter((entry) => fits(entry, search)));
        // Only the newest of a segment are wanted, however many fit.
        if (newest.length > 2 * search.limit) newest.splice(0, newest.length - search.limit);
      }
    } catch (error) {
      if (error instanceof SegmentError)
        throw new Failure('unprocessable', 'archive_unusable', `The archive cannot be used: ${error.message}.`);
      throw error;
    }
    found.push(...newest.reverse());
  }
  return found.slice(0, search.limit);
}

/** Reading the audit is audited. */
export function recordArchiveSearch({ journal }: Caller, { patientId }: ArchiveSearch): void {
  const audited = patientId === undefined ? {} : { patientIds: [patientId] };
  journal.audits.push({ action: 'search', resource: 'audit_entry', ids: [], ...audited, detail: 'archive' });
}

function withLists({ resourceIds, patientIds, ...entry }: Entry): ArchivedEntry {
  return { ...entry, resourceIds: idsOf(resourceIds), patientIds: idsOf(patientIds) };
}

/** The ids of a list as the log writes it. */
export const idsOf = (list: string | null): number[] => (list?.match(/\d+/g) ?? []).map(Number);

function fits(entry: ArchivedEntry, { patientId, actor, since, before }: ArchiveSearch): boolean {
  const isOf = patientId === undefined || patientsOf(entry).includes(patientId);
  const isBy = actor === undefined || entry.actor === actor || (actor === OPERATOR && entry.actor.startsWith(`${OPERATOR}:`));
  return isOf && isBy && (before === undefined || Number(entry.id) < before) && (since === undefined || entry.at >= since.toISOString());
}

/** The patients that an entry names. */
export const patientsOf = ({
  resource,
  resourceIds,
  patientIds,
}: Pick<ArchivedEntry, 'resource' | 'resourceIds' | 'patientIds'>): number[] => [
  ...patientIds,
  ...(resource === 'patient' ? resourceIds : []),
];
