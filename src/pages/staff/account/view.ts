import { deviceName } from '../../../domain/identity/sessions/device-names.ts';
import type { ShownSession } from '../../../domain/identity/sessions/session-list.ts';
import { writeMoment } from '../../../http/trend-figures/words.ts';
import { card } from '../../design/content/card.ts';
import { list } from '../../design/content/list.ts';
import { alert } from '../../design/feedback/alert.ts';
import { badge } from '../../design/feedback/badge.ts';
import { button, linkButton } from '../../design/forms/button.ts';
import { confirmedButton } from '../../design/forms/confirmed-button.ts';
import { textField } from '../../design/forms/field.ts';
import { html } from '../../html.ts';

/** Form with which a user changes their password. Typed passwords are never written into a page. */
export const passwordSection = ({
  email,
  shortest,
  errors = {},
}: {
  email: string;
  shortest: number;
  errors?: Record<string, string | undefined>;
}): string =>
  card({
    title: 'Password',
    content: html`
<p class="hint">You sign in with ${email}.</p>
<form class="stack" method="post" action="/account/password">
!${textField({ name: 'currentPassword', label: 'Current password', error: errors.currentPassword ?? null, required: true, attributes: { type: 'password', autocomplete: 'current-password', maxlength: 2_000, required: true, autofocus: errors.currentPassword !== undefined } })}
!${textField({
      name: 'password',
      label: 'New password',
      hint: `At least ${shortest} characters, such as several unrelated words, without your name and the name of the practice.`,
      error: errors.password ?? null,
      required: true,
      attributes: {
        type: 'password',
        autocomplete: 'new-password',
        maxlength: 2_000,
        required: true,
        autofocus: errors.currentPassword === undefined && errors.password !== undefined,
      },
    })}
<p>!${button({ label: 'Change the password' })}</p>
</form>`,
    foot: html`<p>Your other devices are signed out, and you receive an email.</p>`,
  });

/** In place of the form, for a user whom single sign-on has made. */
export const noPasswordSection = (email: string): string =>
  card({ title: 'Password', content: html`<p>You sign in as ${email} with single sign-on and have no password here.</p>` });

export const secondFactorsSection = (factors: number, withPassword: boolean): string =>
  card({
    title: 'Second factors',
    content: html`
<p>${factors === 0 ? noFactors(withPassword) : `You have ${factors === 1 ? 'one' : factors}.`}</p>
<p>!${linkButton({ href: '/account/second-factors', label: factors === 0 ? 'Add a second factor' : 'Manage your second factors' })}</p>`,
  });

const noFactors = (withPassword: boolean): string =>
  withPassword
    ? 'You have none yet, so your password is enough to sign in. Add a passkey or an authenticator app.'
    : 'You have none here, since you sign in with single sign-on.';

/** The devices of a user, each with a way to sign it out. */
const writeDeviceName = ({ userAgent }: ShownSession): string => deviceName(userAgent) ?? 'Unnamed device';

export const sessionsSection = (sessions: readonly ShownSession[], total: number, timeZone: string): string =>
  card({
    title: 'Devices and apps on which you are signed in',
    content: html`
!${list(
      sessions.map((session) => ({
        title:
          session.app === null ? writeDeviceName(session) : `${session.app} (${session.scopes.join(', ')}): ${writeDeviceName(session)}`,
        detail: `Signed in ${writeMoment(session.createdAt, timeZone)}, last used ${writeMoment(session.lastUsedAt, timeZone)}, from ${session.address ?? 'an unknown address'}`,
        end: session.isCurrent ? badge('This device') : endForm(session.id),
      })),
    )}
!${total > sessions.length ? html`<p class="hint">And ${total - sessions.length} older ones.</p>` : ''}
!${total > 1 ? html`<p>!${confirmedButton(END_OTHERS)}</p>` : ''}`,
  });

const END_OTHERS = {
  id: 'ask-end-others',
  label: 'Sign out all other devices',
  kind: 'danger',
  question: 'Sign out all other devices?',
  words: 'Sign in again on those devices. Unsaved work there is lost.',
  form: { action: '/account/sessions/end-others' },
} as const;

const endForm = (id: string): string =>
  html`<form method="post" action="/account/sessions/end"><input type="hidden" name="id" value="${id}">!${button({ label: 'Sign out', kind: 'plain' })}</form>`;

export const doneAlert = (news: string): string =>
  alert({ kind: 'success', content: html`<p>${news}</p>`, attributes: { role: 'status' } });
