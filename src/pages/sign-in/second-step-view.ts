import type { SignInMethod } from '../../domain/identity/sessions.ts';
import { alert } from '../design/alert.ts';
import { button } from '../design/button.ts';
import { textField } from '../design/field.ts';
import { writePage } from '../design/page.ts';
import { html } from '../html.ts';

/** The address of the script of passkeys. */
export const PASSKEY_SCRIPT = '/assets/client/passkeys.ts';

/** Fields of a form that nobody sees. */
export const hiddenFields = (fields: Record<string, string | undefined>): string =>
  Object.entries(fields)
    .map(([name, value]) => (value === undefined ? '' : html`<input type="hidden" name="${name}" value="${value}">`))
    .join('');

export const errorAlert = (error: string | undefined): string =>
  error === undefined ? '' : alert({ kind: 'danger', content: html`<p>${error}</p>`, attributes: { role: 'alert' } });

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
!${hiddenFields(fields)}<input type="hidden" name="passkey">
!${content}
<p>!${button({ label, kind: primary ? 'primary' : 'plain', wide: true, attributes: { disabled: true } })}</p>
<p class="hint" data-passkey-words>Passkeys need a browser with scripts.</p>
</form>`;

interface SecondStep {
  challenge: string;
  methods: readonly SignInMethod[];
  passkey: object | null;
  to?: string | undefined;
  error?: string | undefined;
  /** Where the forms go. */
  action?: string;
  title?: string;
}

const CODE = { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 7, required: true };

/** Asks for a second factor, by each way that the user has. */
export function secondStepPage({
  challenge,
  methods,
  passkey,
  to,
  error,
  action = '/sign-in/second-factor',
  title = 'One more step',
}: SecondStep): string {
  const fields = { challenge, to };
  return writePage({
    title,
    script: PASSKEY_SCRIPT,
    content: html`
!${errorAlert(error)}
!${passkey && methods.includes('hwk') ? passkeyForm({ action, label: 'Use a passkey', kind: 'get', options: passkey, fields, primary: true }) : ''}
!${methods.includes('otp') ? codeForm(action, fields) : ''}
!${methods.includes('recovery') ? recoveryForm(action, fields) : ''}`,
    foot: html`<p><a href="/sign-in">Sign in as somebody else</a></p>`,
  });
}

const codeForm = (action: string, fields: Record<string, string | undefined>): string => html`
<form class="stack" method="post" action="${action}">
!${hiddenFields(fields)}
!${textField({ name: 'code', label: 'Code of your authenticator app', hint: 'Six digits', required: true, attributes: CODE })}
<p>!${button({ label: 'Continue', wide: true })}</p>
</form>`;

const recoveryForm = (action: string, fields: Record<string, string | undefined>): string => html`
<details><summary>Use a recovery code</summary>
<form class="stack" method="post" action="${action}">
!${hiddenFields(fields)}
!${textField({ name: 'recovery_code', label: 'Recovery code', hint: 'One of the ten that you keep on paper. Each works once.', required: true, attributes: { autocomplete: 'off', maxlength: 40, required: true } })}
<p>!${button({ label: 'Continue with this code', kind: 'plain', wide: true })}</p>
</form></details>`;
