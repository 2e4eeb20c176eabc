import type { Command } from 'commander';
import { z } from 'zod';
import { readPolicyCoverage } from '../domain/identity/policy-coverage.ts';
import {
  changeSecurityPolicy,
  readSecurityPolicy,
  SECOND_FACTOR_POLICIES,
  SECURITY_POLICY_LIMITS,
  type SecurityPolicy,
} from '../domain/identity/security-policy.ts';
import { type CommandDeclarer, UsageError } from './command.ts';
import { choice, clearable, count, id, yesNo } from './options.ts';
import { type Row, record } from './output.ts';

const which = () => id().meta({ positional: true }).describe('id of the practice');

/** The commands that show and change the rules of signing in. */
export function policyCommands(program: Command, { command }: CommandDeclarer): void {
  const policies = program.command('policies').description('Security policies: the rules of signing in that a practice has set.');

  command(policies, 'show', {
    summary: 'Show the security policy of a practice',
    options: z.object({ organization: which() }),
    details: 'With the users without a second factor and the clients with old secrets, whom stricter rules would concern.',
    run: async ({ read }, { organization }) =>
      read(organization, async (db) => {
        const coverage = await readPolicyCoverage(db, organization);
        return record({
          ...row(organization, await readSecurityPolicy(db, organization)),
          users_without_second_factor: coverage.usersWithoutSecondFactor,
          admins_without_second_factor: coverage.adminsWithoutSecondFactor,
          clients_with_old_secrets: coverage.clientsWithOldSecrets,
        });
      }),
  });

  command(policies, 'set', {
    summary: 'Change the security policy of a practice',
    details: 'Only what is given changes.',
    options: z.object({
      organization: which(),
      secondFactor: choice(...SECOND_FACTOR_POLICIES)
        .exactOptional()
        .describe('the users who must show a second factor; optional in new practices'),
      passwordSignIn: yesNo().exactOptional().describe('no: single sign-on alone opens a session'),
      sessionLifeHours: count(...SECURITY_POLICY_LIMITS.sessionLifeHours)
        .exactOptional()
        .describe('hours after which a session ends, however much it is used; 720 in new practices'),
      sessionIdleMinutes: clearable(count(...SECURITY_POLICY_LIMITS.sessionIdleMinutes))
        .exactOptional()
        .describe('minutes without a request after which a session ends; an empty text: 30 days'),
      clientSecretDays: clearable(count(...SECURITY_POLICY_LIMITS.clientSecretDays))
        .exactOptional()
        .describe('days for which a new secret of an API client is valid; an empty text: without end'),
      eventDays: count(...SECURITY_POLICY_LIMITS.eventDays)
        .exactOptional()
        .describe('days for which the log keeps events; 90 in new practices'),
    }),
    run: async ({ write }, { organization, ...changes }) => {
      if (Object.keys(changes).length === 0) throw new UsageError('Say what to change; --help lists the rules.');
      return record(row(organization, await write(organization, (db, caller) => changeSecurityPolicy(db, caller, changes))));
    },
  });
}

const row = (organizationId: number, policy: SecurityPolicy): Row => ({
  organization_id: organizationId,
  second_factor: policy.secondFactor,
  password_sign_in: policy.passwordSignIn,
  session_life_hours: policy.sessionLifeHours,
  session_idle_minutes: policy.sessionIdleMinutes,
  client_secret_days: policy.clientSecretDays,
  event_days: policy.eventDays,
});
