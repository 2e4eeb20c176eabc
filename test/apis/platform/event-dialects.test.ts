import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { EVENTS } from '../../../src/domain/events/catalogue.ts';
import { EVENT_DIALECTS, namesIn } from '../../../src/domain/events/dialect-names.ts';
import { queueWebhooks } from '../../../src/jobs/sending/send-webhooks.ts';
import { clientToken, integrationClient, signedInUser } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { eventually } from '../../support/server-process.ts';

const test = await sharedTestApp();

const CHANGED = { integration: ['phone_no', 'dob'], practice: ['mobilephone', 'dob'], mobile: ['phone_no', 'dob'] };

it('changed fields have the names of the API that a reader of the feed, or a webhook endpoint, asks for', async () => {
  const app = await integrationClient(test);
  const admin = await signedInUser(test, { organizationId: app.organizationId, type: 'admin' });
  const body = { url: 'https://hooks.example.org/a', types: ['patient.updated'], dialect: 'practice' };
  const made = await admin.post('/platform/v1/webhook-endpoints').send(body);
  expect(made.body.data).toMatchObject({ dialect: 'practice' });
  const patient = await app.post('/patients').send({ firstname: 'Ann', lastname: 'Ames', dob: '1980-02-29' });
  const { uuid } = patient.body.data;
  expect((await app.put(`/patients/${uuid}`).send({ phone_no: '9195550123', dob: '1980-03-01' })).status).toBe(200);

  const reader = await clientToken(test, ['events.read'], [app.organizationId]);
  const changed = async (query: string): Promise<string[]> => {
    const feed = await test.http
      .get(`/platform/v1/events?types=patient.updated&subject=patient:${uuid}${query}`)
      .set('authorization', `Bearer ${reader.token}`);
    expect(feed.status, feed.text).toBe(200);
    return feed.body.data[0]?.changed ?? [];
  };
  await eventually('the change is in the log', async () => (await changed('')).length > 0);
  expect(new Set(await changed(''))).toEqual(new Set(['mobile_phone', 'birth_date']));
  for (const dialect of EVENT_DIALECTS) expect(new Set(await changed(`&dialect=${dialect}`))).toEqual(new Set(CHANGED[dialect]));

  const where = { organizationId: app.organizationId, webhookEndpointId: made.body.data.id };
  await eventually('the delivery is queued', async () => {
    await queueWebhooks(test.database);
    return (await test.database.prisma.webhookDelivery.count({ where })) > 0;
  });
  const [delivery] = await test.database.prisma.webhookDelivery.findMany({ where });
  expect(new Set(JSON.parse(delivery?.payload ?? '{}').changed)).toEqual(new Set(CHANGED.practice));
  const plain = await admin.put(`/platform/v1/webhook-endpoints/${made.body.data.id}`).send({ dialect: null });
  expect(plain.body.data).toMatchObject({ dialect: null });
});

const Schemas = z.object({
  components: z.object({ schemas: z.record(z.string(), z.object({ properties: z.record(z.string(), z.unknown()).default({}) }).loose()) }),
});

it.each(EVENT_DIALECTS)('a name of a changed field that is the own one of the %s API is that of a member there', (dialect) => {
  const { components } = Schemas.parse(JSON.parse(readFileSync(new URL(`../../../openapi/${dialect}.json`, import.meta.url), 'utf8')));
  const known = new Set(Object.values(components.schemas).flatMap(({ properties }) => Object.keys(properties)));
  for (const name of ['patient.registered', 'appointment.scheduled'] as const) {
    const { subject, fields } = EVENTS[name];
    const own = fields.flatMap((field) => namesIn(dialect, subject, [field]).filter((one) => !namesIn(dialect, '', [field]).includes(one)));
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((one) => !known.has(one))).toEqual([]);
  }
});
