import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  changeSecurityPolicy,
  readSecurityPolicy,
  SECOND_FACTOR_POLICIES,
  SECURITY_POLICY_LIMITS,
  type SecurityPolicy,
} from '../../domain/identity/security-policy.ts';
import { type LinkPractice, requireLinkPractice } from '../../domain/practices/link-practice.ts';
import { readInput } from '../../http/input.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { checkField, selectField, textField } from '../design/field.ts';
import { html } from '../html.ts';
import type { StaffPageDeps } from '../sign-in/staff-page-deps.ts';
import { administrationPage, optionsOf } from './layout.ts';
import { adminOf, provenAdminOf, runForm, sendPage } from './run-form.ts';

const HIDDEN = { schema: { hide: true } };
const ADDRESS = '/administration/policies';
const SECOND_FACTOR = {
  optional: 'Whoever wants one',
  required_for_admins: 'Administrators must have one',
  required: 'Everybody must have one',
} as const;

/** A number, or nothing. */
const number = z
  .string()
  .trim()
  .default('')
  .transform((written) => (written === '' ? null : Number(written)));
const PolicyForm = z.object({
  second_factor: z.enum(SECOND_FACTOR_POLICIES),
  password_sign_in: z.literal('yes').optional(),
  session_life_hours: number,
  session_idle_minutes: number,
  client_secret_days: number,
});

/** The security policy of the practice. To be registered in a staffScope. */
export function policyPages(app: FastifyInstance, { unitOfWork, database }: Pick<StaffPageDeps, 'unitOfWork' | 'database'>): void {
  const show = (request: FastifyRequest, problem?: string): Promise<string> =>
    unitOfWork.read(adminOf(request), async (db, caller) =>
      policyPage(await requireLinkPractice(db, caller), await readSecurityPolicy(db, caller.organizationId), problem),
    );

  app.get(ADDRESS, HIDDEN, async (request, reply) => sendPage(reply, await show(request)));

  app.post(ADDRESS, HIDDEN, (request, reply) => {
    const work = async () => {
      const form = readInput(PolicyForm, request.body ?? {});
      const changes = {
        secondFactor: form.second_factor,
        passwordSignIn: form.password_sign_in === 'yes',
        ...(form.session_life_hours === null ? {} : { sessionLifeHours: form.session_life_hours }),
        sessionIdleMinutes: form.session_idle_minutes,
        clientSecretDays: form.client_secret_days,
      };
      return unitOfWork.write(await provenAdminOf(database.prisma, request), (db, caller) => changeSecurityPolicy(db, caller, changes));
    };
    return runForm(reply, ADDRESS, work, (problem) => show(request, problem));
  });
}

const policyPage = (practice: LinkPractice, policy: SecurityPolicy, problem: string | undefined): string =>
  administrationPage({
    practice,
    current: ADDRESS,
    problem,
    content: card({
      title: 'Rules of signing in',
      content: html`
<form class="stack" method="post" action="${ADDRESS}">
!${selectField({ name: 'second_factor', label: 'Second factor', hint: 'A passkey or an authenticator app beside the password. Users without one are asked to add one when they sign in next.', options: optionsOf(SECOND_FACTOR, policy.secondFactor) })}
!${checkField({ name: 'password_sign_in', label: 'Users may sign in with a password', isChecked: policy.passwordSignIn })}
!${numberField('session_life_hours', 'Hours after which a session ends', `From 12 to 2160, however much it is used.`, policy.sessionLifeHours, SECURITY_POLICY_LIMITS.sessionLifeHours)}
!${numberField('session_idle_minutes', 'Minutes of rest after which a session ends', 'From 5 to 43200. Empty: 30 days.', policy.sessionIdleMinutes, SECURITY_POLICY_LIMITS.sessionIdleMinutes)}
!${numberField('client_secret_days', 'Days for which a secret of an API client is valid', 'From 1 to 730; for secrets that are made from now on. Empty: without end.', policy.clientSecretDays, SECURITY_POLICY_LIMITS.clientSecretDays)}
<p>!${button({ label: 'Save' })}</p>
</form>`,
    }),
  });

const numberField = (name: string, label: string, hint: string, value: number | null, [min, max]: readonly [number, number]): string =>
  textField({
    name,
    label,
    hint,
    value: value === null ? '' : String(value),
    attributes: { type: 'number', min, max, inputmode: 'numeric' },
  });
