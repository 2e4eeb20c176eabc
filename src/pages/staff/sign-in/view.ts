import { alert } from '../../design/feedback/alert.ts';
import { button, linkButton } from '../../design/forms/button.ts';
import { textField } from '../../design/forms/field.ts';
import { writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import { PASSKEY_SCRIPT, passkeyForm } from './second-step-view.ts';

interface SignInView {
  email?: string;
  /** The reason for which the last attempt was refused. */
  error?: string;
  /** The page that was asked for. */
  to?: string | undefined;
}

export const signInPage = ({ email = '', error, to }: SignInView): string =>
  writePage({
    title: 'Sign in',
    script: PASSKEY_SCRIPT,
    content: html`
<p class="lead">For people who work at a practice. Patients open the link in their text or mail instead.</p>
!${error === undefined ? '' : alert({ kind: 'danger', content: html`<p>${error}</p>`, attributes: { id: 'sign-in-error', role: 'alert' } })}
<form class="stack" method="post" action="/sign-in">
!${to === undefined ? '' : html`<input type="hidden" name="to" value="${to}">`}
!${textField({ name: 'email', label: 'Email', value: email, required: true, attributes: { type: 'email', autocomplete: 'username', maxlength: 254, required: true, autofocus: email === '' } })}
!${textField({ name: 'password', label: 'Password', required: true, attributes: { type: 'password', autocomplete: 'current-password', maxlength: 2_000, required: true, autofocus: email !== '', ...(error === undefined ? {} : { 'aria-invalid': 'true', 'aria-describedby': 'sign-in-error' }) } })}
<p>!${button({ label: 'Sign in', wide: true })}</p>
</form>
!${passkeyForm({ action: '/sign-in/passkey', label: 'Sign in with a passkey', kind: 'get', options: '/login/passkey/options', fields: { challenge: '', to } })}
<p>!${linkButton({ href: to === undefined ? '/sign-in/sso' : `/sign-in/sso?to=${encodeURIComponent(to)}`, label: 'Single sign-on', kind: 'plain', wide: true })}</p>
<p><a href="/sign-in/forgot">Forgot your password?</a></p>`,
    foot: html`<p><a href="/">Triptych</a>, the patient record of your practice</p>`,
  });
