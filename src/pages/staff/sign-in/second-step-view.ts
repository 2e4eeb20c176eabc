import type { SignInMethod } from '../../../domain/identity/sessions/sessions.ts';
import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import { refused } from '../../design/feedback/alert.ts';
import { writeAttributes } from '../../design/forms/attributes.ts';
import { button } from '../../design/forms/button.ts';
import { textField } from '../../design/forms/field.ts';
import { writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import { signInAddressFor } from './return-address.ts';

export const PASSKEY_SCRIPT = '/assets/client/passkeys.ts';

export const renderHiddenFields = (fields: Record<string, string | undefined>): string =>
  Object.entries(fields)
    .map(([name, value]) => (value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`))
    .join('');

export const errorAlert = (error: string | undefined): string => (error === undefined ? '' : refused(error));

interface PasskeyForm {
  action: string;
  label: string;
  /** `create` makes a passkey, `get` shows one. */
  kind: 'create' | 'get';
  /** For the browser, or the address that gives them with a challenge. */
  options: object | string;
  fields?: Record<string, string | undefined>;
  /** Further markup inside of the form. */
  content?: string;
  primary?: boolean;
}

/** A form that the script of passkeys sends. Without the script, or in a browser without passkeys, it says so. */
export const passkeyForm = ({ action, label, kind, options, fields = {}, content = '', primary = false }: PasskeyForm): string => html`
<form class="stack" method="post" action="${action}" data-passkey="${kind}" data-options="${typeof options === 'string' ? options : JSON.stringify(options)}">
!${renderHiddenFields(fields)}<input type="hidden" name="passkey">
!${content}
<p>!${button({ label, kind: primary ? 'primary' : 'plain', wide: true, attributes: { disabled: true } })}</p>
<p class="hint" data-passkey-words>Passkeys require JavaScript.</p>
</form>`;

/** The reason for which a second factor was refused, and the field that it was typed into. */
export interface RefusedFactor {
  error?: string | undefined;
  /** Absent for a passkey. */
  field?: 'code' | 'recovery_code' | undefined;
}

export function typedField(form: { code?: string | undefined; recovery_code?: string | undefined }): RefusedFactor['field'] {
  if (form.code !== undefined) return 'code';
  return form.recovery_code === undefined ? undefined : 'recovery_code';
}

interface SecondStep extends RefusedFactor {
  challenge: string;
  methods: readonly SignInMethod[];
  passkey: object | null;
  to?: string | undefined;
  /** Of who is signed in already. */
  practice?: LinkPractice;
  /** Where the forms go. */
  action?: string;
  title?: string;
  /** A sentence above the forms. */
  lead?: string;
  /** Another way on than signing in as somebody else. */
  foot?: string;
}

const CODE = { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 7, required: true };
const RECOVERY = { autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', maxlength: 40, required: true };

/** Asks for a second factor, by each way that the user has. */
export function secondStepPage({
  practice,
  challenge,
  methods,
  passkey,
  to,
  error,
  field,
  action = '/sign-in/second-factor',
  title = 'One more step',
  lead,
  foot = html`<p><a href="${signInAddressFor(to)}">Sign in as somebody else</a></p>`,
}: SecondStep): string {
  const fields = { challenge, to };
  const hasPasskey = passkey !== null && methods.includes('hwk');
  const findError = (name: RefusedFactor['field']) => (field === name ? (error ?? null) : null);
  return writePage({
    title,
    ...(practice === undefined ? {} : { practice }),
    script: PASSKEY_SCRIPT,
    content: html`
!${lead === undefined ? '' : html`<p class="lead">${lead}</p>`}
!${field === undefined ? errorAlert(error) : ''}
!${hasPasskey ? passkeyForm({ action, label: 'Use a passkey', kind: 'get', options: passkey, fields, primary: true }) : ''}
!${methods.includes('otp') ? codeForm({ action, fields, error: findError('code'), hasFocus: field === undefined ? !hasPasskey : field === 'code' }) : ''}
!${methods.includes('recovery') ? recoveryForm({ action, fields, error: findError('recovery_code') }) : ''}`,
    foot,
  });
}

interface TypedFactor {
  action: string;
  fields: Record<string, string | undefined>;
  error: string | null;
}

const codeForm = ({ action, fields, error, hasFocus }: TypedFactor & { hasFocus: boolean }): string => html`
<form class="stack" method="post" action="${action}">
!${renderHiddenFields(fields)}
!${textField({ name: 'code', label: 'Code of your authenticator app', hint: 'Six digits', error, required: true, attributes: { ...CODE, autofocus: hasFocus } })}
<p>!${button({ label: 'Continue', wide: true })}</p>
</form>`;

const recoveryForm = ({ action, fields, error }: TypedFactor): string => html`
<details!${writeAttributes({ open: error !== null })}><summary>Use a recovery code</summary>
<form class="stack" method="post" action="${action}">
!${renderHiddenFields(fields)}
!${textField({ name: 'recovery_code', label: 'Recovery code', hint: 'One of your ten recovery codes. Each works once.', error, required: true, attributes: { ...RECOVERY, autofocus: error !== null } })}
<p>!${button({ label: 'Continue with this code', kind: 'plain', wide: true })}</p>
</form></details>`;
