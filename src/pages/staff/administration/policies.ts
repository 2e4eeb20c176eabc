import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { type PolicyCoverage, readPolicyCoverage } from '../../../domain/identity/policies/policy-coverage.ts';
import {
  changeSecurityPolicy,
  readSecurityPolicy,
  SECOND_FACTOR_POLICIES,
  SECURITY_POLICY_LIMITS,
  type SecurityPolicy,
} from '../../../domain/identity/policies/security-policy.ts';
import { type LinkPractice, requireLinkPractice } from '../../../domain/practices/link-practice.ts';
import { readInput } from '../../../http/input/input.ts';
import { card } from '../../design/content/card.ts';
import { button } from '../../design/forms/button.ts';
import { checkField, selectField, textField } from '../../design/forms/field.ts';
import { sendPage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import { type FormValues, formState, type RefusedForm } from '../forms/form-state.ts';
import { newsIn, requireAdmin, requireProvenAdmin, requireUnchanged, runForm } from '../forms/run-form.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { administrationPage, renderOptions } from './layout.ts';

const ADDRESS = '/administration/policies';
const SECOND_FACTOR = {
  optional: 'Optional',
  required_for_admins: 'Administrators must have one',
  required: 'Everybody must have one',
} as const;

/** A number, or nothing. */
const number = z
  .string()
  .trim()
  .default('')
  .transform((written) => (written === '' ? null : Number(written)));
const DONE = { saved: 'The rules were saved.' };
const WORDS = { second_factor: SECOND_FACTOR, password_sign_in: { yes: 'a checked box', '': 'an unchecked box' } };

const PolicyForm = z.object({
  second_factor: z.enum(SECOND_FACTOR_POLICIES),
  password_sign_in: z.literal('yes').optional(),
  session_life_hours: number,
  session_idle_minutes: number,
  client_secret_days: number,
  event_days: number,
});

/** The security policy of the practice. To be registered in a staffScope. */
export function policyPages(app: FastifyInstance, { unitOfWork, database }: Pick<StaffPageDeps, 'unitOfWork' | 'database'>): void {
  const show = (request: FastifyRequest, refused?: RefusedForm): Promise<string> =>
    unitOfWork.read(requireAdmin(request), async (tx) =>
      policyPage({
        practice: await requireLinkPractice(tx),
        policy: await readSecurityPolicy(tx),
        coverage: await readPolicyCoverage(tx),
        refused,
        news: newsIn(request, DONE),
      }),
    );

  app.get(ADDRESS, async (request, reply) => sendPage(reply, await show(request)));

  app.post(ADDRESS, (request, reply) => {
    const work = async () => {
      const form = readInput(PolicyForm, request.body ?? {});
      const changes = {
        secondFactor: form.second_factor,
        passwordSignIn: form.password_sign_in === 'yes',
        ...(form.session_life_hours === null ? {} : { sessionLifeHours: form.session_life_hours }),
        sessionIdleMinutes: form.session_idle_minutes,
        clientSecretDays: form.client_secret_days,
        ...(form.event_days === null ? {} : { eventDays: form.event_days }),
      };
      return unitOfWork.write(await requireProvenAdmin(database.prisma, request), async (tx) => {
        requireUnchanged(request, policyValues(await readSecurityPolicy(tx)));
        return changeSecurityPolicy(tx, changes);
      });
    };
    return runForm(request, reply, { address: ADDRESS, done: 'saved', work, show: (refused) => show(request, refused) });
  });
}

interface PolicyView {
  practice: LinkPractice;
  policy: SecurityPolicy;
  coverage: PolicyCoverage;
  refused: RefusedForm | undefined;
  news: string | undefined;
}

function policyPage({ practice, policy, coverage, refused, news }: PolicyView): string {
  const form = formState({ action: ADDRESS, present: policyValues(policy), refused, words: WORDS });
  return administrationPage({
    practice,
    current: ADDRESS,
    refused,
    forms: [form],
    news,
    content: card({
      title: 'Sign-in rules',
      content: html`
<form class="stack" method="post" action="${ADDRESS}">
!${form.seen}
!${selectField({ ...form.field('second_factor'), label: 'Second factor', hint: 'A passkey or an authenticator app in addition to the password. Users without one must add one at their next sign-in.', options: renderOptions(SECOND_FACTOR, form.field('second_factor').value) })}
<p>${coverageIn(coverage)}</p>
!${checkField({ ...form.box('password_sign_in'), label: 'Users may sign in with a password' })}
!${textField({ ...form.field('session_life_hours', numberWithin(SECURITY_POLICY_LIMITS.sessionLifeHours)), label: 'Hours after which a session ends', hint: 'From 12 to 2160, even if the session is in use.' })}
!${textField({ ...form.field('session_idle_minutes', numberWithin(SECURITY_POLICY_LIMITS.sessionIdleMinutes)), label: 'Minutes of inactivity after which a session ends', hint: 'From 5 to 43200. Empty: 30 days.' })}
!${textField({ ...form.field('client_secret_days', numberWithin(SECURITY_POLICY_LIMITS.clientSecretDays)), label: 'Days for which a secret of an API client is valid', hint: 'From 1 to 730, for new secrets. If empty, secrets do not expire.' })}
!${textField({ ...form.field('event_days', numberWithin(SECURITY_POLICY_LIMITS.eventDays)), label: 'Days for which the log of changes is kept', hint: 'From 7 to 3650, for programs that follow it. The audit is kept permanently.' })}
<p>!${button({ label: 'Save' })}</p>
</form>`,
    }),
  });
}

/** The users and clients that stricter rules would concern. */
function coverageIn({ users, usersWithoutSecondFactor, adminsWithoutSecondFactor, clientsWithOldSecrets }: PolicyCoverage): string {
  const people = `Now ${usersWithoutSecondFactor} of ${users} active users have no second factor, among them ${adminsWithoutSecondFactor} administrators.`;
  return `${people} API clients whose secret should be changed: ${clientsWithOldSecrets}.`;
}

const policyValues = (policy: SecurityPolicy): FormValues => ({
  second_factor: policy.secondFactor,
  password_sign_in: policy.passwordSignIn ? 'yes' : '',
  session_life_hours: String(policy.sessionLifeHours),
  session_idle_minutes: String(policy.sessionIdleMinutes ?? ''),
  client_secret_days: String(policy.clientSecretDays ?? ''),
  event_days: String(policy.eventDays),
});

const numberWithin = ([min, max]: readonly [number, number]) => ({ type: 'number', min, max, inputmode: 'numeric' });
