import { z } from 'zod';

const cause = z.looseObject({
  kind: z.string(),
  originalCode: z.string().optional(),
});
/** The adapter's error: Prisma wraps that of a failed statement, and not that of a failed COMMIT. */
const driverError = z.union([
  z.object({ meta: z.object({ driverAdapterError: z.object({ cause }) }) }).transform(({ meta }) => meta.driverAdapterError.cause),
  z.object({ name: z.literal('DriverAdapterError'), cause }).transform((error) => error.cause),
]);
const pgError = z.object({ code: z.string() });

const findDriverError = (error: unknown) => driverError.safeParse(error).data;

/** The SQLSTATE of a failed statement, or Prisma's own code, or Node's; undefined for other errors. */
export function databaseErrorCode(error: unknown): string | undefined {
  return findDriverError(error)?.originalCode ?? pgError.safeParse(error).data?.code;
}

/** The forms of one kind of error: SQLSTATEs and codes of Prisma and Node, the adapter's kinds, and pg's plain messages. */
interface Shapes {
  codes: RegExp;
  kinds: readonly string[];
  text: RegExp;
}

/** The connection ended during the query, or could not be opened. */
const LOST: Shapes = {
  codes: /^(08|57P0|25P03|P1001|P1017|ECONN|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/,
  kinds: ['DatabaseNotReachable', 'ConnectionClosed'],
  text: /Connection terminated unexpectedly|server closed the connection|not queryable|Can't reach database/i,
};

/** A timeout, or too many connections: a later attempt may succeed. */
const BUSY: Shapes = {
  codes: /^(57|53|25P04|P1002|P1008|P2024|P2028|P2037|ETIMEDOUT)/,
  kinds: ['SocketTimeout', 'TooManyConnections'],
  text: /Connection terminated|connection timeout|timeout exceeded when trying to connect|Query read timeout/i,
};

function has({ codes, kinds, text }: Shapes, error: unknown): boolean {
  if (codes.test(databaseErrorCode(error) ?? '')) return true;
  return kinds.includes(findDriverError(error)?.kind ?? '') || (error instanceof Error && text.test(error.message));
}

/** Whether the connection was lost: the error, or its cause, came quickly enough for another attempt. */
export const isConnectionLost = (error: unknown): boolean => has(LOST, error) || (error instanceof Error && has(LOST, error.cause));

/** A statement or transaction that takes longer than it may, though the database is up. */
const SLOW: Shapes = {
  codes: /^(57014|25P03|25P04|55P03)/,
  kinds: [],
  text: /on an expired transaction/i,
};

/** Whether the work took too long, or waited too long for a lock: a 503 that says so. */
export const isTooSlow = (error: unknown): boolean => has(SLOW, error);

/** Whether the database takes no writes: a standby, or one that is set to be read-only. */
export const isReadOnly = (error: unknown): boolean => databaseErrorCode(error) === '25006';

/** Whether the database was unreachable or did not respond in time: a 503, not a bug. */
export const isDatabaseUnreachable = (error: unknown): boolean => has(LOST, error) || has(BUSY, error);

/**
 * Whether there was no room, also as the cause of the error: on the disk of the database (SQLSTATE 53100), or on one of this machine, its temporary folder among them.
 * Nothing of the write is left, and the next one succeeds when there is room again.
 */
export const isDiskFull = (error: unknown): boolean => hasNoRoom(error) || (error instanceof Error && hasNoRoom(error.cause));

const hasNoRoom = (error: unknown): boolean => /^(53100|ENOSPC|EDQUOT)$/.test(databaseErrorCode(error) ?? '');
