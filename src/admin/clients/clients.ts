import type { Command } from 'commander';
import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import type { ClientKeys } from '../../domain/identity/clients/client-keys.ts';
import { findClient, listClients, recordClientChange } from '../../domain/identity/clients/client-list.ts';
import { APP_SCOPES, CLIENT_SCOPES, SCOPES } from '../../domain/identity/clients/client-scopes.ts';
import {
  changeClientScopes,
  createApp,
  createClient,
  createKeyClient,
  grantClient,
  setClientActive,
  withdrawGrant,
} from '../../domain/identity/clients/clients.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import { text } from '../terminal/options.ts';
import { list, record } from '../terminal/output.ts';
import { findPractice, practice, practices } from '../terminal/practice.ts';
import type { Session } from '../terminal/session.ts';
import { credentialCommands, keyOptions, readKeyOptions, redirectOption } from './client-credentials.ts';
import { clientRow, whichClient, withSecret, writeForClient } from './client-output.ts';

const scopes = () =>
  z
    .array(z.enum(SCOPES, `must be among ${SCOPES.join(', ')}`))
    .transform((all) => [...new Set(all)])
    .meta({ placeholder: 'scope', several: true });

export function clientCommands(program: Command, { command }: CommandDeclarer): void {
  const clients = program.command('clients').description('API clients: applications that call the integration or practice API.');

  createCommand(clients, command);
  command(clients, 'list', {
    summary: 'List the clients',
    details:
      'Shows when each was last used, the age of its secret in days, and whether the secret is older than its practices allow or than a year.',
    options: z.object({ practice: practice().exactOptional().describe('id or key of a practice: only clients that may act for it') }),
    run: async ({ db }, { practice }) => {
      const organizationId = practice === undefined ? undefined : (await findPractice(db, practice)).id;
      const rows = await Promise.all((await listClients(db, organizationId)).map((client) => clientRow(db, client)));
      return list(rows, 'There are no clients yet.');
    },
  });
  credentialCommands(clients, command);
  scopeCommand(clients, command);
  grantCommands(clients, command);
  switchCommands(clients, command);
}

function createCommand(clients: Command, command: CommandDeclarer['command']): void {
  command(clients, 'create', {
    summary: 'Register a client and show its secret',
    details:
      'A client with integration scopes belongs to one practice; one with practice scopes may be granted several. With --jwks-file or --jwks-uri it signs in with keys; with --app, people sign in to it. Both have no secret.',
    options: z.object({
      name: text(200).describe('name of the application; shown as the author of records that it creates'),
      scope: scopes()
        .default([])
        .describe(`scope to grant; may be repeated: ${CLIENT_SCOPES.join(', ')}; for an app: ${APP_SCOPES.join(', ')}, mobile by default`),
      practice: practices().describe('id or key of a practice that it may act for; may be repeated'),
      ...keyOptions,
      app: z.boolean().default(false).describe('an app that people of these practices sign in to'),
      redirectUri: redirectOption(),
    }),
    run: async (session, { practice: named, scope, app, redirectUri, ...given }) => {
      const keys = await readKeyOptions(session, given);
      if (app ? keys !== null : redirectUri.length > 0)
        throw new UsageError('--redirect-uri requires --app, which cannot be combined with keys.');
      if (app && redirectUri.length === 0) throw new UsageError('--app: needs --redirect-uri.');
      const found = await Promise.all(named.map((one) => findPractice(session.db, one)));
      const organizationIds = [...new Set(found.map(({ id }) => id))];
      const input = { name: given.name, scopes: scope, organizationIds };
      const made = await session.writeEach(organizationIds, async (db, callers) => {
        const created = await register(db, { ...input, keys, redirectUris: app ? redirectUri : null });
        recordClientChange(callers, 'api_client.created', await findClient(db, created.clientId));
        return created;
      });
      const client = await findClient(session.db, made.clientId);
      return made.secret === null ? record(await clientRow(session.db, client)) : withSecret(session.db, client, made.secret);
    },
  });
}

interface Registration {
  name: string;
  scopes: string[];
  organizationIds: number[];
  keys: ClientKeys | null;
  /** Null for a client that is no app. */
  redirectUris: string[] | null;
}

async function register(db: Db, { keys, redirectUris, ...input }: Registration): Promise<{ clientId: string; secret: string | null }> {
  if (redirectUris) return { ...(await createApp(db, { ...input, redirectUris })), secret: null };
  if (keys) return { ...(await createKeyClient(db, { ...input, keys })), secret: null };
  const { clientId, clientSecret } = await createClient(db, input);
  return { clientId, secret: clientSecret };
}

function grantCommands(clients: Command, command: CommandDeclarer['command']): void {
  const options = z.object({ client: whichClient(), practice: practice() });
  command(clients, 'grant', {
    summary: 'Let a client act for one more practice',
    options,
    run: async ({ db, write }, { client, practice }) => {
      await write(practice, async (tx) => {
        await grantClient(tx.prisma, client, tx.organizationId);
        recordClientChange([tx], 'api_client.granted', await findClient(tx.prisma, client));
      });
      return record(await clientRow(db, await findClient(db, client)));
    },
  });
  command(clients, 'withdraw', {
    summary: 'Withdraw a practice from a client',
    details: 'Its tokens for that practice are refused within a second.',
    options,
    run: async ({ db, write }, { client, practice }) => {
      await write(practice, async (tx) => {
        const before = await findClient(tx.prisma, client);
        await withdrawGrant(tx.prisma, client, tx.organizationId);
        recordClientChange([tx], 'api_client.withdrawn', before);
      });
      return record(await clientRow(db, await findClient(db, client)));
    },
  });
}

function scopeCommand(clients: Command, command: CommandDeclarer['command']): void {
  command(clients, 'scopes', {
    summary: 'Add scopes to a client, and remove others',
    details:
      'Its tokens lose a removed scope within a second; its next tokens include an added scope. If an app loses a scope, its sessions end and people sign in again.',
    options: z.object({
      client: whichClient(),
      add: scopes()
        .default([])
        .describe(`scope to grant; may be repeated: ${SCOPES.join(', ')}`),
      remove: scopes().default([]).describe('scope to remove; may be repeated'),
    }),
    run: async (session, { client, add, remove }) => {
      if (add.length + remove.length === 0) throw new UsageError('Name scopes to --add or to --remove.');
      const both = add.find((scope) => remove.includes(scope));
      if (both) throw new UsageError(`--add and --remove: both include ${both}.`);
      const changes = [...add.map((scope) => `+${scope}`), ...remove.map((scope) => `-${scope}`)].join(' ');
      const before = await findClient(session.db, client);
      const organizationIds = before.grants.map(({ organizationId }) => organizationId);
      await session.writeEach(organizationIds, async (db, callers) => {
        if (await changeClientScopes(db, client, { add, remove }))
          recordClientChange(callers, 'api_client.scopes_changed', before, changes);
      });
      return record(await clientRow(session.db, await findClient(session.db, client)));
    },
  });
}

function switchCommands(clients: Command, command: CommandDeclarer['command']): void {
  const run =
    (active: boolean) =>
    async (session: Session, { client }: { client: string }) => {
      await writeForClient(session, client, [active ? 'api_client.enabled' : 'api_client.disabled'], (db) =>
        setClientActive(db, client, active),
      );
      return record(await clientRow(session.db, await findClient(session.db, client)));
    };
  command(clients, 'disable', {
    summary: 'Disable a client',
    details: 'It gets no tokens, and its tokens are refused within a second.',
    options: z.object({ client: whichClient() }),
    run: run(false),
  });
  command(clients, 'enable', { summary: 'Enable a client again', options: z.object({ client: whichClient() }), run: run(true) });
}
