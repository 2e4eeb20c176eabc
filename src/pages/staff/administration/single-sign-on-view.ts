import type { ProviderCheck } from '../../../domain/identity/single-sign-on/check-provider.ts';
import type { IdentityProvider } from '../../../domain/identity/single-sign-on/identity-providers.ts';
import type { ClaimedDomain } from '../../../domain/identity/single-sign-on/mail-domains.ts';
import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import type { SsoAddresses } from '../../../http/sign-in/sso-addresses.ts';
import { card } from '../../design/content/card.ts';
import { COPY_SCRIPT, copyables } from '../../design/content/copyable.ts';
import { alert } from '../../design/feedback/alert.ts';
import { badge } from '../../design/feedback/badge.ts';
import { button, linkButton } from '../../design/forms/button.ts';
import { confirmedButton } from '../../design/forms/confirmed-button.ts';
import { checkField, textArea, textField } from '../../design/forms/field.ts';
import { html } from '../../html.ts';
import { type FormState, type FormValues, formState, type RefusedForm } from '../forms/form-state.ts';
import { administrationPage } from './layout.ts';

const ADDRESS = '/administration/single-sign-on';
const ALIASES = { roles: 'group_roles' };
const BOX = { yes: 'a checked box', '': 'an unchecked box' };
const WORDS = { just_in_time: BOX, enabled: BOX };

interface SingleSignOnView {
  practice: LinkPractice;
  /** Null where the practice has none yet. */
  provider: IdentityProvider | null;
  domains: readonly ClaimedDomain[];
  addresses: SsoAddresses;
  /** The findings of a test of the connection; null where none was made. */
  check: ProviderCheck | null;
  refused?: RefusedForm | undefined;
  news?: string | undefined;
}

export function singleSignOnPage({ practice, provider, domains, addresses, check, refused, news }: SingleSignOnView): string {
  const form = formState({ action: ADDRESS, present: providerValues(provider), refused, aliases: ALIASES, words: WORDS });
  return administrationPage({
    practice,
    current: ADDRESS,
    refused,
    forms: [form],
    news,
    script: COPY_SCRIPT,
    content: html`
!${check === null ? '' : renderFindings(check)}
!${card({ title: 'Identity provider', content: providerForm(form, provider?.hasSecret ?? false) })}
!${domains.length === 0 ? '' : card({ title: 'Proof of email domains', content: domainList(domains) })}
!${card({ title: 'Register these addresses there', content: addressList(addresses) })}
!${provider === null ? '' : card({ title: 'Connection', content: connection })}`,
  });
}

const renderFindings = ({ problem, report }: ProviderCheck): string =>
  problem === null
    ? alert({ kind: 'success', content: html`<p>The provider answers as ${report.issuer} and signs with ${report.keys} keys.</p>` })
    : alert({ kind: 'danger', content: html`<p>${problem}</p>`, attributes: { role: 'alert' } });

const providerForm = (form: FormState, hasSecret: boolean): string => html`
<p class="hint">OpenID Connect. To require it for everyone, switch off passwords in the <a href="/administration/policies">security policy</a>, after somebody has signed in with it.</p>
<form class="stack" method="post" action="${ADDRESS}">
!${form.seen}
!${textField({ ...form.field('issuer', { type: 'url', maxlength: 500, required: true }), label: 'Issuer', hint: 'The https address of the provider, exactly as in its settings.', required: true })}
!${textField({ ...form.field('client_id', { maxlength: 200, required: true, autocomplete: 'off' }), label: 'Client id', required: true })}
!${textField({ ...form.field('client_secret', { type: 'password', maxlength: 500, autocomplete: 'off' }), label: 'Client secret', hint: secretHint(form, hasSecret) })}
!${textArea({ ...form.field('email_domains'), label: 'Email domains', hint: 'One per line. Users with these addresses are sent to this provider once you have proven that the domain is yours.', rows: 3 })}
!${textField({ ...form.field('groups_claim', { maxlength: 200, required: true }), label: 'Claim with the groups', required: true })}
!${textArea({ ...form.field('group_roles'), label: 'Roles of groups', hint: 'One per line, such as clinicians=provider. Roles are admin, provider and staff.', rows: 4 })}
!${checkField({ ...form.box('just_in_time'), label: 'Create users when they first sign in' })}
!${checkField({ ...form.box('enabled'), label: 'Users may sign in with it' })}
<p>!${button({ label: 'Save' })}</p>
</form>`;

function secretHint({ isRefused }: FormState, hasSecret: boolean): string {
  const words = hasSecret ? 'A secret is stored. Leave this empty to keep it.' : 'Leave this empty for a client without a secret.';
  return isRefused ? `${words} Your entry here was not kept: enter it again.` : words;
}

/** The values of the form of a provider, without the secret, which is never shown. */
export const providerValues = (provider: IdentityProvider | null): FormValues => ({
  issuer: provider?.issuer ?? '',
  client_id: provider?.clientId ?? '',
  email_domains: provider?.emailDomains.join('\n') ?? '',
  groups_claim: provider?.groupsClaim ?? 'groups',
  group_roles: writeRoles(provider),
  just_in_time: provider?.justInTime ? 'yes' : '',
  enabled: (provider?.enabled ?? true) ? 'yes' : '',
});

const writeRoles = (provider: IdentityProvider | null): string =>
  Object.entries(provider?.roles ?? {})
    .map(([group, role]) => `${group}=${role}`)
    .join('\n');

const domainList = (domains: readonly ClaimedDomain[]): string => html`
<p class="hint">To prove a domain, set the TXT record shown here in its DNS, wait until it is published, and save the form above again.</p>
<ul class="list">!${domains.map(domainItem).join('')}</ul>`;

const domainItem = ({ domain, isProven, record }: ClaimedDomain): string => html`
<li><div class="list-text"><p class="row"><span class="list-title">${domain}</span> !${isProven ? badge('proven') : badge('not proven', 'warning')}</p>
!${isProven ? '' : html`<span class="hint"><code>${record.name}</code> TXT <code>${record.value}</code></span>`}</div></li>`;

const addressList = ({ signIn, callback, afterLogout, backChannelLogout }: SsoAddresses): string =>
  copyables([
    { id: 'callback', term: 'Redirect address', text: callback },
    { id: 'after-logout', term: 'After sign-out', text: afterLogout },
    { id: 'back-channel-logout', term: 'Back-channel logout, if the provider supports it', text: backChannelLogout },
    { id: 'sign-in', term: 'Sign-in address for your users', text: signIn },
  ]);

const connection: string = html`
<p>!${linkButton({ href: `${ADDRESS}?test=yes`, label: 'Test the connection', kind: 'plain' })}</p>
<p>!${confirmedButton({
  id: 'ask-remove',
  label: 'Remove the provider',
  kind: 'danger',
  question: 'Remove the provider?',
  words:
    'Sign-in with it ends, and its client secret is deleted. Users then sign in with a password; those without one use “Forgot your password?”.',
  form: { action: `${ADDRESS}/remove` },
})}</p>`;
