import { type PasswordFault, shortestPassword } from '../../../domain/identity/passwords/password-rules.ts';
import type { OpenAccountLink } from '../../../domain/users/account-links.ts';
import type { Language } from '../../../domain/values/languages.ts';
import { inLanguage } from '../../../http/pages/page-language.ts';
import { button, linkButton } from '../../design/forms/button.ts';
import { textField } from '../../design/forms/field.ts';
import { writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import { LINK_WORDS } from './link-words.ts';

/** Form in which somebody asks for a link for a new password. */
export function forgotPage(language: Language, address: string): string {
  const words = LINK_WORDS[language];
  return writePage({
    title: words.forgot,
    language,
    address,
    content: html`
<p class="lead">${words.forgotLead}</p>
<form class="stack" method="post" action="${inLanguage(address, language)}">
!${textField({ name: 'email', label: words.email, required: true, attributes: { type: 'email', autocomplete: 'username', maxlength: 254, required: true, autofocus: true } })}
<p>!${button({ label: words.sendLink, wide: true })}</p>
</form>
<p><a href="/sign-in">${words.backToSignIn}</a></p>`,
  });
}

/** A piece of news, with the way to the sign-in. */
export function newsPage(language: Language, news: 'sent' | 'saved'): string {
  const words = LINK_WORDS[language];
  const lead = news === 'sent' ? words.sentLead : words.savedLead;
  return writePage({
    title: words[news],
    language,
    mark: news === 'sent' ? { icon: 'clock' } : { icon: 'success', kind: 'success' },
    content: html`<p>${lead}</p><p>!${linkButton({ href: '/sign-in', label: words.backToSignIn, wide: true })}</p>`,
  });
}

/** A link of a member of staff that was used, has expired, or never was: the page does not say which. */
export function endedPage(language: Language, kind: 'reset' | 'invitation'): string {
  const words = LINK_WORDS[language];
  const forgot = html`<p>!${linkButton({ href: '/sign-in/forgot', label: words.again, wide: true })}</p>`;
  return writePage({
    title: words.ended,
    language,
    mark: { icon: 'clock' },
    content: html`<p>${kind === 'reset' ? words.resetEnded : words.invitationEnded}</p>!${kind === 'reset' ? forgot : ''}
<p>!${linkButton({ href: '/sign-in', label: words.backToSignIn, wide: true })}</p>`,
  });
}

/** Reasons for which a form of a link was refused, and the names that it had. */
export interface RefusedForm {
  fault?: PasswordFault;
  firstName?: string;
  lastName?: string;
}

interface LinkView {
  kind: 'reset' | 'invitation';
  language: Language;
  address: string;
  refused?: RefusedForm | undefined;
}

/** Form with which the user of a mailed link sets a password. What they typed as a password is never written into a page. */
export function passwordPage({ user, owner, practice }: OpenAccountLink, { kind, language, address, refused = {} }: LinkView): string {
  const words = LINK_WORDS[language];
  const names = { firstName: refused.firstName ?? user.firstName, lastName: refused.lastName ?? user.lastName };
  const firstMissing = kind === 'invitation' ? (['firstName', 'lastName'] as const).find((field) => names[field] === '') : undefined;
  const name = (field: 'firstName' | 'lastName', autocomplete: string): string => {
    const value = names[field];
    const error = value === '' ? words.missing : null;
    return textField({
      name: field,
      label: words[field],
      value,
      error,
      required: true,
      attributes: { autocomplete, maxlength: 100, required: true, autofocus: field === firstMissing },
    });
  };
  return writePage({
    title: kind === 'reset' ? words.reset : words.invitation(practice.name),
    language,
    address,
    practice,
    content: html`
!${kind === 'invitation' ? html`<p class="lead">${words.invitationLead}</p>` : ''}
<form class="stack" method="post" action="${inLanguage(address, language)}">
!${kind === 'invitation' ? name('firstName', 'given-name') + name('lastName', 'family-name') : ''}
<input type="hidden" name="username" autocomplete="username" value="${user.email}">
!${textField({
      name: 'password',
      label: words.password,
      hint: words.rules(shortestPassword(owner)),
      error: refused.fault === undefined ? null : words.faults[refused.fault],
      required: true,
      attributes: {
        type: 'password',
        autocomplete: 'new-password',
        maxlength: 2_000,
        required: true,
        autofocus: firstMissing === undefined && (kind === 'reset' || refused.fault !== undefined),
      },
    })}
<p>!${button({ label: words.save, wide: true })}</p>
</form>
<p class="hint">${words.signInWith(user.email)}</p>`,
  });
}
