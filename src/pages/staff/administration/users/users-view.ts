import type { LinkPractice } from '../../../../domain/practices/link-practice.ts';
import type { LockableAccount } from '../../../../domain/users/user-accounts.ts';
import type { Page } from '../../../../domain/values/paging.ts';
import { card } from '../../../design/content/card.ts';
import { badge } from '../../../design/feedback/badge.ts';
import { emptyState } from '../../../design/feedback/empty-state.ts';
import { button } from '../../../design/forms/button.ts';
import { checkField, selectField, textField } from '../../../design/forms/field.ts';
import { html } from '../../../html.ts';
import { type FormState, formState, type RefusedForm } from '../../forms/form-state.ts';
import { administrationPage, renderOptions, timeIn } from '../layout.ts';

export const ROLES = { admin: 'Administrator', provider: 'Provider', staff: 'Staff' } as const;

const ADDRESS = '/administration/users';
const NOTHING_TYPED = { first_name: '', last_name: '', email: '', role: 'staff', privacy_officer: '' };

export interface UsersView {
  practice: LinkPractice;
  users: Page<LockableAccount>;
  search: string;
  refused?: RefusedForm | undefined;
  news?: string | undefined;
}

/** The users of a practice, and the form that invites another one. */
export function usersPage({ practice, users, search, refused, news }: UsersView): string {
  const form = formState({ action: ADDRESS, present: NOTHING_TYPED, refused });
  const invitation = card({ title: 'Invite a user', content: invitationForm(form), attributes: { id: 'invite' } });
  const list = card({ title: `Users (${users.total})`, content: usersList(users, search, practice) });
  return administrationPage({
    practice,
    current: ADDRESS,
    refused,
    forms: [form],
    news,
    content: form.isRefused ? invitation + list : list + invitation,
  });
}

const usersList = (users: Page<LockableAccount>, search: string, practice: LinkPractice): string => html`
<form class="search-form" method="get" action="${ADDRESS}">
!${textField({ name: 'search', label: 'Name or email', value: search, attributes: { type: 'search', maxlength: 200 } })}
!${button({ label: 'Search', kind: 'plain' })}
</form>
<p><a href="#invite">Invite a user</a>!${search === '' ? '' : html` · <a href="${ADDRESS}">Show all users</a>`}</p>
!${users.items.length === 0 ? renderNobody(search) : html`<ul class="list">!${users.items.map((user) => userItem(user, practice)).join('')}</ul>`}
!${renderPageLinks(users, search)}`;

const renderNobody = (search: string): string =>
  search === ''
    ? emptyState({ icon: 'people', title: 'No users on this page' })
    : emptyState({ icon: 'people', title: 'No one found', text: 'Search by the start of names and emails.' });

const invitationForm = (form: FormState): string => html`
<form class="stack" method="post" action="${ADDRESS}">
<div class="grid">
!${textField({ ...form.field('first_name', { maxlength: 100, required: true, autocomplete: 'off' }), label: 'First name', required: true })}
!${textField({ ...form.field('last_name', { maxlength: 100, required: true, autocomplete: 'off' }), label: 'Last name', required: true })}
!${textField({ ...form.field('email', { type: 'email', maxlength: 254, required: true, autocomplete: 'off' }), label: 'Email', hint: 'They get a link for choosing a password, which works once within seven days. They sign in with this address.', required: true })}
!${selectField({ ...form.field('role'), label: 'Role', options: renderOptions(ROLES, form.field('role').value) })}
</div>
!${officerField(form)}
<p>!${button({ label: 'Invite' })}</p>
</form>`;

export const officerField = (form: FormState): string =>
  checkField({ ...form.box('privacy_officer'), label: 'Privacy officer: notified of every emergency access to a restricted chart' });

export const accountBadges = ({ role, active, verified, locked, privacyOfficer, factorKinds }: LockableAccount): string =>
  [
    badge(ROLES[role], 'accent'),
    active ? '' : badge('deactivated', 'danger'),
    verified ? '' : badge('invited', 'warning'),
    locked ? badge('locked', 'danger') : '',
    privacyOfficer ? badge('privacy officer') : '',
    factorKinds.length > 0 ? badge('second factor', 'success') : '',
  ].join(' ');

const userItem = (user: LockableAccount, practice: LinkPractice): string => html`
<li><div class="list-text">
<p class="row"><bdi><a class="list-title" href="${ADDRESS}/${user.id}">${user.firstName} ${user.lastName}</a></bdi> !${accountBadges(user)}</p>
<span class="hint"><bdi>${user.signInEmail ?? 'cannot sign in'}</bdi> · ${seenWords(user, practice)}</span>
</div></li>`;

/** When a user was last there. */
export const seenWords = ({ lastSeenAt }: Pick<LockableAccount, 'lastSeenAt'>, practice: LinkPractice): string =>
  lastSeenAt === null ? 'has never signed in' : `last signed in ${timeIn(lastSeenAt, practice)}`;

function renderPageLinks({ page, limit, total }: Page<unknown>, search: string): string {
  const link = (to: number, label: string) => {
    const query = new URLSearchParams({ page: String(to), ...(search === '' ? {} : { search }) });
    return html`<a href="${ADDRESS}?${query}">${label}</a>`;
  };
  const pages = Math.ceil(total / limit);
  const links = [
    ...(page > 1 ? [link(Math.min(page - 1, Math.max(pages, 1)), 'Before')] : []),
    ...(page < pages ? [link(page + 1, 'Next')] : []),
  ];
  return links.length === 0
    ? ''
    : html`<nav class="row" aria-label="More users">!${links.join(' ')}<span class="hint">Page ${page} of ${pages}</span></nav>`;
}
