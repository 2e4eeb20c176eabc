import { databaseTime } from '../../database/clock.ts';
import { maySeeRestricted } from '../caller.ts';
import { forbidden } from '../errors.ts';
import type { Tx } from '../tx.ts';
import type { DateRange } from '../values/time/date-range.ts';
import { CHANGED_RECORDS, HAND_OUT } from './changed-records.sql.ts';
import type { ChangeFeed } from './feeds.ts';
import { noteChanges, requireClientId } from './subscriptions.ts';

/** A request for changed records. A filter that is null passes all; a record that a filter leaves out goes on waiting. */
export interface ChangeQuery {
  officeIds: readonly number[] | null;
  patientIds: readonly number[] | null;
  providerIds: readonly number[] | null;
  limit: number;
  /** Records to skip, where they stay: they are looked at, or were handed out. */
  offset: number;
  /** `take` hands out records that wait, `look` shows them and leaves them, a range shows those that were handed out in that time. */
  which: 'take' | 'look' | DateRange;
}

/** A page of changed records, each once, however often it changed. */
export interface ChangedPage {
  recordIds: number[];
  /** Those among them that the caller may not see any more. */
  withdrawnIds: number[];
  /** Records without the limit. */
  total: number;
  /** There are more behind this page. */
  hasMore: boolean;
}

/**
 * The ids of records that changed, in the order of their first change since each was handed out, or of the time when it was. To be
 * called in a transaction, which also reads the records: of two callers at once each record goes to one, and if the transaction
 * fails it goes on waiting. A change that is committed later makes the record wait again.
 * @throws Failure forbidden without a subscription
 */
export async function findChangedRecords(tx: Tx, feed: ChangeFeed, query: ChangeQuery): Promise<ChangedPage> {
  const noted = await noteChanges(tx, feed);
  if (!noted) throw notSubscribed();
  const { which, limit } = query;
  const offset = which === 'take' ? 0 : query.offset;
  const filters = [query.officeIds, query.patientIds, query.providerIds, maySeeRestricted(tx)];
  const values = [requireClientId(tx), feed, ...filters, limit, offset];
  const { waiting, handedOut } = CHANGED_RECORDS[feed];
  const isRange = typeof which === 'object';
  const [page] = await (isRange ? tx.rows(handedOut, [...values, which.from, which.before]) : tx.rows(waiting, values));
  const { total, ids, recordIds, withdrawnIds } = page ?? { total: 0, ids: [], recordIds: [], withdrawnIds: [] };
  if (which === 'take' && ids.length > 0) await tx.rows(HAND_OUT, [ids, await databaseTime(tx.prisma)]);
  return { recordIds, withdrawnIds, total, hasMore: offset + ids.length < total || (noted.isCut && !isRange) };
}

/** Clients compare the sentence, to subscribe when they get it. */
const notSubscribed = () => forbidden('not_subscribed', 'Changed messages require setup (subscription) that has not been done.');
