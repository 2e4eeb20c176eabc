import type { Command } from 'commander';
import { z } from 'zod';
import {
  changeSecurityPolicy,
  readSecurityPolicy,
  SECOND_FACTOR_POLICIES,
  SECURITY_POLICY_LIMITS,
  type SecurityPolicy,
} from '../../domain/identity/policies/security-policy.ts';
import { readPolicyCoverage } from '../../domain/identity/policy-coverage.ts';
import {
  type Ages,
  changeRetentionPolicy,
  RETENTION_LIMITS,
  type RetentionPolicy,
  readRetentionPolicy,
} from '../../domain/patient-rights/retention-policy.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { choice, clearable, count, id, yesNo } from '../terminal/options.ts';
import { type Row, record } from '../terminal/output.ts';

const which = () => id().meta({ positional: true }).describe('id of the practice');

function days(rule: keyof Ages, kept: string) {
  const [least, most] = RETENTION_LIMITS[rule];
  return clearable(count(least, most))
    .exactOptional()
    .describe(`days for which ${kept} are kept; an empty text: for ever, as in new practices`);
}

const retention = {
  draftDays: days('draftDays', 'uploaded files that no message, picture or recording has'),
  mediaDays: days('mediaDays', 'pictures, recordings and files of messages'),
  textDays: days('textDays', 'texts and mails'),
  erasure: yesNo().exactOptional().describe('whether an operator may erase a person (patients erase); no in new practices'),
  chartYears: count(...RETENTION_LIMITS.chartYears)
    .exactOptional()
    .describe('years after the last visit, of minors after they came of age, before which nobody is erased; 10 in new practices'),
  auditYears: count(...RETENTION_LIMITS.auditYears)
    .exactOptional()
    .describe('years for which the archive of the audit is kept (audit discard); 6 in new practices, and never fewer'),
};

/** The commands that show and change the rules of signing in, and the ages at which records are deleted. */
export function policyCommands(program: Command, { command }: CommandDeclarer): void {
  const policies = program
    .command('policies')
    .description('Policies: the rules of signing in that a practice has set, and how long it keeps records.');

  command(policies, 'show', {
    summary: 'Show the policies of a practice',
    options: z.object({ organization: which() }),
    details:
      'With the users without a second factor and the clients with old secrets, whom stricter rules would concern. Without days, records are kept for ever.',
    run: async ({ read }, { organization }) =>
      read(organization, async (db) => {
        const coverage = await readPolicyCoverage(db, organization);
        return record({
          ...row(organization, await readSecurityPolicy(db, organization), await readRetentionPolicy(db, organization)),
          users_without_second_factor: coverage.usersWithoutSecondFactor,
          admins_without_second_factor: coverage.adminsWithoutSecondFactor,
          clients_with_old_secrets: coverage.clientsWithOldSecrets,
        });
      }),
  });

  setCommand(policies, command);
}

function setCommand(policies: Command, command: CommandDeclarer['command']): void {
  command(policies, 'set', {
    summary: 'Change the policies of a practice',
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
      ...retention,
    }),
    run: async ({ write }, { organization, draftDays, mediaDays, textDays, erasure, chartYears, auditYears, ...changes }) => {
      const ages = { draftDays, mediaDays, textDays, erasure, chartYears, auditYears };
      if (Object.values({ ...changes, ...ages }).every((value) => value === undefined))
        throw new UsageError('Say what to change; --help lists the rules.');
      return write(organization, async (db, caller) =>
        record(row(organization, await changeSecurityPolicy(db, caller, changes), await changeRetentionPolicy(db, caller, ages))),
      );
    },
  });
}

const row = (
  organizationId: number,
  policy: SecurityPolicy,
  { draftDays, mediaDays, textDays, erasure, chartYears, auditYears }: RetentionPolicy,
): Row => ({
  organization_id: organizationId,
  second_factor: policy.secondFactor,
  password_sign_in: policy.passwordSignIn,
  session_life_hours: policy.sessionLifeHours,
  session_idle_minutes: policy.sessionIdleMinutes,
  client_secret_days: policy.clientSecretDays,
  event_days: policy.eventDays,
  draft_days: draftDays,
  media_days: mediaDays,
  text_days: textDays,
  erasure,
  chart_years: chartYears,
  audit_years: auditYears,
});
