import { z } from 'zod';

const driverCause = z.object({
  meta: z.object({
    driverAdapterError: z.object({
      cause: z.object({
        originalCode: z.string().optional(),
        constraint: z.object({ index: z.string().optional(), foreignKey: z.union([z.string(), z.object({})]).optional() }).optional(),
      }),
    }),
  }),
});
const prismaCode = z.object({ code: z.string(), clientVersion: z.string() });
const pgError = z.object({ code: z.string(), constraint: z.string().optional() });

/** The SQLSTATE of a failed statement, or Prisma's own code, or Node's; undefined for what is no database error. */
export function databaseErrorCode(error: unknown): string | undefined {
  const driver = driverCause.safeParse(error);
  if (driver.success && driver.data.meta.driverAdapterError.cause.originalCode) return driver.data.meta.driverAdapterError.cause.originalCode;
  const coded = pgError.safeParse(error);
  return coded.success ? coded.data.code : undefined;
}

/** The name of the constraint that refused a row, whichever way the statement went. */
export function violatedConstraint(error: unknown): string | undefined {
  const driver = driverCause.safeParse(error);
  if (driver.success) {
    const { constraint } = driver.data.meta.driverAdapterError.cause;
    return constraint?.index ?? (typeof constraint?.foreignKey === 'string' ? constraint.foreignKey : undefined);
  }
  const coded = pgError.safeParse(error);
  return coded.success ? coded.data.constraint : undefined;
}

/** A class 08 or 57 SQLSTATE, a lost connection in one of its shapes, or a time-out: the database is not to be had. */
const UNREACHABLE = /^(08|57|53|P1001|P1002|P1008|P1017|P2024|P2028|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH)/;
const UNREACHABLE_TEXT = /Connection terminated|connection timeout|timeout exceeded when trying to connect|Query read timeout|server closed the connection|not queryable|Can't reach database/i;

/** Whether the database could not be reached or did not answer in time: a 503, not a bug. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (UNREACHABLE.test(databaseErrorCode(error) ?? '')) return true;
  const prisma = prismaCode.safeParse(error);
  if (prisma.success && UNREACHABLE.test(prisma.data.code)) return true;
  return error instanceof Error && UNREACHABLE_TEXT.test(error.message);
}
