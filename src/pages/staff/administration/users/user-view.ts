import type { LinkPractice } from '../../../../domain/practices/link-practice.ts';
import type { LockableAccount } from '../../../../domain/users/user-accounts.ts';
import { card } from '../../../design/content/card.ts';
import { button } from '../../../design/forms/button.ts';
import { confirmedButton } from '../../../design/forms/confirmed-button.ts';
import { selectField, textField } from '../../../design/forms/field.ts';
import { html } from '../../../html.ts';
import { type FormState, type FormValues, formState, type RefusedForm } from '../../forms/form-state.ts';
import { renderHiddenFields } from '../../sign-in/second-step-view.ts';
import { administrationPage, renderOptions, timeIn } from '../layout.ts';
import { accountBadges, officerField, ROLES, seenWords } from './users-view.ts';

const ADDRESS = '/administration/users';

/** Names of fields by the codes of failures. */
const ALIASES = { own_role: 'role', last_admin: 'role', type: 'role' };
const WORDS = { role: ROLES, privacy_officer: { yes: 'a checked box', '': 'an unchecked box' } };

/** The steps that can be taken with an account beside changing its fields. */
export const USER_STEPS = ['unlock', 'invite', 'sign-out', 'reset-second-factors', 'deactivate', 'activate'] as const;
type Step = (typeof USER_STEPS)[number];

interface StepWords {
  label: string;
  kind: 'plain' | 'danger';
  question: (name: string) => string;
  /** Say what will happen. */
  words: string;
  isOffered: (user: LockableAccount) => boolean;
}

const STEPS: Readonly<Record<Step, StepWords>> = {
  unlock: {
    label: 'Unlock',
    kind: 'plain',
    question: (name) => `Unlock the account of ${name}?`,
    words: 'Too many wrong passwords have locked the account for a while. After unlocking, the correct password works immediately.',
    isOffered: ({ locked }) => locked,
  },
  invite: {
    label: 'Invite again',
    kind: 'plain',
    question: (name) => `Send ${name} another invitation?`,
    words: 'A mail with a new link goes to their address. It works once within seven days; their former link stops working.',
    isOffered: ({ active, verified, signInEmail }) => active && !verified && signInEmail !== null,
  },
  'sign-out': {
    label: 'Sign out everywhere',
    kind: 'plain',
    question: (name) => `Sign ${name} out everywhere?`,
    words: 'All of their sessions end now, on every device. They can sign in again at any time.',
    isOffered: () => true,
  },
  'reset-second-factors': {
    label: 'Remove second factors',
    kind: 'danger',
    question: (name) => `Take the second factors of ${name} away?`,
    words:
      'Their passkeys, authenticator app and recovery codes stop working, all of their sessions end, and they are notified by mail. They can then sign in with only the password, and must add a new factor if the security policy requires one. Make sure that the request really comes from them.',
    isOffered: ({ factorKinds }) => factorKinds.length > 0,
  },
  deactivate: {
    label: 'Deactivate',
    kind: 'danger',
    question: (name) => `Deactivate ${name}?`,
    words:
      'All of their sessions end now, and they cannot sign in until an administrator activates them again. Nothing that they wrote is deleted.',
    isOffered: ({ active }) => active,
  },
  activate: {
    label: 'Reactivate',
    kind: 'plain',
    question: (name) => `Let ${name} in again?`,
    words: 'They can sign in again with their former password and second factors.',
    isOffered: ({ active }) => !active,
  },
};

export interface UserView {
  practice: LinkPractice;
  user: LockableAccount;
  /** Whether it is the administrator who looks at the page. */
  isSelf: boolean;
  refused?: RefusedForm | undefined;
  news?: string | undefined;
}

/** One user: the fields of the account, and all that can be done with it. */
export function userPage({ practice, user, isSelf, refused, news }: UserView): string {
  const form = formState({ action: `${ADDRESS}/${user.id}`, present: userValues(user), refused, aliases: ALIASES, words: WORDS });
  const name = `${user.firstName} ${user.lastName}`;
  // Within a sentence a name may run the other way.
  const isolated = `\u2068${name}\u2069`;
  return administrationPage({
    practice,
    current: ADDRESS,
    title: name,
    refused,
    forms: [form],
    news,
    content: html`
!${card({
      content: html`<p class="row">!${accountBadges(user)}</p>
<p><bdi>${user.signInEmail ?? 'cannot sign in'}</bdi></p>
<p class="hint">Added ${timeIn(user.createdAt, practice)} · ${seenWords(user, practice)}</p>
<p><a href="/administration/audit?user=${user.id}">What they did</a></p>`,
    })}
!${card({ title: 'Name and role', content: changeForm(form, isSelf) })}
!${card({ title: 'The account', content: renderSteps(user, isolated, isSelf) })}`,
  });
}

export const userValues = ({ firstName, lastName, role, privacyOfficer }: LockableAccount): FormValues => ({
  first_name: firstName,
  last_name: lastName,
  role,
  privacy_officer: privacyOfficer ? 'yes' : '',
});

const changeForm = (form: FormState, isSelf: boolean): string => html`
<form class="stack" method="post" action="${form.action}">
!${form.seen}
<div class="grid">
!${textField({ ...form.field('first_name', { maxlength: 100, required: true, autocomplete: 'off' }), label: 'First name', required: true })}
!${textField({ ...form.field('last_name', { maxlength: 100, required: true, autocomplete: 'off' }), label: 'Last name', required: true })}
!${isSelf ? renderOwnRole(form.field('role').value) : selectField({ ...form.field('role'), label: 'Role', hint: 'Changing the role ends the user’s sessions, so that the new role’s rules apply at the next sign-in.', options: renderOptions(ROLES, form.field('role').value) })}
</div>
!${officerField(form)}
<p>!${button({ label: 'Save' })}</p>
</form>`;

const renderOwnRole = (role: string): string =>
  html`!${renderHiddenFields({ role })}<p class="hint">This is your own account. Only another administrator can change your role or deactivate you.</p>`;

function renderSteps(user: LockableAccount, name: string, isSelf: boolean): string {
  const offered = USER_STEPS.filter((step) => STEPS[step].isOffered(user) && !(isSelf && step === 'deactivate'));
  return html`<ul class="list">!${offered.map((step) => stepItem(step, user.id, name)).join('')}</ul>`;
}

function stepItem(step: Step, id: number, name: string): string {
  const { label, kind, question, words } = STEPS[step];
  return html`
<li><div class="list-text"><p class="hint">${words}</p></div>
!${confirmedButton({ id: `ask-${step}`, label, kind, question: question(name), words, form: { action: `${ADDRESS}/${id}/${step}` } })}</li>`;
}
