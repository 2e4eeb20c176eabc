import { type Caller, maySeeRestricted } from '../caller.ts';

const UNRESTRICTED = { NOT: { patient: { restricted: true } } } as const;

/** Filter for Prisma of rows that may be about a patient: those about restricted and blocked ones only for callers who may see them. */
export const unrestrictedFor = (caller: Caller) => (maySeeRestricted(caller) ? {} : UNRESTRICTED);
