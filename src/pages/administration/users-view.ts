import type { LinkPractice } from '../../domain/practices/link-practice.ts';
import type { LockableAccount } from '../../domain/practices/user-accounts.ts';
import type { Page } from '../../domain/values/paging.ts';
import { badge } from '../design/badge.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty-state.ts';
import { checkField, selectField, textField } from '../design/field.ts';
import { html } from '../html.ts';
import { administrationPage, optionsOf, timeIn } from './layout.ts';

const ROLES = { admin: 'Administrator', provider: 'Provider', staff: 'Staff' } as const;

export interface UsersView {
  practice: LinkPractice;
  users: Page<LockableAccount>;
  search: string;
  problem?: string | undefined;
}

export const usersPage = ({ practice, users, search, problem }: UsersView): string =>
  administrationPage({
    practice,
    current: '/administration/users',
    problem,
    content: html`
!${card({
      title: `Users (${users.total})`,
      content: html`
<form class="stack" method="get" action="/administration/users">
!${textField({ name: 'search', label: 'Name or email', value: search, attributes: { type: 'search', maxlength: 200 } })}
<p>!${button({ label: 'Search', kind: 'plain' })}</p>
</form>
!${users.items.length === 0 ? emptyState({ icon: 'people', title: 'Nobody is found' }) : html`<ul class="list">!${users.items.map((user) => userItem(user, practice)).join('')}</ul>`}
!${pageLinksOf(users, search)}`,
    })}
!${card({ title: 'Invite somebody', content: invitationForm() })}`,
  });

const invitationForm = (): string => html`
<form class="stack" method="post" action="/administration/users">
<div class="grid">
!${textField({ name: 'first_name', label: 'First name', required: true, attributes: { maxlength: 100, required: true } })}
!${textField({ name: 'last_name', label: 'Last name', required: true, attributes: { maxlength: 100, required: true } })}
!${textField({ name: 'email', label: 'Email', hint: 'They sign in with it, and choose their password with a link that goes there.', required: true, attributes: { type: 'email', maxlength: 254, required: true } })}
!${selectField({ name: 'role', label: 'Role', options: optionsOf(ROLES, 'staff') })}
</div>
!${officerField('privacy_officer', false)}
<p>!${button({ label: 'Invite' })}</p>
</form>`;

const officerField = (id: string, isChecked: boolean): string =>
  checkField({
    name: 'privacy_officer',
    label: 'Privacy officer: is told of every emergency access to a restricted chart',
    isChecked,
    attributes: { id },
  });

const userItem = (user: LockableAccount, practice: LinkPractice): string => html`
<li><div class="list-text">
<p class="row"><bdi class="list-title">${user.firstName} ${user.lastName}</bdi> !${badge(ROLES[user.role], 'accent')}!${user.active ? '' : badge('shut out', 'danger')}!${user.verified ? '' : badge('invited', 'warning')}!${user.locked ? badge('locked', 'danger') : ''}!${user.privacyOfficer ? badge('privacy officer') : ''}!${user.factorKinds.length > 0 ? badge('second factor', 'success') : ''}</p>
<span class="hint"><bdi>${user.signInEmail ?? 'cannot sign in'}</bdi> · last signed in ${timeIn(user.lastSeenAt, practice)}</span>
<details><summary>Change</summary>!${changeForm(user)}!${stepForms(user)}</details>
</div></li>`;

const changeForm = ({ id, firstName, lastName, role, privacyOfficer }: LockableAccount): string => html`
<form class="stack" method="post" action="/administration/users/${id}">
!${textField({ name: 'first_name', label: 'First name', value: firstName, required: true, attributes: { id: `first-${id}`, maxlength: 100, required: true } })}
!${textField({ name: 'last_name', label: 'Last name', value: lastName, required: true, attributes: { id: `last-${id}`, maxlength: 100, required: true } })}
!${selectField({ name: 'role', label: 'Role', hint: 'Another role ends the user’s sessions.', options: optionsOf(ROLES, role), attributes: { id: `role-${id}` } })}
!${officerField(`officer-${id}`, privacyOfficer)}
<p>!${button({ label: 'Save' })}</p>
</form>`;

const stepForms = ({ id, active, verified, locked, factorKinds }: LockableAccount): string => html`
<div class="row">
!${locked ? stepForm(id, 'unlock', 'Unlock', 'plain') : ''}
!${active && !verified ? stepForm(id, 'invite', 'Invite again', 'plain') : ''}
!${stepForm(id, 'sign-out', 'Sign out everywhere', 'plain')}
!${factorKinds.length > 0 ? stepForm(id, 'reset-second-factors', 'Take lost second factors away', 'danger') : ''}
!${active ? stepForm(id, 'deactivate', 'Shut out', 'danger') : stepForm(id, 'activate', 'Let in again', 'plain')}
</div>`;

const stepForm = (id: number, step: string, label: string, kind: 'plain' | 'danger'): string =>
  html`<form method="post" action="/administration/users/${id}/${step}">!${button({ label, kind })}</form>`;

function pageLinksOf({ page, limit, total }: Page<unknown>, search: string): string {
  const link = (to: number, label: string) => {
    const query = new URLSearchParams({ page: String(to), ...(search === '' ? {} : { search }) });
    return html`<a href="/administration/users?${query}">${label}</a>`;
  };
  const links = [...(page > 1 ? [link(page - 1, 'Before')] : []), ...(page * limit < total ? [link(page + 1, 'Next')] : [])];
  return links.length === 0 ? '' : html`<p class="row">!${links.join(' ')}</p>`;
}
