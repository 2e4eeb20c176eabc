import type { LinkPractice } from '../../../../domain/practices/link-practice.ts';
import { button, linkButton } from '../../../design/forms/button.ts';
import { textField } from '../../../design/forms/field.ts';
import { writePage } from '../../../design/layout/page.ts';
import { html } from '../../../html.ts';
import { signInAddressFor } from '../return-address.ts';

const footTo = (to?: string): string => html`<p><a href="${signInAddressFor(to)}">Sign in with a password</a></p>`;

interface EmailView {
  email?: string;
  /** The reason for which the address leads nowhere. */
  error?: string;
  to?: string | undefined;
}

/** Asks for the mail address by whose domain the practice is found. */
export const emailPage = ({ email = '', error, to }: EmailView): string =>
  writePage({
    title: 'Single sign-on',
    content: html`
<p class="lead">Sign in with the account of your practice or hospital.</p>
<form class="stack" method="post" action="/sign-in/sso">
!${to === undefined ? '' : html`<input type="hidden" name="to" value="${to}">`}
!${textField({ name: 'email', label: 'Work email', value: email, error: error ?? null, required: true, attributes: { type: 'email', autocomplete: 'username', maxlength: 254, required: true, autofocus: true } })}
<p>!${button({ label: 'Continue', wide: true })}</p>
</form>`,
    foot: footTo(to),
  });

/** Names the practice and the server to which an address leads, and waits: the address is told there with the next click alone. */
export function practicePage({ practice, address }: { practice: LinkPractice; address: string }): string {
  const { host } = new URL(address);
  return writePage({
    title: 'Single sign-on',
    practice,
    content: html`
<p class="lead">You sign in to <bdi><strong>${practice.name}</strong></bdi> at <strong>${host}</strong>, and come back here.</p>
<p>Is this not your practice? If so, stop and ask your practice for its own address.</p>
<p>!${linkButton({ href: address, label: `Continue to ${host}`, wide: true })}</p>`,
    foot: footTo(),
  });
}

interface OnwardView {
  title: string;
  /** The address that the browser opens by itself. */
  address: string;
  words: string;
  label: string;
}

/** A page that the browser leaves by itself. It has a link as well, for browsers that do not. */
export const onwardPage = ({ title, address, words, label }: OnwardView): string =>
  writePage({
    title,
    onward: address,
    content: html`<p>${words}</p>
<p>!${linkButton({ href: address, label, wide: true })}</p>`,
  });

/** The end of a sign-in that did not come about. */
export const refusedPage = ({ title, words, again }: { title: string; words: string; again: string }): string =>
  writePage({
    title,
    mark: { icon: 'warning', kind: 'warning' },
    content: html`<p role="alert">${words}</p>
<p>!${linkButton({ href: again, label: 'Try again', wide: true })}</p>`,
    foot: footTo(),
  });
