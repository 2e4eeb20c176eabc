import { renderSVG } from 'uqr';
import { button } from '../../design/forms/button.ts';
import { textField } from '../../design/forms/field.ts';
import { html } from '../../html.ts';
import { passkeyForm, renderHiddenFields } from '../sign-in/second-step-view.ts';

/** A passkey and an authenticator app that somebody can add. */
export interface Addable {
  /** Address of the form of each. */
  actions: { passkey: string; app: string };
  /** Fields of both forms. */
  fields?: Record<string, string | undefined>;
  /** Null where passkeys are not possible. */
  passkey: { challenge: string; options: object } | null;
  /** Null where there is one already. */
  app: { challenge: string; key: string; address: string } | null;
  codeError?: string | undefined;
}

const NAME = { autocomplete: 'off', maxlength: 60 };
const CODE = { inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 7, required: true };

export const addFactorForms = ({ actions, fields = {}, passkey, app, codeError }: Addable): string => html`
!${
  passkey
    ? html`<h2>Add a passkey</h2>
<p>Your device asks for your fingerprint, your face or its PIN. With a passkey you sign in without a password.</p>
!${passkeyForm({
        action: actions.passkey,
        label: 'Add a passkey',
        kind: 'create',
        options: passkey.options,
        fields: { ...fields, challenge: passkey.challenge },
        content: textField({
          name: 'name',
          label: 'Name of the passkey',
          optional: '(optional)',
          hint: 'For example, the device that stores it',
          attributes: { ...NAME, id: 'passkey-name' },
        }),
      })}`
    : ''
}
!${app ? appForm(app, { action: actions.app, fields, codeError }) : ''}`;

function appForm(
  app: NonNullable<Addable['app']>,
  { action, fields, codeError }: { action: string; fields: Record<string, string | undefined>; codeError?: string | undefined },
): string {
  const groups = app.key.replaceAll(/(.{4})(?=.)/g, '$1 ');
  return html`<h2>Add an authenticator app</h2>
<p>Scan this with the app, or type its key. Then enter the code that the app shows.</p>
<div class="qr-code" role="img" aria-label="QR code of the key">!${renderSVG(app.address, { border: 3, pixelSize: 4 })}</div>
<p class="hint">Key: <code class="recovery-code">${groups}</code></p>
<form class="stack" method="post" action="${action}">
!${renderHiddenFields({ ...fields, challenge: app.challenge })}
!${textField({ name: 'code', label: 'Code of the app', hint: 'Six digits', error: codeError ?? null, required: true, attributes: { ...CODE, autofocus: codeError !== undefined } })}
<p>!${button({ label: 'Add the app', wide: true })}</p>
</form>`;
}

/** Recovery codes, which are shown once. */
export const recoveryCodeList = (codes: readonly string[]): string => html`
<p>Print these ten codes or write them down. Each works once, if you lose your other factors. They are not shown again.</p>
<ul class="recovery-codes">!${codes.map((code) => html`<li><code>${code}</code></li>`).join('')}</ul>`;
