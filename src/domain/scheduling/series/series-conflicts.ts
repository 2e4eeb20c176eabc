import type { Caller } from '../../caller.ts';
import { Failure } from '../../errors.ts';

/** Whether times that cannot be had are left out, or refuse the whole. */
export const ON_CONFLICT = ['skip', 'refuse'] as const;
export type OnConflict = (typeof ON_CONFLICT)[number];

/** The codes of a time that cannot be had; anything else refuses the whole. */
const CONFLICTS = new Set(['skipped_by_clock_change', 'double_booked', 'time_taken']);

/** A visit of a series that is to be booked, changed or cancelled. */
interface Planned {
  /** Null for a new one. */
  id: number | null;
  /** On the wall clock, such as `2031-03-09T02:30:00`. */
  date: string;
}

/** The outcome of the visits. */
export interface Handled {
  /** Ids, by time. */
  done: number[];
  conflicts: (Planned & { code: string; detail: string })[];
}

/**
 * Handles the visits of a series one after the other. Warnings name the visit that they are about, and the patient hears of the earliest visit.
 * @throws Failure conflict for times that cannot be had, unless others could be and those are skipped
 */
export async function handleAppointments<V extends Planned>(
  { journal }: Caller,
  visits: readonly V[],
  onConflict: OnConflict,
  handle: (visit: V) => Promise<number>,
): Promise<Handled> {
  const handled: (Planned & { id: number })[] = [];
  const conflicts: Handled['conflicts'] = [];
  const before = journal.events.length;
  for (const visit of visits) {
    const { id, date } = visit;
    const cautions = journal.cautions.length;
    try {
      handled.push({ id: await handle(visit), date });
    } catch (error) {
      conflicts.push({ id, date, ...readConflict(error) });
    }
    for (const caution of journal.cautions.slice(cautions)) caution.detail = `${date}: ${caution.detail}`;
  }
  if (conflicts.length > 0 && (onConflict === 'refuse' || handled.length === 0)) throw refusal(conflicts, visits.length);
  const byDate = <T extends Planned>(list: T[]): T[] => list.toSorted((one, other) => (one.date < other.date ? -1 : 1));
  const done = byDate(handled).map(({ id }) => id);
  // Told of each visit, the patient would get a hundred messages. Only a notice that the change withdraws is replaced.
  for (const event of journal.events.slice(before))
    if (event.notice && event.id !== done[0])
      event.notice = { ...event.notice, asked: event.notice.asked === 'none' ? 'none' : null, usual: 'none', ruled: false };
  return { done, conflicts: byDate(conflicts) };
}

function readConflict(error: unknown): { code: string; detail: string } {
  if (!(error instanceof Failure)) throw error;
  const [{ code, message: detail } = error] = error.issues;
  if (!CONFLICTS.has(code)) throw error;
  return { code, detail };
}

function refusal(conflicts: Handled['conflicts'], all: number): Failure {
  const issues = conflicts.map(({ date, code, detail }) => ({ field: 'date', code, message: `${date}: ${detail}` }));
  return new Failure('conflict', 'series_conflict', `${conflicts.length} of ${all} times are not available; nothing was changed.`, {
    issues,
  });
}
