import type { Command } from 'commander';
import { z } from 'zod';
import type { Db } from '../database/database.ts';
import type { Caller } from '../domain/caller.ts';
import { findClient, type ListedClient, listClients } from '../domain/identity/client-list.ts';
import {
  CLIENT_SCOPES,
  changeClientScopes,
  createClient,
  grantClient,
  rotateClientSecret,
  setClientActive,
  withdrawGrant,
} from '../domain/identity/clients.ts';
import { findOrganization } from '../domain/practices/organizations.ts';
import { writeInstant } from '../domain/values/time.ts';
import { type CommandDeclarer, UsageError } from './command.ts';
import { id, ids, organization, text } from './options.ts';
import { list, type Row, record, SHOWN_ONCE } from './output.ts';
import type { Session } from './session.ts';

const scopes = () =>
  z
    .array(z.enum(CLIENT_SCOPES, `must be among ${CLIENT_SCOPES.join(', ')}`))
    .transform((all) => [...new Set(all)])
    .meta({ placeholder: 'scope', several: true });

const which = () => text(200).meta({ positional: true }).describe('client_id of the client');

export function clientCommands(program: Command, { command }: CommandDeclarer): void {
  const clients = program.command('clients').description('API clients: applications that call the integration or the practice API.');

  command(clients, 'create', {
    summary: 'Register a client and show its secret',
    details: 'A client with integration scopes belongs to one practice; one with practice scopes may be granted several.',
    options: z.object({
      name: text(200).describe('name of the application; shown as the author of the records that it creates'),
      scope: scopes().describe(`scope that it gets; may be repeated: ${CLIENT_SCOPES.join(', ')}`),
      organization: ids().describe('id of a practice that it may act for; may be repeated'),
    }),
    run: async (session, { name, scope, organization: organizationIds }) => {
      const made = await session.writeEach(organizationIds, async (db, callers) => {
        const created = await createClient(db, { name, scopes: scope, organizationIds });
        recordIn(callers, 'api_client.created', await findClient(db, created.clientId));
        return created;
      });
      return withSecret(await findClient(session.db, made.clientId), made.clientSecret);
    },
  });

  command(clients, 'list', {
    summary: 'List the clients',
    options: z.object({ organization: id().exactOptional().describe('only clients that may act for this practice') }),
    run: async ({ db }, { organization: organizationId }) => {
      if (organizationId !== undefined) await findOrganization(db, organizationId);
      return list((await listClients(db, organizationId)).map(row), 'There are no clients yet.');
    },
  });

  command(clients, 'rotate-secret', {
    summary: 'Give a client a new secret and show it',
    details: 'The old secret is refused immediately; its tokens stay valid until they expire. To end them too, disable the client.',
    options: z.object({ client: which() }),
    run: async (session, { client }) => {
      const secret = await writeForClient(session, client, 'api_client.secret_rotated', (db) => rotateClientSecret(db, client));
      return withSecret(await findClient(session.db, client), secret);
    },
  });
  scopeCommand(clients, command);
  grantCommands(clients, command);
  switchCommands(clients, command);
}

function grantCommands(clients: Command, command: CommandDeclarer['command']): void {
  const options = z.object({ client: which(), organization: organization() });
  command(clients, 'grant', {
    summary: 'Let a client act for one more practice',
    options,
    run: async ({ db, write }, { client, organization: organizationId }) => {
      await write(organizationId, async (tx, caller) => {
        await grantClient(tx, client, organizationId);
        recordIn([caller], 'api_client.granted', await findClient(tx, client));
      });
      return record(row(await findClient(db, client)));
    },
  });
  command(clients, 'withdraw', {
    summary: 'Take a practice from a client',
    details: 'Its tokens are refused there within a second.',
    options,
    run: async ({ db, write }, { client, organization: organizationId }) => {
      await write(organizationId, async (tx, caller) => {
        const before = await findClient(tx, client);
        await withdrawGrant(tx, client, organizationId);
        recordIn([caller], 'api_client.withdrawn', before);
      });
      return record(row(await findClient(db, client)));
    },
  });
}

function scopeCommand(clients: Command, command: CommandDeclarer['command']): void {
  command(clients, 'scopes', {
    summary: 'Give a client scopes, and take others',
    details: 'Its tokens lose a taken scope within a second; an added one is in its next tokens.',
    options: z.object({
      client: which(),
      add: scopes()
        .default([])
        .describe(`scope that it gets; may be repeated: ${CLIENT_SCOPES.join(', ')}`),
      remove: scopes().default([]).describe('scope that it loses; may be repeated'),
    }),
    run: async (session, { client, add, remove }) => {
      if (add.length + remove.length === 0) throw new UsageError('Say which scopes to --add or to --remove.');
      const both = add.find((scope) => remove.includes(scope));
      if (both) throw new UsageError(`--add and --remove: both name ${both}.`);
      const changes = [...add.map((scope) => `+${scope}`), ...remove.map((scope) => `-${scope}`)].join(' ');
      const before = await findClient(session.db, client);
      const organizationIds = before.grants.map(({ organizationId }) => organizationId);
      await session.writeEach(organizationIds, async (db, callers) => {
        if (await changeClientScopes(db, client, { add, remove })) recordIn(callers, 'api_client.scopes_changed', before, changes);
      });
      return record(row(await findClient(session.db, client)));
    },
  });
}

function switchCommands(clients: Command, command: CommandDeclarer['command']): void {
  const run =
    (active: boolean) =>
    async (session: Session, { client }: { client: string }) => {
      await writeForClient(session, client, active ? 'api_client.enabled' : 'api_client.disabled', (db) =>
        setClientActive(db, client, active),
      );
      return record(row(await findClient(session.db, client)));
    };
  command(clients, 'disable', {
    summary: 'Switch a client off',
    details: 'It gets no tokens, and its tokens are refused within a second.',
    options: z.object({ client: which() }),
    run: run(false),
  });
  command(clients, 'enable', { summary: 'Switch a client on again', options: z.object({ client: which() }), run: run(true) });
}

/** Changes a client; writes an event and an audit row in each practice that it may act for. */
async function writeForClient<T>(session: Session, clientId: string, name: string, write: (db: Db) => Promise<T>): Promise<T> {
  const client = await findClient(session.db, clientId);
  const organizationIds = client.grants.map(({ organizationId }) => organizationId);
  return session.writeEach(organizationIds, async (db, callers) => {
    const result = await write(db);
    recordIn(callers, name, client);
    return result;
  });
}

/** In a practice, a client is known by its interface user; the audit also has the client_id. */
function recordIn(callers: readonly Caller[], name: string, client: ListedClient, changes = ''): void {
  for (const { organizationId, journal } of callers) {
    const user = client.grants.find((grant) => grant.organizationId === organizationId)?.userId;
    if (user === undefined) continue;
    journal.events.push({ name, subject: 'api_client', id: user });
    journal.audits.push({ action: 'administer', resource: 'api_client', ids: [user], detail: `${name} ${client.id} ${changes}`.trimEnd() });
  }
}

function withSecret(client: ListedClient, secret: string) {
  const { client_id = null, ...rest } = row(client);
  return record({ client_id, client_secret: secret, ...rest }, SHOWN_ONCE);
}

const row = (client: ListedClient): Row => ({
  client_id: client.id,
  name: client.name,
  scopes: client.scopes,
  organization_ids: client.grants.map(({ organizationId }) => organizationId),
  active: client.active,
  created_at: writeInstant(client.createdAt),
});
