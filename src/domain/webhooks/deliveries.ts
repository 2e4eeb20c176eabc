import type { Prisma, WebhookDelivery, WebhookDeliveryState, WebhookReplay } from '../../generated/prisma/client.ts';
import { conflict, gone, invalid, notFound } from '../errors.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import type { DateRange } from '../values/time/date-range.ts';
import { readNames, requireEndpoint } from './endpoints.ts';

/** An event on its way to an endpoint, or arrived there. */
export type Delivery = WebhookDelivery;

/** A request to deliver past events once more. */
export type Replay = WebhookReplay;

export interface DeliverySearch {
  state: WebhookDeliveryState | undefined;
  /** When they were queued. */
  range: DateRange;
  /** Only later ones, the earliest first. */
  afterSequence: number | undefined;
  /** Only earlier ones, the latest first, as without either. */
  beforeSequence: number | undefined;
  limit: number;
}

/**
 * The deliveries of an endpoint by their sequence.
 * @returns whether there are more behind them
 * @throws Failure not_found, also for an endpoint of another client
 */
export async function listDeliveries(
  tx: Tx,
  endpointId: number,
  { state, range, afterSequence, beforeSequence, limit }: DeliverySearch,
): Promise<{ deliveries: Delivery[]; hasMore: boolean }> {
  await requireEndpoint(tx, endpointId);
  const found = await tx.prisma.webhookDelivery.findMany({
    where: {
      ...tx.practice,
      webhookEndpointId: endpointId,
      ...(state ? { state } : {}),
      ...(range.from || range.before ? { createdAt: whereBetween(range) } : {}),
      ...(afterSequence === undefined && beforeSequence === undefined
        ? {}
        : { sequence: { ...(afterSequence === undefined ? { lt: beforeSequence ?? 0 } : { gt: afterSequence }) } }),
    },
    orderBy: { sequence: afterSequence === undefined ? 'desc' : 'asc' },
    take: limit + 1,
  });
  return { deliveries: found.slice(0, limit), hasMore: found.length > limit };
}

const whereBetween = ({ from, before }: DateRange): Prisma.DateTimeFilter => ({
  ...(from && { gte: from }),
  ...(before && { lt: before }),
});

/**
 * Delivers once more what was delivered or is dead, and at once what waits for another attempt. One that is being sent is left to that.
 * One about whose record an earlier delivery is pending waits for that.
 * @throws Failure not_found, also for a delivery to an endpoint of another client
 */
export async function retryDelivery(tx: Tx, id: number): Promise<Delivery> {
  const { organizationId } = tx;
  const key = tx.key(id);
  const found = await tx.prisma.webhookDelivery.findUnique({ where: key, select: { webhookEndpointId: true } });
  if (!found) throw notFound('delivery');
  await requireEndpoint(tx, found.webhookEndpointId).catch(() => {
    throw notFound('delivery');
  });
  // As those who queue do: meanwhile none about the same record is finished, and none is queued.
  await tx.prisma
    .$queryRaw`SELECT id FROM webhook_endpoint WHERE organization_id = ${organizationId} AND id = ${found.webhookEndpointId} FOR NO KEY UPDATE`;
  const delivery = await tx.prisma.webhookDelivery.findUniqueOrThrow({ where: key });
  const { subjectType, subjectId, sequence, webhookEndpointId } = delivery;
  const earlier = await tx.prisma.webhookDelivery.findFirst({
    where: { organizationId, webhookEndpointId, subjectType, subjectId, state: 'pending', sequence: { lt: sequence } },
    select: { id: true },
  });
  tx.journal.audits.push({ action: 'administer', resource: 'webhook_delivery', ids: [id], detail: 'webhook_delivery.retried' });
  if (isBeingSent(delivery)) return delivery;
  return tx.prisma.webhookDelivery.update({
    where: key,
    data: {
      ...(delivery.state === 'pending' ? {} : { state: 'pending', attempts: 0, finishedAt: null }),
      nextAttemptAt: earlier ? null : new Date(),
    },
  });
}

/** Whether a process waits for the receiver’s answer at this moment. */
export const isBeingSent = ({ state, claimedUntil }: Pick<Delivery, 'state' | 'claimedUntil'>, now = new Date()): boolean =>
  state === 'pending' && claimedUntil !== null && claimedUntil > now;

export interface ReplayInput {
  from: Date;
  /** Excluded. */
  to: Date;
  /** Names and patterns; none: those of the endpoint. */
  eventNames: string[];
}

/**
 * Asks for past events to be delivered once more, under new sequence numbers.
 * @throws Failure not_found; invalid for a range that is empty or ends in the future; gone where the log begins later; conflict
 *   replay_open until the last delivery of the replay before is delivered or dead
 */
export async function replay(tx: Tx, endpointId: number, { from, to, eventNames }: ReplayInput): Promise<Replay> {
  await requireEndpoint(tx, endpointId);
  const names = readNames(eventNames);
  if (from >= new Date()) throw invalid('from', 'must be in the past', 'range_is_empty');
  if (from >= to) throw invalid('from', 'must be before to', 'range_is_empty');
  await requireKept(tx, from);
  await requireNoOpenReplay(tx, endpointId);
  tx.journal.audits.push({
    action: 'administer',
    resource: 'webhook_endpoint',
    ids: [endpointId],
    detail: 'webhook_endpoint.replayed',
  });
  return tx.prisma.webhookReplay.create({
    data: { ...tx.practice, webhookEndpointId: endpointId, fromTime: from, toTime: to, eventNames: names },
  });
}

async function requireNoOpenReplay(tx: PracticeTx, webhookEndpointId: number): Promise<void> {
  const { organizationId } = tx;
  // One after the other, so that two do not find none.
  await tx.prisma
    .$queryRaw`SELECT id FROM webhook_endpoint WHERE organization_id = ${organizationId} AND id = ${webhookEndpointId} FOR NO KEY UPDATE`;
  const ofEndpoint = { organizationId, webhookEndpointId };
  const queueing = await tx.prisma.webhookReplay.findFirst({ where: { ...ofEndpoint, finishedAt: null }, select: { id: true } });
  const sending = await tx.prisma.webhookDelivery.findFirst({
    where: { ...ofEndpoint, state: 'pending', replayId: { not: null } },
    select: { replayId: true },
  });
  const open = queueing?.id ?? sending?.replayId;
  if (open)
    throw conflict('replay_open', `Replay ${open} of this endpoint is still running: it ends when its last delivery is delivered or dead.`);
}

/** Where events were deleted by age, those from before the oldest that is kept cannot be delivered again. */
async function requireKept(tx: PracticeTx, from: Date): Promise<void> {
  const start = await tx.prisma.eventLogStart.findUnique({ where: tx.practice });
  if (!start) return;
  const oldest = await tx.prisma.event.findFirst({
    where: tx.practice,
    orderBy: [{ transactionId: 'asc' }, { id: 'asc' }],
    select: { occurredAt: true },
  });
  if (from < (oldest?.occurredAt ?? start.deletedAt))
    throw gone('cursor_expired', 'Events from then are no longer stored. Choose a later start.', 'from');
}
