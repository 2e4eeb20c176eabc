import { z } from 'zod';
import { MESSAGING_SERVICE_SID } from '../../../config/checks.ts';
import type { PolicyCoverage } from '../../../domain/identity/policies/policy-coverage.ts';
import {
  SECOND_FACTOR_POLICIES,
  SECURITY_POLICY_LIMITS,
  type SecurityPolicy,
  type SecurityPolicyChanges,
} from '../../../domain/identity/policies/security-policy.ts';
import { one } from '../../../http/wire/envelopes.ts';
import { flag, optional, renameFields, text, toNumber } from '../../../http/wire/wire-types.ts';

export const POLICY_NAMES = {
  secondFactor: 'second_factor',
  passwordSignIn: 'password_sign_in',
  sessionLifeHours: 'session_life_hours',
  sessionIdleMinutes: 'session_idle_minutes',
  clientSecretDays: 'client_secret_days',
  eventDays: 'event_days',
  messagingServiceSid: 'messaging_service_sid',
} as const;

const RULES = {
  second_factor: 'Users who must use a second factor at sign-in',
  password_sign_in: 'Whether people may sign in with a password; false: only with single sign-on',
  session_life_hours: 'Hours after which a session ends, even if it is in use',
  session_idle_minutes: 'Minutes without a request after which a session ends; null for 30 days',
  client_secret_days: 'Days for which a new secret of an API client is valid; null for no limit',
  event_days: 'Days for which the log of events is kept',
  messaging_service_sid: 'Messaging service at the carrier for newly bought numbers of the practice; null for that of the server',
} as const;

const PolicyShape = z
  .strictObject({
    second_factor: z.enum(SECOND_FACTOR_POLICIES).describe(RULES.second_factor),
    password_sign_in: z.boolean().describe(RULES.password_sign_in),
    session_life_hours: z.int().describe(RULES.session_life_hours),
    session_idle_minutes: z.int().nullable().describe(RULES.session_idle_minutes),
    client_secret_days: z.int().nullable().describe(RULES.client_secret_days),
    event_days: z.int().describe(RULES.event_days),
    messaging_service_sid: z.string().nullable().describe(RULES.messaging_service_sid),
  })
  .meta({ id: 'SecurityPolicy' });

export const PolicyResponse = one(PolicyShape).meta({ id: 'SecurityPolicyResponse' });

const CoverageShape = z
  .strictObject({
    users: z.int().describe('Active users'),
    users_without_second_factor: z.int().describe('Active users with neither a passkey nor an authenticator app'),
    admins_without_second_factor: z.int().describe('Administrators among these'),
    clients_with_old_secrets: z
      .int()
      .describe('Active API clients with a secret older than the policy allows for new ones, or than a year'),
  })
  .meta({ id: 'PolicyCoverage' });

export const CoverageResponse = one(CoverageShape).meta({ id: 'PolicyCoverageResponse' });

export const fromCoverage = (coverage: PolicyCoverage): z.input<typeof CoverageShape> => ({
  users: coverage.users,
  users_without_second_factor: coverage.usersWithoutSecondFactor,
  admins_without_second_factor: coverage.adminsWithoutSecondFactor,
  clients_with_old_secrets: coverage.clientsWithOldSecrets,
});

const whole = ([least, most]: readonly [number, number]) => {
  const error = `must be a whole number from ${least} to ${most}`;
  return z.preprocess(toNumber(String(most).length), z.int({ error }).min(least, { error }).max(most, { error }));
};

export const PolicyRequest = z
  .object({
    second_factor: z.enum(SECOND_FACTOR_POLICIES).optional().describe(RULES.second_factor),
    password_sign_in: flag().optional().describe(RULES.password_sign_in),
    session_life_hours: whole(SECURITY_POLICY_LIMITS.sessionLifeHours).optional().describe(RULES.session_life_hours),
    session_idle_minutes: optional(whole(SECURITY_POLICY_LIMITS.sessionIdleMinutes)).describe(RULES.session_idle_minutes),
    client_secret_days: optional(whole(SECURITY_POLICY_LIMITS.clientSecretDays)).describe(RULES.client_secret_days),
    event_days: whole(SECURITY_POLICY_LIMITS.eventDays).optional().describe(RULES.event_days),
    messaging_service_sid: optional(
      text(34).regex(MESSAGING_SERVICE_SID, 'must be the SID of a messaging service: MG and 32 hexadecimal digits'),
    ).describe(RULES.messaging_service_sid),
  })
  .meta({ id: 'SecurityPolicyRequest' });

export const toPolicyChanges = (body: z.output<typeof PolicyRequest>): SecurityPolicyChanges => renameFields(body, POLICY_NAMES);

export const fromPolicy = (policy: SecurityPolicy): z.input<typeof PolicyShape> => ({
  second_factor: policy.secondFactor,
  password_sign_in: policy.passwordSignIn,
  session_life_hours: policy.sessionLifeHours,
  session_idle_minutes: policy.sessionIdleMinutes,
  client_secret_days: policy.clientSecretDays,
  event_days: policy.eventDays,
  messaging_service_sid: policy.messagingServiceSid,
});
