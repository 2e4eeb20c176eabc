import { statement } from '../../database/statements/statement.ts';
import type { Tx } from '../tx.ts';

const SAVEPOINT = statement<never>('savepoint_dry_run', 'SAVEPOINT dry_run');
const ROLLBACK = statement<never>('rollback_dry_run', 'ROLLBACK TO SAVEPOINT dry_run');

/**
 * Does something and takes it back in the same transaction: the result is that of the real thing, with all of its checks. Of the
 * journal only the audit of what was read stays.
 * @throws what the work throws
 */
export async function runAndRollBack<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const { journal } = tx;
  const [events, jobs, notices, audits] = [journal.events.length, journal.jobs.length, journal.notices.length, journal.audits.length];
  await tx.prepared.rows(SAVEPOINT, []);
  const result = await work();
  await tx.prepared.rows(ROLLBACK, []);
  journal.events.length = events;
  journal.jobs.length = jobs;
  journal.notices.length = notices;
  const reads = journal.audits
    .slice(audits)
    .filter(({ action, resource }) => ['read', 'search'].includes(action) && resource === 'patient');
  journal.audits.splice(audits, Number.POSITIVE_INFINITY, ...reads);
  return result;
}
