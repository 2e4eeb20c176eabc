import type { Prisma } from '../../../generated/prisma/client.ts';
import { readClientId } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import type { DateRange } from '../../values/time/date-range.ts';
import type { AnsweredRequest } from './request-log.ts';

export type StoredRequest = AnsweredRequest & { id: number };

export interface RequestSearch {
  /** The public id of the client, or its id in the practice; of another one than the caller's own, only for administrators. */
  client?: string | undefined;
  operation?: string | undefined;
  /** From a status to another, both included. */
  status?: readonly [least: number, most: number] | undefined;
  code?: string | undefined;
  range: DateRange;
  /** Only requests that were stored before this one. */
  before?: number | undefined;
  limit: number;
}

/** The newest requests first; `next` is what to give as `before` for those that follow. */
export interface RequestPage {
  requests: StoredRequest[];
  next: number | null;
}

/** The requests of the caller's own client; for an administrator those of all clients of the practice. @throws Failure not_found for another client */
export async function searchRequests(tx: Tx, search: RequestSearch): Promise<RequestPage> {
  const { operation, status, code, range, before, limit } = search;
  const found = await tx.prisma.clientRequest.findMany({
    where: {
      ...(await whereVisible(tx, search.client)),
      ...(operation === undefined ? {} : { operation }),
      ...(status === undefined ? {} : { status: { gte: status[0], lte: status[1] } }),
      ...(code === undefined ? {} : { code }),
      at: { ...(range.from && { gte: range.from }), ...(range.before && { lt: range.before }) },
      ...(before === undefined ? {} : { id: { lt: before } }),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const requests = found.slice(0, limit);
  return { requests, next: found.length > limit ? (requests.at(-1)?.id ?? null) : null };
}

/** The newest request with an id, which its sender may have chosen twice. @throws Failure not_found */
export async function findRequest(tx: Tx, requestId: string): Promise<StoredRequest> {
  const where = { ...(await whereVisible(tx)), requestId };
  const found = await tx.prisma.clientRequest.findFirst({ where, orderBy: { id: 'desc' } });
  if (!found) throw notFound('request');
  return found;
}

async function whereVisible(tx: Tx, client?: string): Promise<Prisma.ClientRequestWhereInput> {
  const own = readClientId(tx);
  if (client === undefined) return { ...tx.practice, ...(own === null ? {} : { clientId: own }) };
  const isNumber = /^\d{1,9}$/.test(client);
  const grant = await tx.prisma.apiClientGrant.findFirst({
    where: { ...tx.practice, ...(isNumber ? { userId: Number(client) } : { clientId: client }) },
    select: { clientId: true },
  });
  if (!grant || (own !== null && grant.clientId !== own)) throw notFound('client', 'client');
  return { ...tx.practice, clientId: grant.clientId };
}

/** Failures of a client that have operation, status and code in common. */
export interface FailureGroup {
  code: string | null;
  status: number;
  operation: string;
  count: number;
  firstAt: Date;
  lastAt: Date;
  lastRequestId: string;
}

/** Groups that a page or a mail shows at most. */
const MOST_GROUPS = 100;

/** The failures of a client within the last week, the most frequent first. */
export const groupFailures = (tx: PracticeTx, clientId: string): Promise<FailureGroup[]> =>
  tx.prisma.$queryRaw<FailureGroup[]>`
    SELECT code, status, operation, count(*)::int AS count, min(at) AS "firstAt", max(at) AS "lastAt",
           (array_agg(request_id ORDER BY id DESC))[1] AS "lastRequestId"
      FROM client_request
     WHERE organization_id = ${tx.organizationId}::int AND client_id = ${clientId} AND status >= 400
     GROUP BY code, status, operation
     ORDER BY count(*) DESC, max(at) DESC
     LIMIT ${MOST_GROUPS}::int`;
