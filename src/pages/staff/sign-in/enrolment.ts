import type { FastifyRequest } from 'fastify';
import type { AccountHolder } from '../../../domain/identity/accounts.ts';
import { linkButton } from '../../design/forms/button.ts';
import { writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import { addFactorForms, recoveryCodeList } from '../account/add-factor-view.ts';
import { addableFor } from '../account/addable.ts';
import { pageAfterSignIn, signInAddressFor } from './return-address.ts';
import { errorAlert, PASSKEY_SCRIPT } from './second-step-view.ts';
import type { StaffPageDeps } from './staff-page-deps.ts';

interface Enrolment {
  user: AccountHolder;
  /** The challenge of this sign-in. */
  token: string;
  to?: string | undefined;
  error?: string | undefined;
  /** The reason for which the code of an app was refused. */
  codeError?: string | undefined;
  /** Of the app under way. */
  challenge?: string | undefined;
}

/** Asks somebody to add a second factor before their first session, because the practice requires one. */
export async function enrolmentPage(
  deps: StaffPageDeps,
  { user, token, to, error, codeError, challenge }: Enrolment,
  request: FastifyRequest,
): Promise<string> {
  const actions = { passkey: '/sign-in/enrol', app: '/sign-in/enrol' };
  const addable = await addableFor(deps, user, request, challenge);
  return writePage({
    title: 'Add a second factor',
    script: PASSKEY_SCRIPT,
    content: html`
<p class="lead">Your practice requires more than a password. Add one of these; it takes a minute.</p>
!${errorAlert(error)}
!${addFactorForms({ ...addable, actions, fields: { token, to }, codeError })}`,
    foot: html`<p><a href="${signInAddressFor(to)}">Sign in as somebody else</a></p>`,
  });
}

/** After the first factor: its recovery codes, and the way on. */
export const enrolledPage = (codes: readonly string[], to: string | undefined): string =>
  writePage({
    title: 'Your recovery codes',
    content: html`!${recoveryCodeList(codes)}
<p>!${linkButton({ href: pageAfterSignIn(to), label: 'I have saved them', wide: true })}</p>`,
  });
