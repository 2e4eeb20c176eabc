import { duration, writeQuantity } from '../../database/measures/quantities.ts';
import { measureConnections } from '../../database/measures/server-load.ts';
import { JOBS_SEEN_WITHIN_SECONDS, secondsSinceJobs } from '../../database/readiness.ts';
import { signAnchor } from '../../domain/audit/chain/anchors.ts';
import { queueBacklog, readHiddenSeconds, unsealedSeconds } from '../../jobs/measures/backlog.ts';
import { byLimit, type DatabaseCheck, fail, ok, warn } from './finding.ts';

/** Share of the connections that PostgreSQL allows. */
const CONNECTIONS = { warn: 0.8, fail: 0.95 };
/** Seconds for which what is written may not be read by followers of the log. */
const HORIZON = { warn: 30, fail: 600 };
/** Seconds since somebody was seen to run jobs. */
const JOBS = { warn: JOBS_SEEN_WITHIN_SECONDS, fail: 900 };
/** Seconds that a job may be late. */
const QUEUE = { warn: 60, fail: 900 };
/** Seconds until an audit entry is sealed. */
const SEAL = { warn: 60, fail: 900 };

const WORKERS = 'No process may be running jobs: start the server with RUN_JOBS=true, or run: npm run worker';

/** Connections, the log, jobs, deliveries, and the seals of the audit. */
export const WORK_CHECKS: readonly DatabaseCheck[] = [
  {
    name: 'connections',
    async look({ database: { pool } }) {
      const { used, allowed } = await measureConnections(pool);
      const advice = 'Lower DATABASE_POOL of some processes, or raise max_connections of PostgreSQL, which requires a restart.';
      const figures = { used, allowed };
      return byLimit(used / allowed, CONNECTIONS, { found: `${used} of ${allowed} connections are taken`, advice, figures });
    },
  },
  {
    name: 'log horizon',
    async look({ database: { pool } }) {
      const [waits, { rows }] = await Promise.all([readHiddenSeconds(pool), pool.query<{ holder: string }>(HOLDER)]);
      const figures = { oldest_unread_seconds: Math.round(waits) };
      if (waits < HORIZON.warn) return ok('readers of the events are up to date', figures);
      const holder = rows[0]?.holder ?? 'a transaction of another role or database of this PostgreSQL, or a prepared one';
      const found = `events and audit entries of the last ${duration(waits)} cannot be read or sealed yet: ${holder} is open`;
      const advice = 'End it: SELECT pg_terminate_backend(pid); a prepared one: ROLLBACK PREPARED.';
      return byLimit(waits, HORIZON, { found, advice, figures });
    },
  },
  {
    name: 'jobs',
    async look({ database: { pool } }) {
      const seconds = await secondsSinceJobs(pool);
      if (seconds === null) return warn('no process has run jobs on this database yet', WORKERS);
      const found = seconds < JOBS.warn ? 'a process runs them' : `no process has run them for ${duration(seconds)}`;
      return byLimit(seconds, JOBS, { found, advice: WORKERS, figures: { last_seen_seconds: Math.max(0, Math.round(seconds)) } });
    },
  },
  {
    name: 'queue',
    async look({ database: { pool } }) {
      const queues = (await queueBacklog(pool)).filter(({ due }) => due > 0);
      const jobs = queues.reduce((sum, { due }) => sum + due, 0);
      const late = Math.max(0, ...queues.map(({ oldestSeconds }) => oldestSeconds));
      const names = queues.map(({ queue, due }) => `${due} ${queue}`).join(', ');
      const found = jobs === 0 ? 'nothing waits' : `${names} waiting, the oldest for ${duration(late)}`;
      return byLimit(late, QUEUE, { found, advice: WORKERS, figures: { waiting: jobs, oldest_seconds: Math.round(late) } });
    },
  },
  {
    name: 'webhooks',
    async look({ database: { pool } }) {
      const { rows } = await pool.query<{ late: string; off: string }>(LATE_DELIVERIES);
      const [late, off] = [Number(rows[0]?.late ?? 0), Number(rows[0]?.off ?? 0)];
      const figures = { oldest_due_seconds: Math.round(late), switched_off: off };
      const found = late < 1 ? 'nothing is due' : `the oldest delivery that is due waits for ${duration(late)}`;
      const also = off === 0 ? '' : `; ${writeQuantity(off, 'endpoint was', 'endpoints were')} switched off after failures of the receiver`;
      return byLimit(late, QUEUE, { found: `${found}${also}`, advice: WORKERS, figures });
    },
  },
  {
    name: 'seals',
    async look({ database: { pool } }) {
      const late = await unsealedSeconds(pool);
      const found = late < SEAL.warn ? 'the audit is sealed' : `audit entries of the last ${duration(late)} are not sealed`;
      return byLimit(late, SEAL, { found, advice: WORKERS, figures: { oldest_unsealed_seconds: Math.round(late) } });
    },
  },
  {
    name: 'audit chains',
    async look({ db, keyring }) {
      const { chains, refused } = await signAnchor(db, keyring);
      const figures = { chains, refused: refused.length };
      if (refused.length === 0) return ok(`${writeQuantity(chains, 'chain ends as it was', 'chains end as they were')} left`, figures);
      const [first] = refused;
      const more = refused.length === 1 ? '' : `, and ${refused.length - 1} more`;
      return fail(
        `the chain of practice ${first?.organizationId} does not hold: ${first?.reason}${more}`,
        'The audit was changed, or the keys differ: npm run admin -- audit verify, and docs/security.md.',
        figures,
      );
    },
  },
];

/** The oldest open transaction that has written. Of other roles' transactions nothing is visible. */
const HOLDER = `
  SELECT format('the transaction of process %s (%s), begun %s', pid, application_name, to_char(xact_start, 'YYYY-MM-DD"T"HH24:MI:SSOF')) AS holder
    FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid() ORDER BY xact_start LIMIT 1`;

const LATE_DELIVERIES = `
  SELECT (SELECT coalesce(extract(epoch FROM now() - min(next_attempt_at)), 0) FROM webhook_delivery d
           WHERE state = 'pending' AND next_attempt_at <= now()
             AND EXISTS (SELECT FROM webhook_endpoint e WHERE e.organization_id = d.organization_id AND e.id = d.webhook_endpoint_id AND e.active)) AS late,
         (SELECT count(*) FROM webhook_endpoint WHERE switched_off IS NOT NULL AND deleted_at IS NULL) AS off`;
