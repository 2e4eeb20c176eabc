import type { Command } from 'commander';
import { z } from 'zod';
import { LARGEST_LIMIT } from '../../domain/values/paging.ts';
import { writeInstant } from '../../domain/values/time.ts';
import {
  createEndpoint,
  deleteEndpoint,
  findEndpoint,
  listEndpoints,
  rotateEndpointSecret,
  type ShownEndpoint,
  testEndpoint,
  updateEndpoint,
  type WebhookDeps,
} from '../../domain/webhooks/endpoints.ts';
import { createGuardedRequests } from '../../gateways/requests/guarded-requests.ts';
import { type CommandDeclarer, UsageError } from '../terminal/command.ts';
import type { Io } from '../terminal/io.ts';
import { clearable, organization, text, yesNo } from '../terminal/options.ts';
import { list, type Row, record, SHOWN_ONCE } from '../terminal/output.ts';
import type { Session } from '../terminal/session.ts';
import { deliveryCommands } from './webhook-deliveries.ts';
import { listenCommand } from './webhook-listen.ts';
import { eventTypes, whichEndpoint } from './webhook-options.ts';

export function webhookCommands(program: Command, declare: CommandDeclarer, io: Io): void {
  const { command } = declare;
  const webhooks = program
    .command('webhooks')
    .description('Addresses to which the events of a practice are posted, and the deliveries to them.');

  command(webhooks, 'list', {
    summary: 'List the webhook endpoints of a practice',
    details: 'Those of API clients too.',
    options: z.object({ organization: organization() }),
    run: async ({ read, keyring }, { organization: organizationId }) => {
      const page = { page: 1, limit: LARGEST_LIMIT };
      const { items } = await read(organizationId, (db, caller) => listEndpoints(db, caller, { keyring, page }));
      return list(items.map(endpointRow), 'The practice has no webhook endpoints yet.');
    },
  });
  createCommand(webhooks, command);
  updateCommand(webhooks, command);
  command(webhooks, 'delete', {
    summary: 'Delete a webhook endpoint with its deliveries',
    options: z.object({ endpoint: whichEndpoint(), organization: organization() }),
    run: async ({ write }, { endpoint, organization: organizationId }) => {
      await write(organizationId, (db, caller) => deleteEndpoint(db, caller, endpoint));
      return record({ id: endpoint, deleted: true });
    },
  });
  secretCommand(webhooks, command);
  command(webhooks, 'test', {
    summary: 'Send a test event to a webhook endpoint',
    details: 'A webhook_endpoint.tested, whichever types the endpoint has; deliveries shows how it went.',
    options: z.object({ endpoint: whichEndpoint(), organization: organization() }),
    run: async ({ write, read, keyring }, { endpoint, organization: organizationId }) => {
      await write(organizationId, (db, caller) => testEndpoint(db, caller, endpoint));
      return record(endpointRow(await read(organizationId, (db, caller) => findEndpoint(db, caller, { keyring, id: endpoint }))));
    },
  });
  deliveryCommands(webhooks, command);
  listenCommand(webhooks, declare, io);
}

function createCommand(webhooks: Command, command: CommandDeclarer['command']): void {
  command(webhooks, 'create', {
    summary: 'Create a webhook endpoint and show its secret',
    details: 'What happens from now on is posted to the address. docs/webhooks.md says how a receiver verifies it.',
    options: z.object({
      organization: organization(),
      url: url(),
      types: eventTypes().default([]),
      description: text(500).exactOptional().describe('a note for people'),
      ed25519: z.boolean().default(false).describe('sign with Ed25519 as well, which a receiver verifies without a secret'),
    }),
    run: async (session, { organization: organizationId, url: address, types, description = null, ed25519: asymmetric }) => {
      const input = { url: address, description, eventNames: types, asymmetric, active: true };
      const made = await session.write(organizationId, (db, caller) => createEndpoint(db, caller, depsOf(session), input));
      return record({ ...endpointRow(made.endpoint), secret: made.secret }, SHOWN_ONCE);
    },
  });
}

function updateCommand(webhooks: Command, command: CommandDeclarer['command']): void {
  command(webhooks, 'update', {
    summary: 'Update a webhook endpoint',
    details: 'One that is switched on again goes on where it stopped; a new address gets what is waiting at once.',
    options: z.object({
      endpoint: whichEndpoint(),
      organization: organization(),
      url: url().exactOptional(),
      types: z
        .union([z.tuple([z.literal('all')]).transform((): string[] => []), eventTypes()])
        .exactOptional()
        .meta({ placeholder: 'type', several: true })
        .describe('kinds of events in place of the present ones, or all'),
      description: clearable(text(500)).exactOptional().meta({ placeholder: 'text' }).describe('a note for people; empty: none'),
      active: yesNo().exactOptional().describe('whether events are delivered'),
      ed25519: yesNo().exactOptional().describe('whether to sign with Ed25519 as well'),
    }),
    run: async (session, { endpoint, organization: organizationId, types: eventNames, ed25519: asymmetric, ...fields }) => {
      const changes = { ...fields, eventNames, asymmetric };
      if (Object.values(changes).every((value) => value === undefined))
        throw new UsageError('Say what to change: --url, --types, --description, --active or --ed25519.');
      const changed = await session.write(organizationId, (db, caller) =>
        updateEndpoint(db, caller, depsOf(session), { id: endpoint, changes }),
      );
      return record(endpointRow(changed));
    },
  });
}

function secretCommand(webhooks: Command, command: CommandDeclarer['command']): void {
  command(webhooks, 'rotate-secret', {
    summary: 'Give a webhook endpoint a new secret and show it',
    details: 'For 24 hours deliveries are signed with both, so that the receiver can change over.',
    options: z.object({ endpoint: whichEndpoint(), organization: organization() }),
    run: async (session, { endpoint, organization: organizationId }) => {
      const made = await session.write(organizationId, (db, caller) => rotateEndpointSecret(db, caller, session, endpoint));
      return record({ ...endpointRow(made.endpoint), secret: made.secret }, SHOWN_ONCE);
    },
  });
}

const url = () => z.string().meta({ placeholder: 'address' }).describe('https address of the internet to which events are posted');

const depsOf = ({ keyring, config }: Session): WebhookDeps => ({
  keyring,
  accepts: createGuardedRequests({ allowPrivate: config.ALLOW_PRIVATE_ADDRESSES }).accepts,
  most: config.PRACTICE_ENDPOINTS,
});

const endpointRow = (endpoint: ShownEndpoint): Row => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description,
  types: endpoint.eventNames,
  active: endpoint.active,
  switched_off: endpoint.switchedOff,
  switched_off_at: writeInstant(endpoint.switchedOffAt),
  failing_since: writeInstant(endpoint.failingSince),
  last_sequence: endpoint.lastSequence,
  client_id: endpoint.clientId,
  public_key: endpoint.publicKey,
  created_at: writeInstant(endpoint.createdAt),
});
