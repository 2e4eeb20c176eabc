import { CLIENT_SCOPES } from '../../domain/identity/clients.ts';
import type { ClientWithSecret, PracticeClient } from '../../domain/identity/practice-clients.ts';
import type { LinkPractice } from '../../domain/practices/link-practice.ts';
import { alert } from '../design/alert.ts';
import { badge } from '../design/badge.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty-state.ts';
import { checkField, textField } from '../design/field.ts';
import { html } from '../html.ts';
import { administrationPage, timeIn } from './layout.ts';

/** The words of each scope. */
const SCOPES: Readonly<Record<(typeof CLIENT_SCOPES)[number], string>> = {
  'integration.read': 'Integration API: read',
  'integration.write': 'Integration API: write',
  'practice.read': 'Practice API: read',
  'practice.write': 'Practice API: write',
  'ssn.read': 'See whole social security numbers',
  'restricted.read': 'See restricted and blocked charts',
  'readings.write': 'Send readings of devices',
};

export interface ClientsView {
  practice: LinkPractice;
  clients: readonly PracticeClient[];
  problem?: string | undefined;
  /** A client that has just been given a secret, which is shown this once. */
  made?: ClientWithSecret | undefined;
}

export const clientsPage = ({ practice, clients, problem, made }: ClientsView): string =>
  administrationPage({
    practice,
    current: '/administration/clients',
    problem,
    content: html`
!${made?.secret ? secretOf(made.client, made.secret) : ''}
!${card({
      title: `API clients (${clients.length})`,
      content:
        clients.length === 0
          ? emptyState({ icon: 'info', title: 'No application calls the APIs for the practice' })
          : html`<ul class="list">!${clients.map((client) => clientItem(client, practice)).join('')}</ul>`,
    })}
!${card({ title: 'Add an API client', content: createForm() })}`,
  });

const secretOf = ({ name, clientId }: PracticeClient, secret: string): string =>
  alert({
    kind: 'success',
    title: `The secret of ${name}`,
    content: html`<p>Keep it now: it will not be shown again.</p>
<p>client_id <code>${clientId}</code></p><p>client_secret <code>${secret}</code></p>`,
    attributes: { role: 'status' },
  });

const createForm = (): string => html`
<form class="stack" method="post" action="/administration/clients">
!${textField({ name: 'name', label: 'Name of the application', required: true, attributes: { maxlength: 200, required: true } })}
<fieldset class="choices"><legend class="label">It may</legend><div class="options">!${scopeFields('new', [])}</div></fieldset>
<p>!${button({ label: 'Add, and show its secret' })}</p>
</form>`;

const scopeFields = (of: string, held: readonly string[]): string =>
  CLIENT_SCOPES.map((scope) =>
    checkField({
      name: scope.replace('.', '_'),
      label: SCOPES[scope],
      isChecked: held.includes(scope),
      attributes: { id: `${of}-${scope}` },
    }),
  ).join('');

const clientItem = (client: PracticeClient, practice: LinkPractice): string => html`
<li><div class="list-text">
<p class="row"><bdi class="list-title">${client.name}</bdi> !${badge(client.kind === 'app' ? 'app' : 'program')}!${client.active ? '' : badge('switched off', 'danger')}!${client.secrets[0]?.isOld ? badge('old secret', 'warning') : ''}!${client.isShared ? badge('other practices too') : ''}</p>
<span class="hint">${client.clientId} · last used ${timeIn(client.lastUsedAt, practice)}!${client.secrets[0] ? html` · secret of ${timeIn(client.secrets[0].createdAt, practice)}` : ''}</span>
<span class="hint">${client.scopes.join(', ')}</span>
<details><summary>Change</summary>!${client.isShared ? SHARED : changeForms(client)}!${withdrawForm(client)}</details>
</div></li>`;

const SHARED = html`<p>This client acts for other practices too: the operator of the server changes it.</p>`;

function changeForms(client: PracticeClient): string {
  const { id, kind, active, jwks, jwksUri } = client;
  const hasSecret = kind === 'machine' && jwks === null && jwksUri === null;
  return html`
!${
    kind === 'app'
      ? ''
      : html`<form class="stack" method="post" action="/administration/clients/${id}">
<fieldset class="choices"><legend class="label">It may</legend><div class="options">!${scopeFields(String(id), client.scopes)}</div></fieldset>
<p>!${button({ label: 'Save' })}</p></form>`
  }
<div class="row">
!${hasSecret ? stepForm(id, 'rotate', 'New secret; the present one ends in 24 hours', 'plain') : ''}
!${active ? stepForm(id, 'disable', 'Switch off', 'danger') : stepForm(id, 'enable', 'Switch on', 'plain')}
</div>`;
}

const withdrawForm = ({ id }: PracticeClient): string => stepForm(id, 'withdraw', 'Take the practice from it', 'danger');

const stepForm = (id: number, step: string, label: string, kind: 'plain' | 'danger'): string =>
  html`<form method="post" action="/administration/clients/${id}/${step}">!${button({ label, kind })}</form>`;
