import type { Command } from 'commander';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { checkProvider } from '../../domain/identity/single-sign-on/check-provider.ts';
import { unlinkUser } from '../../domain/identity/single-sign-on/external-identities.ts';
import { readDomain } from '../../domain/identity/single-sign-on/identity-provider-rules.ts';
import {
  findIdentityProvider,
  type GroupRoles,
  type IdentityProvider,
  removeIdentityProvider,
  setIdentityProvider,
} from '../../domain/identity/single-sign-on/identity-providers.ts';
import { proveByWord } from '../../domain/identity/single-sign-on/mail-domains.ts';
import { findUserAnywhere } from '../../domain/users/users.ts';
import { writeInstant } from '../../domain/values/time.ts';
import { createGuardedRequests } from '../../gateways/requests/guarded-requests.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { type Io, readInput } from '../terminal/io.ts';
import { email, id, text, yesNo } from '../terminal/options.ts';
import { type Row, record } from '../terminal/output.ts';

const which = () => id().meta({ positional: true }).describe('id of the practice');
const several = { several: true } as const;

const GROUP_ROLE = /^(.+)=(admin|provider|staff)$/;
const roles = z.enum(['admin', 'provider', 'staff']);
const groupRoles = () =>
  z
    .array(z.string().regex(GROUP_ROLE, 'must be a group and its role, such as clinicians=provider'))
    .transform(
      (pairs): GroupRoles =>
        Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.lastIndexOf('=')), roles.parse(pair.slice(pair.lastIndexOf('=') + 1))])),
    )
    .meta({ placeholder: 'group=role', ...several });
const domains = () =>
  z.array(z.string().transform((written) => readDomain(written) ?? written)).meta({ placeholder: 'domain', ...several });

const settings = {
  issuer: text(500).exactOptional().describe('address of the provider, as its ID tokens spell it'),
  clientId: text(200).exactOptional().describe('id under which the provider knows this server'),
  secretStdin: z.boolean().default(false).describe('read the secret of that client from standard input; an empty one is none'),
  scope: z
    .array(text(100))
    .exactOptional()
    .meta({ placeholder: 'scope', ...several })
    .describe('scopes to ask for; openid,profile,email in a new one'),
  groupsClaim: text(200).exactOptional().describe('claim with the groups of a user; groups in a new one'),
  groupRole: groupRoles().exactOptional().describe('the role of the members of a group; replaces all that there are'),
  domain: domains().exactOptional().describe('domains of the mail addresses of its people; replaces all that there are'),
  justInTime: yesNo().exactOptional().describe('make users when they first sign in'),
  enabled: yesNo().exactOptional().describe('whether people may sign in with it'),
};

/** The commands about single sign-on with the identity provider of a practice. */
export function ssoCommands(program: Command, { command }: CommandDeclarer, io: Io): void {
  const sso = program.command('sso').description('Single sign-on: the identity provider (OpenID Connect) of a practice.');

  command(sso, 'set', {
    summary: 'Set up or change the identity provider of a practice',
    details: 'Only what is given changes; a new one needs --issuer and --client-id.',
    options: z.object({ organization: which(), ...settings }),
    run: async ({ write, keyring, config }, { organization, secretStdin, scope: scopes, groupRole, domain: emailDomains, ...rest }) => {
      const clientSecret = secretStdin ? (await readInput(io)) || null : undefined;
      const input = { ...rest, scopes, roles: groupRole, emailDomains, clientSecret };
      if (Object.values(input).every((value) => value === undefined)) throw new UsageError('Say what to set; --help lists it.');
      const accepts = guarded(config).accepts;
      return record(
        row(organization, await write(organization, (db, caller) => setIdentityProvider(db, caller, input, { keyring, accepts }))),
      );
    },
  });

  command(sso, 'prove', {
    summary: 'Mark a mail domain as proven, without a DNS record',
    details: 'For a domain whose DNS the practice cannot change. Its people are led to the provider by their address from then on.',
    options: z.object({
      organization: which(),
      domain: text(253)
        .transform((written) => readDomain(written) ?? written)
        .describe('one of the mail domains of the provider'),
    }),
    run: async ({ write }, { organization, domain }) => {
      await write(organization, (db, caller) => proveByWord(db, caller, domain));
      return record({ organization_id: organization, domain, proven: true });
    },
  });

  command(sso, 'show', {
    summary: 'Show the identity provider of a practice',
    options: z.object({ organization: which() }),
    run: async ({ read }, { organization }) => record(row(organization, await read(organization, findIdentityProvider))),
  });
  checkCommands(sso, command);
}

function checkCommands(sso: Command, command: CommandDeclarer['command']): void {
  command(sso, 'test', {
    summary: 'Check that the identity provider of a practice answers',
    details: 'Reads its metadata and its keys. Whether it knows this server is only seen when somebody signs in.',
    options: z.object({ organization: which() }),
    run: async ({ read, keyring, config }, { organization }) => {
      const { createOpenIdConnect } = await import('../../gateways/openid/openid-connect.ts');
      const openIdConnect = createOpenIdConnect(guarded(config));
      const { problem, report } = await read(organization, (db, caller) => checkProvider(db, caller, { keyring, openIdConnect }));
      const result = record({
        works: problem === null,
        issuer: report?.issuer ?? null,
        authorization_endpoint: report?.authorizationEndpoint ?? null,
        keys: report?.keys ?? 0,
        ends_sessions: report?.endsSessions ?? false,
      });
      return problem === null ? result : { ...result, problem };
    },
  });

  command(sso, 'remove', {
    summary: 'Remove the identity provider of a practice',
    details: 'Users keep their accounts, and are no longer linked to it.',
    options: z.object({ organization: which() }),
    run: async ({ write }, { organization }) => {
      await write(organization, removeIdentityProvider);
      return record({ organization_id: organization, removed: true });
    },
  });

  command(sso, 'unlink', {
    summary: 'Take the link between a user and their identity at the provider away',
    details: 'The next sign-in links the user anew, by the mail address.',
    options: z.object({
      user: z
        .union([id(), email()], 'must be an email or an id')
        .meta({ positional: true })
        .describe('the email they sign in with, or their id'),
    }),
    run: async ({ db, write }, { user: reference }) => {
      const { id: userId, organizationId } = await findUserAnywhere(db, reference);
      const unlinked = await write(organizationId, (tx, caller) => unlinkUser(tx, caller, userId));
      return record({ id: userId, organization_id: organizationId, unlinked });
    },
  });
}

const guarded = ({ ALLOW_PRIVATE_ADDRESSES: allowPrivate }: Config) => createGuardedRequests({ allowPrivate });

const row = (organizationId: number, provider: IdentityProvider): Row => ({
  organization_id: organizationId,
  issuer: provider.issuer,
  client_id: provider.clientId,
  has_secret: provider.hasSecret,
  scopes: provider.scopes,
  groups_claim: provider.groupsClaim,
  group_roles: Object.entries(provider.roles).map(([group, role]) => `${group}=${role}`),
  email_domains: provider.emailDomains,
  just_in_time: provider.justInTime,
  enabled: provider.enabled,
  updated_at: writeInstant(provider.updatedAt),
});
