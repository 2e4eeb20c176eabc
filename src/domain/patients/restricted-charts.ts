import type { Prepared } from '../../database/statement.ts';
import { type Caller, maySeeRestricted } from '../caller.ts';
import { IS_ANY_RESTRICTED } from './restricted-charts.sql.ts';

const UNRESTRICTED = { NOT: { patient: { restricted: true } } } as const;

/** Filter for Prisma of rows that may be about a patient: those about restricted and blocked ones only for callers who may see them. */
export const unrestrictedFor = (caller: Caller) => (maySeeRestricted(caller) ? {} : UNRESTRICTED);

/** Whether one of these charts is restricted or blocked, and the caller may not see it. */
export async function isAnyWithheld(prepared: Prepared, caller: Caller, patientIds: number[]): Promise<boolean> {
  if (patientIds.length === 0 || maySeeRestricted(caller)) return false;
  const [found] = await prepared.rows(IS_ANY_RESTRICTED, [caller.organizationId, patientIds]);
  return found?.restricted === true;
}
