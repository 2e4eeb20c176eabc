import type { SecondFactor } from '../../domain/identity/second-factors.ts';
import { button, linkButton } from '../design/button.ts';
import { card } from '../design/card.ts';
import { writePage } from '../design/page.ts';
import { html } from '../html.ts';
import { errorAlert, hiddenFields, PASSKEY_SCRIPT } from '../sign-in/second-step-view.ts';
import { type Addable, addFactorForms, recoveryCodeList } from './add-factor-view.ts';

const HOME = '/account/second-factors';
const ACTIONS = { passkey: `${HOME}/passkeys`, app: `${HOME}/authenticator-app` };

interface SecondFactorsView extends Pick<Addable, 'passkey' | 'app'> {
  factors: readonly SecondFactor[];
  codesLeft: number;
  error?: string | undefined;
}

/** The factors of a user, each with its way out, and the ways to add others. */
export const secondFactorsPage = ({ factors, codesLeft, error, passkey, app }: SecondFactorsView): string =>
  writePage({
    title: 'Second factors',
    layout: 'wide',
    script: PASSKEY_SCRIPT,
    back: { href: '/account', label: 'Your account' },
    content: html`
!${errorAlert(error)}
!${card({
      title: 'Yours',
      content:
        factors.length === 0
          ? html`<p>You have none yet: your password alone signs you in.</p>`
          : html`<ul class="stack">!${factors.map(factorRow).join('')}</ul>`,
    })}
!${factors.length === 0 ? '' : codesCard(codesLeft)}
!${card({ content: addFactorForms({ actions: ACTIONS, passkey, app }) })}`,
  });

const dayOf = (instant: Date): string => instant.toISOString().slice(0, 10);

const factorRow = ({ id, kind, name, createdAt, lastUsedAt }: SecondFactor): string => html`
<li><strong>${name}</strong>
<p class="hint">${kind === 'passkey' ? 'Passkey' : 'Authenticator app'}, added ${dayOf(createdAt)}${lastUsedAt ? `, last used ${dayOf(lastUsedAt)}` : ', never used'}</p>
<form method="post" action="${HOME}/delete">!${hiddenFields({ factor: String(id) })}!${button({ label: `Delete ${name}`, kind: 'danger' })}</form></li>`;

const codesCard = (left: number): string =>
  card({
    title: 'Recovery codes',
    content: html`<p>${left} of ten are left.</p>
<form method="post" action="${HOME}/recovery-codes">!${button({ label: 'Make ten new codes', kind: 'plain' })}</form>
<p class="hint">The ones that you have stop working then.</p>`,
  });

/** New recovery codes, shown once. */
export const codesPage = (codes: readonly string[]): string =>
  writePage({
    title: 'Your recovery codes',
    content: html`!${recoveryCodeList(codes)}
<p>!${linkButton({ href: HOME, label: 'I have kept them', wide: true })}</p>`,
  });
