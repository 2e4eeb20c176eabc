import { z } from 'zod';
import { EVENT_NAMES, EVENTS } from '../../../domain/events/catalogue.ts';
import type { DocumentedWebhook } from '../../../http/endpoints/documented-webhooks.ts';
import { snakeCase } from '../../../records/field.ts';
import { EventShape } from '../events/events.wire.ts';

const pascal = (name: string) => name.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Names of more fields than these are left out of an example. */
const FIELDS_SHOWN = 2;

const subjectId = EventShape.shape.subject.shape.id;
const changed = EventShape.shape.changed;

const describeWebhook = (name: (typeof EVENT_NAMES)[number]): DocumentedWebhook => {
  const { subject, means, fields } = EVENTS[name];
  const [first, ...others] = fields.map(snakeCase);
  const named = first === undefined ? z.array(z.string()).max(0) : z.array(z.enum([first, ...others]));
  const shape = EventShape.extend({
    type: z.literal(name).describe('The kind of event'),
    subject: z.strictObject({ type: z.literal(subject).describe('Kind of the record'), id: subjectId }).describe('Record of the event'),
    changed: named.describe(first === undefined ? 'Always empty for this kind of event' : (changed.description ?? '')),
  }).meta({ id: `${pascal(name)}Event` });
  return {
    name,
    operationId: `on${pascal(name)}`,
    summary: means.replace(/[.;:].*$/s, ''),
    description: means,
    tag: 'Webhooks',
    shape,
    example: {
      id: 'evt_5000000123',
      type: name,
      occurred_at: '2026-11-23T14:03:11Z',
      subject: { type: subject, id: 12 },
      changed: fields.slice(0, FIELDS_SHOWN).map(snakeCase),
      actor: 'user:7',
      request_id: '0f7c8f0e-3b1e-4b5e-9d0a-3b1f4a0a7a10',
    },
  };
};

/** Each kind of event as it is posted to webhook endpoints, for the document. */
export const eventWebhooks = (): DocumentedWebhook[] => EVENT_NAMES.map(describeWebhook);
