import { Counter } from 'prom-client';
import type { Database } from '../../database/database.ts';
import { jobCaller } from '../../domain/caller.ts';
import { eventId } from '../../domain/events/public-event.ts';
import { findFaults } from '../../domain/values/test-practices.ts';
import type { ClaimedRow } from '../../domain/webhooks/attempts.sql.ts';
import {
  type Attempted,
  claimDeliveries,
  endpointAddress,
  endpointsToServe,
  GONE,
  giveBack,
  isDelivered,
  noteFailing,
  noteReached,
  recordAttempts,
} from '../../domain/webhooks/attempts.ts';
import type { EndpointRow } from '../../domain/webhooks/fan-out.sql.ts';
import { endpointsToQueue, queueForEndpoint } from '../../domain/webhooks/fan-out.ts';
import { signingSecrets } from '../../domain/webhooks/secrets.ts';
import { type SigningSecret, webhookHeaders } from '../../domain/webhooks/signatures.ts';
import { hasFailedTooLong, type SwitchOffReason, switchOff } from '../../domain/webhooks/switch-off.ts';
import { inSpan, traceHeaders } from '../../tracing/spans.ts';
import { jobGauge } from '../measures/job-gauge.ts';
import type { JobDeps } from '../queue/job-deps.ts';
import { pause } from '../queue/pause.ts';

const attempts = new Counter({
  name: 'webhook_attempts_total',
  help: 'Attempts of this process to deliver an event to a webhook endpoint, by resulting state: delivered, pending (to be retried), dead',
  labelNames: ['state'],
});
for (const state of ['delivered', 'pending', 'dead'] as const) attempts.inc({ state }, 0);
const oldestDue = jobGauge('webhook_oldest_due_seconds', 'Seconds that the oldest due webhook delivery has waited; 0 if none is due');

/** Milliseconds between two looks for what is new in the log, and for what is due. */
const POLL_MS = 250;
/** Milliseconds for which further answers are waited for after one, so that one transaction records them. */
const GATHER_MS = 20;
/** Deliveries of one endpoint that a process sends at a time. */
const WINDOW = 8;
/** Milliseconds for which the address and the secrets of an endpoint are taken as they were read. */
const TARGET_MS = 1_000;
/** Milliseconds that a stop waits for answers; deliveries without one by then are given back. */
const STOP_WITHIN_MS = 4_000;
/** Milliseconds between attempts to record what was answered, while the database cannot be reached. */
const RECORD_RETRY_MS = 1_000;
const RECORD_TRIES = 20;

/** Queues and sends deliveries until the signal. Each endpoint has connections and a window of its own: one that hangs delays no other. */
export async function serveWebhooks(deps: JobDeps, stopping: AbortSignal): Promise<void> {
  const serving = new Map<number, Promise<void>>();
  const cut = new AbortController();
  const warn = (error: unknown) => deps.logger.warn({ err: error, job: 'send-webhooks' }, 'job failed; it runs again');
  while (!stopping.aborted) {
    const hasMore = await queueWebhooks(deps.database).catch(warn);
    const due = await dueEndpoints(deps).catch(warn);
    for (const endpoint of due ?? []) {
      if (serving.has(endpoint.endpointId)) continue;
      const served = serveEndpoint({ deps, endpoint, stopping, cut: cut.signal })
        .catch(warn)
        .finally(() => serving.delete(endpoint.endpointId));
      serving.set(endpoint.endpointId, served);
    }
    if (hasMore !== true) await pause(POLL_MS, stopping);
  }
  const timer = setTimeout(() => cut.abort(), STOP_WITHIN_MS);
  await Promise.all(serving.values());
  clearTimeout(timer);
}

async function dueEndpoints({ database }: JobDeps): Promise<EndpointRow[]> {
  const due = await endpointsToServe(database.pool);
  oldestDue.set(Math.max(0, ...due.map(({ dueSince }) => (Date.now() - dueSince.getTime()) / 1000)));
  return due.map(({ organizationId, endpointId }) => ({ organizationId, endpointId }));
}

interface Serving {
  deps: JobDeps;
  endpoint: EndpointRow;
  /** No delivery is claimed any more. */
  stopping: AbortSignal;
  /** No answer is waited for any more. */
  cut: AbortSignal;
}

/** Sends what is due to an endpoint, a window of deliveries at a time, until nothing is. */
async function serveEndpoint(serving: Serving): Promise<void> {
  const { deps, endpoint, stopping, cut } = serving;
  const { pool } = deps.database;
  const findTarget = createTargetReader(deps, endpoint);
  const underWay = new Set<Promise<void>>();
  const answered: Attempted[] = [];
  const unanswered: ClaimedRow[] = [];
  for (;;) {
    const target = await findTarget();
    const free = target === null || stopping.aborted ? 0 : WINDOW - underWay.size;
    for (const delivery of free === 0 ? [] : await claimDeliveries(pool, endpoint, free)) {
      const sent: Promise<void> = send(deps, { target, delivery, organizationId: endpoint.organizationId }, cut).then((answer) => {
        underWay.delete(sent);
        if (answer === null) unanswered.push(delivery);
        else answered.push({ delivery, answer });
      });
      underWay.add(sent);
    }
    if (underWay.size + answered.length + unanswered.length === 0) return;
    if (answered.length + unanswered.length === 0) await Promise.race([...underWay, pause(POLL_MS, cut)]);
    if (answered.length > 0 && underWay.size > 0) await Promise.race([Promise.all(underWay), pause(GATHER_MS, cut)]);
    await giveBack(pool, endpoint, unanswered.splice(0));
    if (answered.length > 0) await record(serving, { target, attempted: answered.splice(0) });
  }
}

/** Where deliveries go, and the keys that sign them. */
interface Target {
  url: string;
  /** Since when nothing was delivered. */
  failingSince: Date | null;
  secrets: SigningSecret[];
}

/** Reads the target of an endpoint, at most once a second; null where it is switched off. */
function createTargetReader({ database, keyring }: JobDeps, endpoint: EndpointRow): () => Promise<Target | null> {
  let known: Target | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - readAt < TARGET_MS) return known;
    const address = await endpointAddress(database.pool, endpoint);
    known = address && { ...address, secrets: await signingSecrets(database.prisma, keyring, endpoint) };
    readAt = performance.now();
    return known;
  };
}

/** @returns null where the answer was not waited for */
async function send(
  { gateways }: JobDeps,
  { target, delivery, organizationId }: { target: Target | null; delivery: ClaimedRow; organizationId: number },
  cut: AbortSignal,
): Promise<Attempted['answer'] | null> {
  if (target === null) return null;
  const { webhookDelayMs } = findFaults(organizationId);
  if (webhookDelayMs > 0) await pause(webhookDelayMs, cut);
  const message = { id: eventId(delivery.eventId), timestamp: Math.floor(Date.now() / 1000), body: delivery.payload };
  const headers = webhookHeaders(target.secrets, message, delivery.sequence);
  const answer = await inSpan({ kind: 'job', name: 'job send-webhook' }, () =>
    gateways.webhooks.post({ url: target.url, headers: { ...headers, ...traceHeaders() }, body: message.body }, cut),
  );
  return cut.aborted && answer.failure !== null ? null : answer;
}

/** Records what was answered; an outage of the database is waited for, as long as nobody else sends the same. */
async function record({ deps, endpoint, cut }: Serving, { target, attempted }: { target: Target | null; attempted: Attempted[] }) {
  const { pool } = deps.database;
  for (let tries = 1; ; tries += 1) {
    try {
      for (const state of await recordAttempts(pool, endpoint, attempted)) attempts.inc({ state });
      break;
    } catch (error) {
      if (tries === RECORD_TRIES || cut.aborted) throw error;
      await pause(RECORD_RETRY_MS, cut);
    }
  }
  const failingSince = target?.failingSince ?? null;
  const isReached = attempted.some(({ answer }) => isDelivered(answer));
  if (isReached && failingSince) await noteReached(pool, endpoint, failingSince);
  if (!isReached && !failingSince) await noteFailing(pool, endpoint);
  const reason = reasonToSwitchOff(attempted, isReached ? null : failingSince);
  if (reason === null) return;
  await deps.outbox.open();
  await deps.unitOfWork.write(jobCaller(endpoint.organizationId, 'send-webhooks'), (tx) =>
    switchOff(tx, deps, { endpointId: endpoint.endpointId, reason }),
  );
}

function reasonToSwitchOff(attempted: readonly Attempted[], failingSince: Date | null): SwitchOffReason | null {
  if (attempted.some(({ answer }) => answer.status === GONE)) return 'gone';
  return hasFailedTooLong(failingSince, new Date()) ? 'failing' : null;
}

/** Endpoints for which a process queues at a time. */
const AT_ONCE = 3;

/**
 * Queues deliveries of what is new in the log: a batch for each endpoint, so that one with much to catch up on holds no other up.
 * @returns whether there may be more
 * @throws the first error, after all endpoints were tried
 */
export async function queueWebhooks({ pool }: Pick<Database, 'pool'>): Promise<boolean> {
  const failures: unknown[] = [];
  let hasMore = false;
  const waiting = await endpointsToQueue(pool);
  const queueNext = async (): Promise<void> => {
    for (let endpoint = waiting.shift(); endpoint; endpoint = waiting.shift()) {
      const isFull = await queueForEndpoint(pool, endpoint).catch((error: unknown) => void failures.push(error));
      hasMore ||= isFull === true;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, queueNext));
  if (failures.length > 0) throw failures[0];
  return hasMore;
}
