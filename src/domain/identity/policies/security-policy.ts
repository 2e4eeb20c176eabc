import type { Db } from '../../../database/database.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Role } from '../../caller.ts';
import { conflict, invalid } from '../../errors.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { changesTo } from '../../values/changed-fields.ts';
import { requireProvenProvider } from './proven-provider.ts';
import { applySessionPolicy } from './session-life.ts';

/** The users who must show a second factor at sign-in. */
export const SECOND_FACTOR_POLICIES = ['optional', 'required_for_admins', 'required'] as const;

export interface SecurityPolicy {
  secondFactor: (typeof SECOND_FACTOR_POLICIES)[number];
  /** Whether a password opens a session; otherwise single sign-on alone does. */
  passwordSignIn: boolean;
  /** Hours after which a session ends, however much it is used. */
  sessionLifeHours: number;
  /** Minutes without a request after which a session ends; null: the 30 days of a refresh token. */
  sessionIdleMinutes: number | null;
  /** Days for which a new secret of an API client is valid; null: without end. */
  clientSecretDays: number | null;
  /** Days for which the log keeps events. */
  eventDays: number;
  /** Messaging service at the carrier that the practice's numbers join; null: that of the server. */
  messagingServiceSid: string | null;
}

const DEFAULT_SECURITY_POLICY: Readonly<SecurityPolicy> = {
  secondFactor: 'optional',
  passwordSignIn: true,
  sessionLifeHours: 720,
  sessionIdleMinutes: null,
  clientSecretDays: null,
  eventDays: 90,
  messagingServiceSid: null,
};

export const SECURITY_POLICY_LIMITS = {
  sessionLifeHours: [12, 2_160],
  sessionIdleMinutes: [5, 43_200],
  clientSecretDays: [1, 730],
  eventDays: [7, 3_650],
} as const;

const SHOWN = {
  secondFactor: true,
  passwordSignIn: true,
  sessionLifeHours: true,
  sessionIdleMinutes: true,
  clientSecretDays: true,
  eventDays: true,
  messagingServiceSid: true,
} as const satisfies Prisma.SecurityPolicySelect;

/** The security policy of a practice; the defaults where it has set none, also for a practice that does not exist. */
export async function readSecurityPolicy(tx: PracticeTx): Promise<SecurityPolicy> {
  return (
    (await tx.prisma.securityPolicy.findUnique({ where: tx.practice, select: SHOWN })) ?? {
      ...DEFAULT_SECURITY_POLICY,
    }
  );
}

/** Whether a practice asks its users of a role for a second factor. */
export const requiresSecondFactor = ({ secondFactor }: Pick<SecurityPolicy, 'secondFactor'>, role: Role): boolean =>
  secondFactor === 'required' || (secondFactor === 'required_for_admins' && role === 'admin');

/** Absent means unchanged; null clears. */
export type SecurityPolicyChanges = { [K in keyof SecurityPolicy]?: SecurityPolicy[K] | undefined };

/**
 * Changes the security policy of the caller's practice.
 * @throws Failure invalid for a number outside of its limits; conflict where the caller, or for an operator every administrator, would be locked out,
 *   and for the messaging service of another practice
 */
export async function changeSecurityPolicy(tx: Tx, input: SecurityPolicyChanges): Promise<SecurityPolicy> {
  requireLimits(input);
  const { organizationId } = tx;
  const before = await readSecurityPolicy(tx);
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return before;
  if (changes.passwordSignIn === false) await requireProvenProvider(tx);
  if (changes.messagingServiceSid) await requireFreeService(tx.prisma, changes.messagingServiceSid);
  const after = await tx.prisma.securityPolicy.upsert({
    where: { organizationId },
    update: changes,
    create: { organizationId, ...changes },
    select: SHOWN,
  });
  await applySessionPolicy(tx, after);
  recordChange(tx, 'administer', { name: 'security_policy.changed', id: organizationId, changed });
  return after;
}

/** Numbers are registered by the campaign of their service, which is one practice's. */
async function requireFreeService(db: Db, sid: string): Promise<void> {
  const taken = await db.securityPolicy.findFirst({ where: { messagingServiceSid: { equals: sid, mode: 'insensitive' } } });
  if (taken) throw conflict('messaging_service_taken', 'Another practice uses this messaging service.', 'messagingServiceSid');
}

function requireLimits(input: SecurityPolicyChanges): void {
  for (const name of ['sessionLifeHours', 'sessionIdleMinutes', 'clientSecretDays', 'eventDays'] as const) {
    const value = input[name];
    const [least, most] = SECURITY_POLICY_LIMITS[name];
    if (typeof value === 'number' && !(Number.isInteger(value) && value >= least && value <= most))
      throw invalid(name, `must be a whole number from ${least} to ${most}`, 'out_of_range');
  }
}
