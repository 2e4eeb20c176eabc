import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EVENT_NAMES, EVENTS } from '../../src/domain/events/catalogue.ts';
import { snakeCase } from '../../src/records/field.ts';

const reference = z.object({ $ref: z.string() });
const words = z.object({ enum: z.array(z.string()) });
const posted = z.object({
  properties: z.object({
    type: words,
    subject: z.object({ properties: z.object({ type: words }) }),
    changed: z.object({ items: z.object({ enum: z.array(z.string()).default([]) }), maxItems: z.int().optional() }),
  }),
});
const document = z.object({
  webhooks: z.record(
    z.string(),
    z.object({
      post: z.object({
        operationId: z.string(),
        parameters: z.array(reference),
        requestBody: z.object({ content: z.object({ 'application/json': z.object({ schema: reference }) }) }),
        responses: z.record(z.string(), reference),
      }),
    }),
  ),
  components: z.object({
    schemas: z.record(z.string(), z.unknown()),
    parameters: z.record(z.string(), z.looseObject({ name: z.string(), in: z.string(), required: z.boolean() })),
  }),
});

const file = join(import.meta.dirname, '..', '..', 'openapi', 'webhooks.json');
const { webhooks, components } = document.parse(JSON.parse(readFileSync(file, 'utf8')));
const last = ({ $ref }: { $ref: string }) => $ref.split('/').at(-1) ?? '';

describe('the document of webhooks', () => {
  it('has each kind of event once, under a name of its own for generated code', () => {
    expect(Object.keys(webhooks)).toEqual(EVENT_NAMES);
    expect(new Set(Object.values(webhooks).map(({ post }) => post.operationId)).size).toBe(EVENT_NAMES.length);
  });

  it('shows of each kind its type, its subject and the fields that it may name', () => {
    for (const name of EVENT_NAMES) {
      const schema = webhooks[name]?.post.requestBody.content['application/json'].schema;
      const { type, subject, changed } = posted.parse(components.schemas[schema ? last(schema) : '']).properties;
      expect(type.enum).toEqual([name]);
      expect(subject.properties.type.enum, name).toEqual([EVENTS[name].subject]);
      expect(changed.items.enum, name).toEqual(EVENTS[name].fields.map(snakeCase));
      expect(changed.maxItems, name).toBe(EVENTS[name].fields.length === 0 ? 0 : undefined);
    }
  });

  it('names the headers, and what answers mean', () => {
    const headers = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'webhook-sequence'];
    for (const { post } of Object.values(webhooks)) {
      expect(post.parameters.map((one) => components.parameters[last(one)])).toMatchObject(
        headers.map((name) => ({ name, in: 'header', required: true })),
      );
      expect(Object.keys(post.responses).sort()).toEqual(['2XX', '410', 'default']);
    }
  });
});
