import type { ClientWithSecret, PracticeClient } from '../../../../domain/identity/clients/practice-clients.ts';
import type { LinkPractice } from '../../../../domain/practices/link-practice.ts';
import { card } from '../../../design/content/card.ts';
import { COPY_SCRIPT } from '../../../design/content/copyable.ts';
import { badge } from '../../../design/feedback/badge.ts';
import { emptyState } from '../../../design/feedback/empty-state.ts';
import { button } from '../../../design/forms/button.ts';
import { textField } from '../../../design/forms/field.ts';
import { html } from '../../../html.ts';
import { type FormState, formState, type RefusedForm } from '../../forms/form-state.ts';
import { administrationPage, timeIn } from '../layout.ts';
import { noScopes, scopeFields } from './client-scopes.ts';
import { secretAlert } from './client-secret-view.ts';

const ADDRESS = '/administration/clients';

export interface ClientsView {
  practice: LinkPractice;
  clients: readonly PracticeClient[];
  refused?: RefusedForm | undefined;
  news?: string | undefined;
  /** A client that has just been made, with its secret, which is shown only once. */
  made?: ClientWithSecret | undefined;
}

/** The API clients of a practice, and the form that adds another one. */
export function clientsPage({ practice, clients, refused, news, made }: ClientsView): string {
  const form = formState({ action: ADDRESS, present: { name: '', ...noScopes() }, refused });
  const list = card({ title: `API clients (${clients.length})`, content: clientsList(clients, practice) });
  const creation = card({ title: 'Add an API client', content: createForm(form), attributes: { id: 'add' } });
  return administrationPage({
    practice,
    current: ADDRESS,
    refused,
    forms: [form],
    news,
    ...(made?.secret ? { script: COPY_SCRIPT } : {}),
    content: html`
!${made?.secret ? secretAlert({ client: made.client, secret: made.secret, practice, isRotated: false }) : ''}
!${form.isRefused ? creation + list : list + creation}`,
  });
}

function clientsList(clients: readonly PracticeClient[], practice: LinkPractice): string {
  if (clients.length === 0)
    return emptyState({
      icon: 'info',
      title: 'The practice has no applications yet',
      text: 'An application that you add gets an id and a secret.',
    });
  return html`
<p><a href="#add">Add an API client</a></p>
<ul class="list">!${clients.map((client) => clientItem(client, practice)).join('')}</ul>`;
}

const createForm = (form: FormState): string => html`
<form class="stack" method="post" action="${ADDRESS}">
!${textField({ ...form.field('name', { maxlength: 200, required: true, autocomplete: 'off' }), label: 'Name of the application', required: true })}
!${scopeFields(form, 'machine')}
<p>!${button({ label: 'Add it and show its secret' })}</p>
</form>`;

const clientItem = (client: PracticeClient, practice: LinkPractice): string => html`
<li><div class="list-text">
<p class="row"><bdi><a class="list-title" href="${ADDRESS}/${client.id}">${client.name}</a></bdi> !${clientBadges(client)}</p>
<span class="hint">${writeLastUse(client, practice)}!${client.secrets[0] ? html` · secret of ${timeIn(client.secrets[0].createdAt, practice)}` : ''}</span>
<span class="hint">${client.scopes.join(', ')}</span>
</div></li>`;

export const clientBadges = ({ kind, active, secrets, isShared }: PracticeClient): string =>
  [
    badge(kind === 'app' ? 'app' : 'program'),
    active ? '' : badge('switched off', 'danger'),
    secrets[0]?.isOld ? badge('secret is old', 'warning') : '',
    isShared ? badge('other practices too') : '',
  ].join(' ');

export const writeLastUse = ({ lastUsedAt }: Pick<PracticeClient, 'lastUsedAt'>, practice: LinkPractice): string =>
  lastUsedAt === null ? 'never used' : `last used ${timeIn(lastUsedAt, practice)}`;
