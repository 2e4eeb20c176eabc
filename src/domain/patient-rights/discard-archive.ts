import { createHash } from 'node:crypto';
import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/keyring.ts';
import { preparedIn } from '../../database/statement.ts';
import { type KeptCheckpoint, keepDiscard, placeOf, readCheckpoints } from '../audit/archive/checkpoints.ts';
import { openSegment, SegmentError, walkSegment } from '../audit/archive/read-segment.ts';
import { idsOf, patientsOf } from '../audit/archive/search-archive.ts';
import type { ArchivePlace } from '../audit/archive/segment-format.ts';
import type { Caller } from '../caller.ts';
import { conflict } from '../errors.ts';
import { readHeld } from './legal-holds.ts';
import { readRetentionPolicy } from './retention-policy.ts';

/** The segments of one practice that may be discarded. */
export interface DiscardPlan {
  organizationId: number;
  segments: KeptCheckpoint[];
  /** The reason why the next one is kept, in words; null where none is left from before the instant. */
  kept: string | null;
}

/**
 * Finds the segments, the oldest first, whose every entry is from before an instant and older than the practice keeps its archive, and
 * that no legal hold concerns. A segment is read through for the patients whom it names.
 * @throws Failure conflict where the checkpoints do not hold, or a segment cannot be read
 */
export async function planDiscard(
  db: Db,
  organizationId: number,
  keyring: Keyring,
  place: ArchivePlace,
  before: Date,
): Promise<DiscardPlan> {
  const { checkpoints, flaw } = await readCheckpoints(preparedIn(db), keyring, organizationId);
  if (flaw !== null) throw conflict('archive_broken', `The archive of organization ${organizationId} does not hold: ${flaw}.`);
  const { auditYears } = await readRetentionPolicy(db, organizationId);
  const held = await readHeld(db, organizationId);
  const plan: DiscardPlan = { organizationId, segments: [], kept: null };
  const there = new Set(await place.list());
  for (const [index, checkpoint] of checkpoints.entries()) {
    if (checkpoint.discard) {
      // The note is made first: what a run that was killed has left is removed now.
      if (there.has(checkpoint.segment)) plan.segments.push(checkpoint);
      continue;
    }
    if (checkpoint.lastAt >= before) break;
    const named = `segment ${checkpoint.segment}`;
    const until = keptUntil(checkpoint, auditYears);
    if (until > new Date())
      plan.kept = `${named} is kept until ${until.toISOString().slice(0, 10)}, ${auditYears} years after its newest entry`;
    else if (held.practice) plan.kept = `a legal hold keeps everything of the practice, ${named} too`;
    else if (held.charts.length > 0 && (await namesAny(place, keyring, checkpoint, checkpoints[index - 1], held.charts)))
      plan.kept = `a legal hold keeps everything about a patient whom ${named} names`;
    if (plan.kept !== null) break;
    plan.segments.push(checkpoint);
  }
  return plan;
}

/** The instant until which a practice keeps a segment. */
export function keptUntil({ lastAt }: Pick<KeptCheckpoint, 'lastAt'>, years: number): Date {
  const until = new Date(lastAt);
  until.setUTCFullYear(until.getUTCFullYear() + years);
  return until;
}

/** A word that confirms exactly these segments. */
export function wordOf(plans: readonly DiscardPlan[]): string {
  const names = plans.flatMap(({ organizationId, segments }) =>
    segments.map(({ segment, hash }) => [organizationId, segment, hash.toString('hex')]),
  );
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 12);
}

/** Notes that segments are discarded, each as an entry of the audit; the caller removes them from the place after that. */
export async function noteDiscarded(db: Db, caller: Caller, keyring: Keyring, { segments }: DiscardPlan, operator: string): Promise<void> {
  for (const { organizationId, position, previousPosition, segment, discard } of segments) {
    if (discard) continue;
    await keepDiscard(preparedIn(db), keyring, { organizationId, position, operator, at: new Date() });
    caller.journal.audits.push({
      ...{ action: 'administer', resource: 'audit_chain', ids: [] },
      detail: `entries ${previousPosition + 1n} to ${position} discarded from the archive, segment ${segment}`,
    });
  }
}

async function namesAny(
  place: ArchivePlace,
  keyring: Keyring,
  checkpoint: KeptCheckpoint,
  before: KeptCheckpoint | undefined,
  charts: readonly number[],
): Promise<boolean> {
  const wanted = new Set(charts);
  try {
    for await (const step of walkSegment(place, keyring, await openSegment(place, keyring, checkpoint), placeOf(before))) {
      if (!('link' in step)) throw new SegmentError(step.what);
      for (const { resource, resourceIds, patientIds } of step.entries)
        if (patientsOf({ resource, resourceIds: idsOf(resourceIds), patientIds: idsOf(patientIds) }).some((id) => wanted.has(id)))
          return true;
    }
    return false;
  } catch (error) {
    if (error instanceof SegmentError) throw conflict('archive_unusable', `The archive cannot be used: ${error.message}.`);
    throw error;
  }
}
