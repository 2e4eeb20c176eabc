import type { Command } from 'commander';
import { z } from 'zod';
import { organizationZoneIn } from '../../domain/practices/organization-zone.ts';
import { readRange } from '../../domain/values/date-range.ts';
import { writeInstant } from '../../domain/values/time.ts';
import { isBeingSent, listDeliveries, replay, retryDelivery } from '../../domain/webhooks/deliveries.ts';
import type { WebhookDelivery } from '../../generated/prisma/client.ts';
import type { CommandDeclarer } from '../terminal/command.ts';
import { choice, limit, moment, organization } from '../terminal/options.ts';
import { page, type Row, record } from '../terminal/output.ts';
import { eventTypes, whichEndpoint } from './webhook-options.ts';

const BOUNDS = { min: 'from', max: 'to' };

const NOT_A_NUMBER = 'must be a whole number';

const sequence = () =>
  z
    .string()
    .regex(/^\d{1,15}$/, NOT_A_NUMBER)
    .transform(Number)
    .exactOptional()
    .meta({ placeholder: 'n' });

const listOptions = z.object({
  endpoint: whichEndpoint(),
  organization: organization(),
  status: choice('pending', 'delivered', 'dead').exactOptional().describe('only those'),
  from: moment().exactOptional().describe('queued from then on: a day of the practice, or an instant'),
  to: moment().exactOptional().describe('queued until then: a day, which belongs to it, or an instant'),
  afterSequence: sequence().describe('only later ones, the earliest first: what a receiver misses since that number'),
  beforeSequence: sequence().describe('only earlier ones, the latest first'),
  limit: limit(50),
});

/** The commands about what became of events on their way. */
export function deliveryCommands(webhooks: Command, command: CommandDeclarer['command']): void {
  command(webhooks, 'deliveries', {
    summary: 'List the deliveries to a webhook endpoint, the latest first',
    details: 'Delivered and dead ones are kept for 30 days. With --json also the first 1,024 bytes of the last answer.',
    options: listOptions,
    run: async ({ read }, { endpoint, organization: organizationId, status: state, from: min, to: max, ...part }) => {
      const { afterSequence, beforeSequence } = part;
      const { deliveries, hasMore } = await read(organizationId, async (db, caller) => {
        const range = await readRange({ min, max, fields: BOUNDS }, () => organizationZoneIn(db, caller));
        return listDeliveries(db, caller, endpoint, { state, range, limit: part.limit, afterSequence, beforeSequence });
      });
      const last = hasMore ? (deliveries.at(-1)?.sequence ?? null) : null;
      const option = afterSequence === undefined ? '--before-sequence' : '--after-sequence';
      const json = { deliveries: deliveries.map((one) => ({ ...deliveryRow(one), answer: one.answer })), next: last };
      const hint = last === null ? null : `For what follows, add: ${option} ${last}`;
      return page(json, deliveries.map(deliveryRow), { none: 'There are no such deliveries.', hint });
    },
  });

  command(webhooks, 'retry', {
    summary: 'Retry a delivery',
    details: 'A delivered or dead one is sent once more, with ten attempts again; one that waits for another attempt is due at once.',
    options: z.object({ delivery: whichDelivery(), organization: organization() }),
    run: async ({ write }, { delivery, organization: organizationId }) =>
      record(deliveryRow(await write(organizationId, (db, caller) => retryDelivery(db, caller, delivery)))),
  });

  replayCommand(webhooks, command);
}

function replayCommand(webhooks: Command, command: CommandDeclarer['command']): void {
  command(webhooks, 'replay', {
    summary: 'Deliver the events of a time to a webhook endpoint once more',
    details: 'Under new sequence numbers and with the ids that they had; as far as the log is kept.',
    options: z.object({
      endpoint: whichEndpoint(),
      organization: organization(),
      from: moment().describe('from then on: a day of the practice, or an instant'),
      to: moment().exactOptional().describe('until then: a day, which belongs to it, or an instant (default now)'),
      types: eventTypes().default([]),
    }),
    run: async ({ write }, { endpoint, organization: organizationId, from: min, to: max, types: eventNames }) => {
      const made = await write(organizationId, async (db, caller) => {
        const range = await readRange({ min, max, fields: BOUNDS }, () => organizationZoneIn(db, caller));
        return replay(db, caller, endpoint, { from: range.from ?? new Date(0), to: range.before ?? new Date(), eventNames });
      });
      return record({
        id: made.id,
        endpoint,
        from: writeInstant(made.fromTime),
        to: writeInstant(made.toTime),
        types: made.eventNames,
        created_at: writeInstant(made.createdAt),
      });
    },
  });
}

const NOT_AN_ID = 'must be an id: a whole number from 1';

const whichDelivery = () =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, NOT_AN_ID)
    .transform(Number)
    .meta({ positional: true, placeholder: 'id' })
    .describe('id of the delivery');

const deliveryRow = (delivery: WebhookDelivery): Row => ({
  id: delivery.id,
  sequence: delivery.sequence,
  status: delivery.state,
  event: `evt_${delivery.eventId}`,
  type: delivery.eventName,
  subject: `${delivery.subjectType}:${delivery.subjectId}`,
  attempts: delivery.attempts,
  response_status: delivery.status,
  failure: delivery.failure,
  last_attempt_at: writeInstant(delivery.lastAttemptAt),
  next_attempt_at: delivery.state === 'pending' && !isBeingSent(delivery) ? writeInstant(delivery.nextAttemptAt) : null,
  replay: delivery.replayId,
  queued_at: writeInstant(delivery.createdAt),
});
