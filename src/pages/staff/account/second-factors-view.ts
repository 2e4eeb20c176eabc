import type { SecondFactor } from '../../../domain/identity/factors/second-factors.ts';
import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import { writeMoment } from '../../../http/trend-figures/words.ts';
import { card } from '../../design/content/card.ts';
import { type ListItem, list } from '../../design/content/list.ts';
import { linkButton } from '../../design/forms/button.ts';
import { confirmedButton } from '../../design/forms/confirmed-button.ts';
import { writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import { errorAlert, PASSKEY_SCRIPT, renderHiddenFields } from '../sign-in/second-step-view.ts';
import { type Addable, addFactorForms, recoveryCodeList } from './add-factor-view.ts';
import { doneAlert } from './view.ts';

const HOME = '/account/second-factors';
const ACTIONS = { passkey: `${HOME}/passkeys`, app: `${HOME}/authenticator-app` };

/** The outcome of the last form: done, or refused beside the field of a code or above all. */
export interface ShownNews extends Pick<Addable, 'codeError'> {
  news?: string | undefined;
  error?: string | undefined;
}

interface SecondFactorsView extends Pick<Addable, 'passkey' | 'app'>, ShownNews {
  practice: LinkPractice;
  factors: readonly SecondFactor[];
  codesLeft: number;
}

/** The factors of a user, each with its way out, and the ways to add others. */
export const secondFactorsPage = ({ practice, factors, codesLeft, news, error, codeError, passkey, app }: SecondFactorsView): string =>
  writePage({
    title: 'Second factors',
    practice,
    layout: 'wide',
    script: PASSKEY_SCRIPT,
    back: { href: '/account', label: 'Your account' },
    content: html`
!${news === undefined ? '' : doneAlert(news)}
!${errorAlert(error)}
!${card({
      title: 'Yours',
      content:
        factors.length === 0 ? html`<p>You have none yet.</p>` : list(factors.map((factor) => factorItem(factor, practice.timeZone))),
    })}
!${factors.length === 0 ? '' : codesCard(codesLeft)}
!${card({ content: addFactorForms({ actions: ACTIONS, passkey, app, codeError }) })}`,
  });

function factorItem({ id, kind, name, createdAt, lastUsedAt }: SecondFactor, timeZone: string): ListItem {
  const used = lastUsedAt === null ? 'never used' : `last used ${writeMoment(lastUsedAt, timeZone)}`;
  return {
    title: name,
    detail: `${kind === 'passkey' ? 'Passkey' : 'Authenticator app'}, added ${writeMoment(createdAt, timeZone)}, ${used}`,
    end: html`<form id="delete-${id}" method="post" action="${HOME}/delete">!${renderHiddenFields({ factor: String(id) })}</form>
!${confirmedButton({
      id: `ask-delete-${id}`,
      label: 'Delete',
      kind: 'danger',
      question: `Delete \u2068${name}\u2069?`,
      words: 'You can no longer sign in with it. Deleting your last second factor also deletes your recovery codes.',
      form: { id: `delete-${id}` },
    })}`,
  };
}

const codesCard = (left: number): string =>
  card({
    title: 'Recovery codes',
    content: html`<p>${left} of 10 are left.</p>
<p>!${confirmedButton({
      id: 'ask-codes',
      label: 'Create ten new codes',
      kind: 'plain',
      question: 'Create ten new codes?',
      words: 'They are shown only once. Your current codes stop working immediately.',
      form: { action: `${HOME}/recovery-codes` },
    })}</p>`,
  });

/** New recovery codes, shown once. */
export const codesPage = (codes: readonly string[], practice: LinkPractice): string =>
  writePage({
    title: 'Your recovery codes',
    practice,
    content: html`!${recoveryCodeList(codes)}
<p>!${linkButton({ href: HOME, label: 'I have saved them', wide: true })}</p>`,
  });
