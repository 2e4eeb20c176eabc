import { z } from 'zod';
import type { ProviderCheck } from '../../../domain/identity/single-sign-on/check-provider.ts';
import type { GroupRoles, IdentityProvider, IdentityProviderInput } from '../../../domain/identity/single-sign-on/identity-providers.ts';
import type { ClaimedDomain } from '../../../domain/identity/single-sign-on/mail-domains.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import type { SsoAddresses } from '../../../http/sign-in/sso-addresses.ts';
import { one } from '../../../http/wire/envelopes.ts';
import { flag, instant, optional, renameFields, secret, text } from '../../../http/wire/wire-types.ts';

export const PROVIDER_NAMES = {
  issuer: 'issuer',
  clientId: 'client_id',
  clientSecret: 'client_secret',
  scopes: 'scopes',
  groupsClaim: 'groups_claim',
  roles: 'group_roles',
  emailDomains: 'email_domains',
  justInTime: 'just_in_time',
  enabled: 'enabled',
} as const;

const WORDS = {
  issuer: 'Issuer exactly as in the provider’s ID tokens; an https address',
  client_id: 'Client id of this server at the provider',
  client_secret: 'Client secret, never shown again; null for a public client',
  scopes: 'Scopes to request, including openid',
  groups_claim: 'Claim with the groups of a user; dots separate nested names, as in realm_access.roles',
  group_roles: 'Role of the members of each group. If set, people in none of these groups cannot sign in',
  group: 'Name of a group at the provider',
  role: 'Role of its members; for several groups, the highest applies',
  email_domains:
    'Mail domains of the users who sign in with this provider. A domain takes effect once it is proven: see email_domain_proofs',
  just_in_time: 'Whether users are created when they first sign in',
  enabled: 'Whether people may sign in with it',
} as const;

const role = () => z.enum(['admin', 'provider', 'staff']).describe(WORDS.role);
const GroupRole = z.strictObject({ group: z.string().describe(WORDS.group), role: role() }).meta({ id: 'GroupRole' });

const DomainProof = z
  .strictObject({
    domain: z.string().describe('The domain'),
    is_proven: z.boolean().describe('Whether the practice has proven it'),
    record_name: z.string().describe('Name of the TXT record in the DNS that proves it'),
    record_value: z.string().describe('Value of that record'),
  })
  .meta({ id: 'EmailDomainProof' });

const ProviderShape = z
  .strictObject({
    issuer: z.string().describe(WORDS.issuer),
    client_id: z.string().describe(WORDS.client_id),
    has_secret: z.boolean().describe('Whether a secret is stored'),
    scopes: z.array(z.string()).describe(WORDS.scopes),
    groups_claim: z.string().describe(WORDS.groups_claim),
    group_roles: z.array(GroupRole).describe(WORDS.group_roles),
    email_domains: z.array(z.string()).describe(WORDS.email_domains),
    email_domain_proofs: z.array(DomainProof).describe('Proofs of these domains'),
    just_in_time: z.boolean().describe(WORDS.just_in_time),
    enabled: z.boolean().describe(WORDS.enabled),
    sign_in_url: z.string().describe('Sign-in address for people of the practice'),
    redirect_uri: z.string().describe('Redirect address to register at the provider'),
    post_logout_redirect_uri: z.string().describe('Post-logout redirect address to register at the provider'),
    back_channel_logout_uri: z.string().describe('Back-channel logout address to register at the provider, if it supports that'),
    created_at: instant().describe('When it was set up'),
    updated_at: instant().describe('When it was last changed'),
  })
  .meta({ id: 'IdentityProvider' });

export const ProviderResponse = one(ProviderShape).meta({ id: 'IdentityProviderResponse' });

const name = () => text(200).min(1);
const GroupRoleRequest = z.object({ group: name().describe(WORDS.group), role: role() }).meta({ id: 'GroupRoleRequest' });
export const ProviderRequest = z
  .object({
    issuer: text(500).optional().describe(`${WORDS.issuer}. Required if there is no provider yet`),
    client_id: name().optional().describe(`${WORDS.client_id}. Required if there is no provider yet`),
    client_secret: optional(secret(500)).describe(WORDS.client_secret),
    scopes: z
      .array(text(100).regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be a scope without blanks'))
      .max(20)
      .refine((scopes) => scopes.includes('openid'), 'must include openid')
      .optional()
      .describe(WORDS.scopes),
    groups_claim: name().optional().describe(WORDS.groups_claim),
    group_roles: z.array(GroupRoleRequest).max(100).optional().describe(WORDS.group_roles),
    email_domains: z.array(text(253)).max(50).optional().describe(WORDS.email_domains),
    just_in_time: flag().optional().describe(WORDS.just_in_time),
    enabled: flag().optional().describe(WORDS.enabled),
  })
  .meta({ id: 'IdentityProviderRequest' });

export function toProviderInput({ group_roles: pairs, ...body }: z.output<typeof ProviderRequest>): IdentityProviderInput {
  const roles: GroupRoles | undefined = pairs && Object.fromEntries(pairs.map(({ group, role }) => [group, role]));
  const { roles: _roles, ...names } = PROVIDER_NAMES;
  return { ...renameFields(body, names), ...(roles === undefined ? {} : { roles }) };
}

/** @param addresses of this server for the practice */
export const fromProvider = (
  provider: IdentityProvider,
  domains: readonly ClaimedDomain[],
  addresses: SsoAddresses,
): z.input<typeof ProviderShape> => ({
  issuer: provider.issuer,
  client_id: provider.clientId,
  has_secret: provider.hasSecret,
  scopes: provider.scopes,
  groups_claim: provider.groupsClaim,
  group_roles: Object.entries(provider.roles).map(([group, role]) => ({ group, role })),
  email_domains: provider.emailDomains,
  email_domain_proofs: domains.map(({ domain, isProven, record }) => ({
    domain,
    is_proven: isProven,
    record_name: record.name,
    record_value: record.value,
  })),
  just_in_time: provider.justInTime,
  enabled: provider.enabled,
  sign_in_url: addresses.signIn,
  redirect_uri: addresses.callback,
  post_logout_redirect_uri: addresses.afterLogout,
  back_channel_logout_uri: addresses.backChannelLogout,
  created_at: writeInstant(provider.createdAt),
  updated_at: writeInstant(provider.updatedAt),
});

const CheckShape = z
  .strictObject({
    works: z.boolean().describe('Whether the provider responds as OpenID Connect'),
    problem: z.string().nullable().describe('Description of the problem; null if it works'),
    issuer: z.string().nullable().describe('Issuer as the provider reports it'),
    authorization_endpoint: z.string().nullable().describe('Authorization address of the provider'),
    keys: z.int().describe('Number of signing keys of the provider'),
    ends_sessions: z.boolean().describe('Whether the provider supports signing out'),
  })
  .meta({ id: 'IdentityProviderCheck' });

export const CheckResponse = one(CheckShape).meta({ id: 'IdentityProviderCheckResponse' });

export const fromCheck = ({ problem, report }: ProviderCheck): z.input<typeof CheckShape> => ({
  works: problem === null,
  problem,
  issuer: report?.issuer ?? null,
  authorization_endpoint: report?.authorizationEndpoint ?? null,
  keys: report?.keys ?? 0,
  ends_sessions: report?.endsSessions ?? false,
});
