import { listDueDigests, sendDigest } from '../domain/users/request-digests.ts';
import type { JobDeps } from './queue/job-deps.ts';
import { type WriteEachDeps, writeEach } from './write-each.ts';

/** Mails per run. */
const MOST = 500;

/** Mails administrators what failed in a week, of the API clients for which they asked. */
export const sendRequestDigests = (deps: WriteEachDeps & Pick<JobDeps, 'keyring' | 'origin'>): Promise<void> =>
  writeEach(deps, 'request-digests', {
    list: (db) => listDueDigests(db, MOST),
    write: (db, caller, digest) => sendDigest(db, caller, deps, digest),
  });
