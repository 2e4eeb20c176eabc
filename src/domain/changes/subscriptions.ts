import { readHorizon } from '../../database/logs/log-order.ts';
import { type Caller, type CallerIdentity, readClientId } from '../caller.ts';
import { invalid } from '../errors.ts';
import type { Tx } from '../tx.ts';
import { ADD_CHANGED_RECORDS, BEGIN_SUBSCRIPTION, CHANGED_RECORDS, LOCK_SUBSCRIPTION, MOVE_SUBSCRIPTION } from './changed-records.sql.ts';
import { type ChangeFeed, listChangeNames, listDefaultNames } from './feeds.ts';

export interface ChangeSubscription {
  /** Whether it has all changes that a client gets who names none, some of its feed, or none. */
  extent: 'all' | 'some' | 'none';
  /** The names of its changes, in the order of the feed. */
  names: string[];
}

export interface WantedChanges {
  /** One name in any case; null: all but the optional ones. */
  name: string | null;
  /** Optional changes that it wants too where it gives no name. */
  besides: readonly string[];
}

export const requireClientId = (caller: CallerIdentity): string => {
  const clientId = readClientId(caller);
  if (clientId === null) throw new Error('only API clients subscribe to changes');
  return clientId;
};

const toKey = (caller: CallerIdentity, feed: ChangeFeed) => ({
  organizationId: caller.organizationId,
  clientId: requireClientId(caller),
  feed,
});

/** @param besides optional changes that it must have too, to have all */
export async function readSubscription(tx: Tx, feed: ChangeFeed, besides: readonly string[]): Promise<ChangeSubscription> {
  const found = await tx.prisma.changeSubscription.findUnique({ where: { organizationId_clientId_feed: toKey(tx, feed) } });
  const names = listChangeNames(feed).filter((name) => found?.changeNames.includes(name));
  if (names.length === 0) return { extent: 'none', names };
  const isWhole = [...listDefaultNames(feed), ...besides].every((name) => names.includes(name));
  return { extent: isWhole ? 'all' : 'some', names };
}

/**
 * Adds changes to a subscription, or begins one: changes from now on are told. Those from before count as they were subscribed.
 * @throws Failure invalid, naming `eventname`, for a name that the feed does not have
 */
export async function subscribe(tx: Tx, feed: ChangeFeed, wish: WantedChanges): Promise<void> {
  const wanted = wish.name === null ? [...listDefaultNames(feed), ...wish.besides] : [requireName(feed, wish.name)];
  const key = toKey(tx, feed);
  const noted = await noteChanges(tx, feed);
  if (noted) {
    const changeNames = [...new Set([...noted.names, ...wanted])];
    await tx.prisma.changeSubscription.update({
      where: { organizationId_clientId_feed: key },
      data: { changeNames },
      select: { feed: true },
    });
  } else {
    // Of two that begin it at once, the second fails at the key, is made again, and then finds it.
    await tx.rows(BEGIN_SUBSCRIPTION, [key.clientId, feed, wanted, await readHorizon(tx.prepared)]);
  }
  recordSubscription(tx, 'create', feed, wanted);
}

/**
 * Takes a change out of a subscription, or all; what waits of it is still told. Without any change left the subscription ends, and
 * nothing waits any more.
 * @param name in any case; null: all
 * @throws Failure invalid, as subscribe
 */
export async function unsubscribe(tx: Tx, feed: ChangeFeed, name: string | null): Promise<void> {
  const unwanted = name === null ? listChangeNames(feed) : [requireName(feed, name)];
  const key = toKey(tx, feed);
  const noted = await noteChanges(tx, feed);
  if (!noted) return;
  const left = noted.names.filter((name) => !unwanted.includes(name));
  const where = { organizationId_clientId_feed: key };
  if (left.length === 0) await tx.prisma.changeSubscription.delete({ where, select: { feed: true } });
  else await tx.prisma.changeSubscription.update({ where, data: { changeNames: left }, select: { feed: true } });
  recordSubscription(tx, 'delete', feed, unwanted);
}

function requireName(feed: ChangeFeed, name: string): string {
  const known = listChangeNames(feed).find((one) => one.toLowerCase() === name.toLowerCase());
  if (known === undefined) throw invalid('eventname', `must be one of ${listChangeNames(feed).join(', ')}`, 'unknown_event');
  return known;
}

const recordSubscription = ({ journal }: Caller, action: 'create' | 'delete', feed: ChangeFeed, names: readonly string[]): void =>
  void journal.audits.push({ action, resource: 'change_subscription', ids: [], detail: [feed, ...names].join(' ') });

interface NotedChanges {
  /** The changes that are subscribed. */
  names: string[];
  /** There are more, which the next call looks at. */
  isCut: boolean;
}

/**
 * Adds the records that changed since the last call to those that wait. Until the transaction ends, others wait for the subscription.
 * Events of a transaction are looked at once all earlier transactions have ended, so that none is skipped that is committed late.
 * @returns null without a subscription
 */
export async function noteChanges(tx: Tx, feed: ChangeFeed): Promise<NotedChanges | null> {
  const key = [requireClientId(tx), feed];
  const [subscription] = await tx.rows(LOCK_SUBSCRIPTION, key);
  if (!subscription) return null;
  const { changeNames: names, lastTransactionId, lastEventId } = subscription;
  const values = [lastTransactionId, lastEventId, names, await readHorizon(tx.prepared)];
  const [scanned] = await tx.rows(CHANGED_RECORDS[feed].scan, values);
  if (!scanned) throw new Error('there is a position behind the events that were looked at');
  const { recordIds, withdrawnIds, transactionId, eventId, isCut } = scanned;
  // One after the other: parts of one statement that read each other's rows would be sent to every node of a cluster.
  if (recordIds.length > 0) await tx.rows(ADD_CHANGED_RECORDS, [...key, recordIds, withdrawnIds]);
  await tx.rows(MOVE_SUBSCRIPTION, [...key, transactionId, eventId]);
  return { names, isCut };
}
