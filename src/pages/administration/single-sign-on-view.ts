import type { ProviderCheck } from '../../domain/identity/check-provider.ts';
import type { IdentityProvider } from '../../domain/identity/identity-providers.ts';
import type { LinkPractice } from '../../domain/practices/link-practice.ts';
import type { SsoAddresses } from '../../http/sso-addresses.ts';
import { alert } from '../design/alert.ts';
import { button, linkButton } from '../design/button.ts';
import { card } from '../design/card.ts';
import { checkField, textArea, textField } from '../design/field.ts';
import { html } from '../html.ts';
import { administrationPage } from './layout.ts';

const ADDRESS = '/administration/single-sign-on';

interface SingleSignOnView {
  practice: LinkPractice;
  /** Null where the practice has none yet. */
  provider: IdentityProvider | null;
  addresses: SsoAddresses;
  /** The findings of a test of the connection; null where none was made. */
  check: ProviderCheck | null;
  problem?: string | undefined;
}

export const singleSignOnPage = ({ practice, provider, addresses, check, problem }: SingleSignOnView): string =>
  administrationPage({
    practice,
    current: ADDRESS,
    problem,
    content: html`
!${check === null ? '' : findings(check)}
!${card({ title: 'Identity provider', content: providerForm(provider) })}
!${card({ title: 'Register these addresses there', content: addressList(addresses) })}
!${provider === null ? '' : card({ title: 'Connection', content: connection })}`,
  });

const findings = ({ problem, report }: ProviderCheck): string =>
  problem === null
    ? alert({ kind: 'success', content: html`<p>The provider answers as ${report.issuer} and signs with ${report.keys} keys.</p>` })
    : alert({ kind: 'danger', content: html`<p>${problem}</p>`, attributes: { role: 'alert' } });

const providerForm = (provider: IdentityProvider | null): string => html`
<p class="hint">OpenID Connect. To let people sign in with it alone, switch passwords off in the <a href="/administration/policies">security policy</a>, once somebody has signed in with it.</p>
<form class="stack" method="post" action="${ADDRESS}">
!${textField({ name: 'issuer', label: 'Issuer', hint: 'The address of the provider, as it spells it.', value: provider?.issuer ?? '', required: true, attributes: { type: 'url', maxlength: 500, required: true } })}
!${textField({ name: 'client_id', label: 'Client id', value: provider?.clientId ?? '', required: true, attributes: { maxlength: 200, required: true, autocomplete: 'off' } })}
!${textField({ name: 'client_secret', label: 'Client secret', hint: provider?.hasSecret ? 'There is one. Leave this empty to keep it.' : 'Empty for a client without one.', attributes: { type: 'password', maxlength: 500, autocomplete: 'off' } })}
!${textArea({ name: 'email_domains', label: 'Domains of mail addresses', hint: 'One a line. Their owners find the practice with their address.', value: provider?.emailDomains.join('\n') ?? '', rows: 3 })}
!${textField({ name: 'groups_claim', label: 'Claim with the groups', value: provider?.groupsClaim ?? 'groups', required: true, attributes: { maxlength: 200, required: true } })}
!${textArea({ name: 'group_roles', label: 'Roles of groups', hint: 'One a line, such as clinicians=provider. Roles are admin, provider and staff.', value: rolesOf(provider), rows: 4 })}
!${checkField({ name: 'just_in_time', label: 'Make users when they first sign in', isChecked: provider?.justInTime ?? false })}
!${checkField({ name: 'enabled', label: 'People may sign in with it', isChecked: provider?.enabled ?? true })}
<p>!${button({ label: 'Save' })}</p>
</form>`;

const rolesOf = (provider: IdentityProvider | null): string =>
  Object.entries(provider?.roles ?? {})
    .map(([group, role]) => `${group}=${role}`)
    .join('\n');

const addressList = ({ signIn, callback, afterLogout, backChannelLogout }: SsoAddresses): string => html`
<dl>
<dt>Redirect address</dt><dd><code>${callback}</code></dd>
<dt>After sign-out</dt><dd><code>${afterLogout}</code></dd>
<dt>Back-channel logout</dt><dd><code>${backChannelLogout}</code></dd>
<dt>For your people, to begin</dt><dd><code>${signIn}</code></dd>
</dl>`;

const connection: string = html`
<p>!${linkButton({ href: `${ADDRESS}?test=yes`, label: 'Test the connection', kind: 'plain' })}</p>
<form method="post" action="${ADDRESS}/remove"><p>!${button({ label: 'Remove the provider', kind: 'danger' })}</p></form>`;
