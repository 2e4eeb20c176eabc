import type { Db } from '../../database/database.ts';
import type { Caller } from '../caller.ts';

/**
 * Does something and takes it back in the same transaction: the result is that of the real thing, with all of its checks. Of the
 * journal only the audit of what was read stays.
 * @throws what the work throws
 */
export async function withoutEffect<T>(db: Db, { journal }: Caller, work: () => Promise<T>): Promise<T> {
  const [events, jobs, notices, audits] = [journal.events.length, journal.jobs.length, journal.notices.length, journal.audits.length];
  await db.$executeRaw`SAVEPOINT dry_run`;
  const result = await work();
  await db.$executeRaw`ROLLBACK TO SAVEPOINT dry_run`;
  journal.events.length = events;
  journal.jobs.length = jobs;
  journal.notices.length = notices;
  const reads = journal.audits.slice(audits).filter(({ action, resource }) => action === 'read' && resource === 'patient');
  journal.audits.splice(audits, Number.POSITIVE_INFINITY, ...reads);
  return result;
}
