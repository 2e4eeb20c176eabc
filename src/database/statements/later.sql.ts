import { Prisma } from '../../generated/prisma/client.ts';

/**
 * SQL of an instant that comes later by a time of a row. Hours and shorter parts only. PostgreSQL takes the sum of an instant and a time for
 * one that depends on the session's zone, as a sum with days does, and where rows are on several nodes no change may reckon so; in UTC
 * it does not.
 * @param instant a timestamptz
 * @param time arguments of make_interval: `mins => p.minutes`
 */
export const addTime = (instant: Prisma.Sql, time: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`((${instant} AT TIME ZONE 'UTC' + make_interval(${time})) AT TIME ZONE 'UTC')`;
