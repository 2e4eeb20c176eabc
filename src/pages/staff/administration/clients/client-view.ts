import type { ClientWithSecret, PracticeClient } from '../../../../domain/identity/clients/practice-clients.ts';
import type { LinkPractice } from '../../../../domain/practices/link-practice.ts';
import { card } from '../../../design/content/card.ts';
import { COPY_SCRIPT } from '../../../design/content/copyable.ts';
import { badge } from '../../../design/feedback/badge.ts';
import { button } from '../../../design/forms/button.ts';
import { confirmedButton } from '../../../design/forms/confirmed-button.ts';
import { selectField, textField } from '../../../design/forms/field.ts';
import { html } from '../../../html.ts';
import { type FormState, type FormValues, formState, type RefusedForm } from '../../forms/form-state.ts';
import { administrationPage, renderOptions, timeIn } from '../layout.ts';
import { SCOPE_WORDS, scopeFields, scopeValues } from './client-scopes.ts';
import { secretAlert } from './client-secret-view.ts';
import { clientBadges, writeLastUse } from './clients-view.ts';

const ADDRESS = '/administration/clients';

/** For how long a former secret works beside the new one: words by hours. */
export const OVERLAPS = {
  24: 'for another 24 hours',
  168: 'for another 7 days',
  744: 'for another 31 days',
  0: 'no longer: it stops working immediately',
} as const;

export interface ClientView {
  practice: LinkPractice;
  client: PracticeClient;
  refused?: RefusedForm | undefined;
  news?: string | undefined;
  /** The client with a secret that it has just been given, which is shown only once. */
  made?: ClientWithSecret | undefined;
}

/** One API client: what it may, its secrets, and how it is stopped. */
export function clientPage({ practice, client, refused, news, made }: ClientView): string {
  const form = formState({ action: `${ADDRESS}/${client.id}`, present: clientValues(client), refused, words: SCOPE_WORDS });
  return administrationPage({
    practice,
    current: ADDRESS,
    title: client.name,
    refused,
    forms: [form],
    news,
    ...(made?.secret ? { script: COPY_SCRIPT } : {}),
    content: html`
!${made?.secret ? secretAlert({ client: made.client, secret: made.secret, practice, isRotated: true }) : ''}
!${aboutCard(client, practice)}
!${client.isShared ? '' : card({ title: 'Name and scopes', content: changeForm(form, client.kind) })}
!${hasSecret(client) ? card({ title: 'Secret', content: renderSecrets(client, practice) }) : ''}
!${card({ title: 'Deactivate', content: stopForms(client) })}`,
  });
}

const hasSecret = ({ kind, jwks, jwksUri }: PracticeClient): boolean => kind === 'machine' && jwks === null && jwksUri === null;

const aboutCard = (client: PracticeClient, practice: LinkPractice): string =>
  card({
    content: html`
<p class="row">!${clientBadges(client)}</p>
<p>client_id <code>${client.clientId}</code></p>
<p class="hint">Added ${timeIn(client.createdAt, practice)} · ${writeLastUse(client, practice)}</p>
!${client.isShared ? html`<p>This client acts for other practices too: the operator of the server changes it. You can take your practice from it.</p>` : ''}
!${client.kind === 'app' ? html`<p>People sign in to it. It may act for them within its scopes and their own rights. It redirects to ${client.redirectUris.join(', ')}.</p>` : ''}
!${client.kind === 'machine' && !hasSecret(client) ? html`<p>It signs in with its own keys and has no secret.</p>` : ''}
<p><a href="/administration/audit?client=${client.id}">What it did</a> · <a href="${ADDRESS}/${client.id}/requests">What failed</a></p>`,
  });

export const clientValues = ({ name, kind, scopes }: PracticeClient): FormValues => ({ name, ...scopeValues(kind, scopes) });

const changeForm = (form: FormState, kind: PracticeClient['kind']): string => html`
<form class="stack" method="post" action="${form.action}">
!${form.seen}
!${textField({ ...form.field('name', { maxlength: 200, required: true, autocomplete: 'off' }), label: 'Name of the application', required: true })}
!${scopeFields(form, kind)}
<p>!${button({ label: 'Save' })}</p>
</form>`;

function renderSecrets(client: PracticeClient, practice: LinkPractice): string {
  const lines = client.secrets.map((secret, index) => secretItem(secret, index === 0, practice));
  return html`
<ul class="list">!${lines.join('')}</ul>
<form id="rotate" class="stack" method="post" action="${ADDRESS}/${client.id}/rotate">
!${selectField({ name: 'overlap_hours', label: 'After a new secret, the current one works', options: renderOptions(OVERLAPS, '24') })}
</form>
<p>!${confirmedButton({
    id: 'ask-rotate',
    label: 'Create a new secret',
    kind: 'plain',
    question: 'Create a new secret?',
    words:
      'It is shown only once. Give it to the application before the current one stops working after the time that you choose. An earlier secret that is still valid stops working immediately.',
    form: { id: 'rotate' },
  })}</p>`;
}

function secretItem(
  { createdAt, expiresAt, lastUsedAt, isOld }: PracticeClient['secrets'][number],
  isNewest: boolean,
  practice: LinkPractice,
) {
  const isEnded = expiresAt !== null && expiresAt <= new Date();
  const end = expiresAt === null ? 'never expires' : `${isEnded ? 'stopped working' : 'works until'} ${timeIn(expiresAt, practice)}`;
  return html`
<li><div class="list-text"><p class="row"><span class="list-title">${isNewest ? 'Current secret' : 'Former secret'}</span> !${isEnded ? badge('ended') : isOld ? badge('old: create a new one', 'warning') : ''}</p>
<span class="hint">Made ${timeIn(createdAt, practice)} · ${end} · ${lastUsedAt === null ? 'never used' : `last used ${timeIn(lastUsedAt, practice)}`}</span></div></li>`;
}

const SWITCH_OFF =
  'It can no longer get tokens, and its current ones stop working within a second. You can switch it on again at any time.';
const SWITCH_ON = 'It can get tokens again with its secret or keys.';
const WITHDRAW =
  'It immediately loses access to your practice and is removed from this list. This cannot be undone; to give it access again, add a new client.';

const stopForms = ({ id, name, active, isShared }: PracticeClient): string => html`
<ul class="list">
!${isShared ? '' : active ? stopItem(id, 'disable', 'Switch off', `Switch \u2068${name}\u2069 off?`, SWITCH_OFF) : stopItem(id, 'enable', 'Switch on', `Switch \u2068${name}\u2069 on?`, SWITCH_ON)}
!${stopItem(id, 'withdraw', 'Withdraw the practice from it', `Withdraw the practice from \u2068${name}\u2069?`, WITHDRAW)}
</ul>`;

const stopItem = (id: number, step: string, label: string, question: string, words: string): string => html`
<li><div class="list-text"><p class="hint">${words}</p></div>
!${confirmedButton({ id: `ask-${step}`, label, kind: step === 'enable' ? 'plain' : 'danger', question, words, form: { action: `${ADDRESS}/${id}/${step}` } })}</li>`;
