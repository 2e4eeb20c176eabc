import { alert } from '../design/alert.ts';
import { button } from '../design/button.ts';
import { textField } from '../design/field.ts';
import { writePage } from '../design/page.ts';
import { html } from '../html.ts';

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
    content: html`
<p class="lead">For the people of a practice. Patients open the link in their text or mail instead.</p>
!${error === undefined ? '' : alert({ kind: 'danger', content: html`<p>${error}</p>`, attributes: { role: 'alert' } })}
<form class="stack" method="post" action="/sign-in">
!${to === undefined ? '' : html`<input type="hidden" name="to" value="${to}">`}
!${textField({ name: 'email', label: 'Email', value: email, required: true, attributes: { type: 'email', autocomplete: 'username', maxlength: 254, required: true, autofocus: email === '' } })}
!${textField({ name: 'password', label: 'Password', required: true, attributes: { type: 'password', autocomplete: 'current-password', maxlength: 1_000, required: true, autofocus: email !== '' } })}
<p>!${button({ label: 'Sign in', wide: true })}</p>
</form>
<p class="hint">Forgot your password? The people who run this server can give you a new one.</p>`,
    foot: html`<p><a href="/">Triptych</a>, the record of your practice</p>`,
  });
