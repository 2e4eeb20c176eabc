import { afterAll, onTestFinished } from 'vitest';
import { serveWebhooks } from '../../../../src/jobs/sending/send-webhooks.ts';
import { type Actor, actorWith, clientToken, integrationClient } from '../../../support/actors.ts';
import { ownTestApp, type TestApp } from '../../../support/app.ts';
import { createOrganization } from '../../../support/factories.ts';
import { eventually } from '../../../support/server-process.ts';
import { startReceiver, type WebhookReceiver } from '../../../support/webhook-receiver.ts';

export const ENDPOINTS = '/platform/v1/webhook-endpoints';

/** A server that reaches receivers on this machine, with the job that queues and sends; it ends with the test file. */
export async function webhookTestApp(): Promise<TestApp> {
  const test = await ownTestApp({ ALLOW_PRIVATE_ADDRESSES: 'true' });
  const stopping = new AbortController();
  const serving = serveWebhooks({ ...test.services, origin: test.address }, stopping.signal);
  afterAll(async () => {
    stopping.abort();
    await serving;
  });
  return test;
}

/** A receiver that ends with the test. */
export async function receiver(): Promise<WebhookReceiver> {
  const started = await startReceiver();
  onTestFinished(() => started.close());
  return started;
}

/** A practice with an app that writes charts, and a client with an endpoint at a receiver of its own. */
export async function webhookClinic(test: TestApp, body: object = {}) {
  const { id: organizationId } = await createOrganization(test.database.prisma);
  const app = await integrationClient(test, { organizationId });
  const { token, clientId } = await clientToken(test, ['webhooks.write', 'events.read'], [organizationId]);
  const client = actorWith(test, token, organizationId);
  const at = await receiver();
  const sent = { url: at.url, ...body };
  const { data: endpoint } = (await client.post(ENDPOINTS).send(sent).expect(201)).body;
  return { organizationId, app, client, clientId, at, endpoint };
}

export const register = async (app: Actor): Promise<number> =>
  Number((await app.post('/patients').send({ fname: 'Ann', lname: 'Lee' }).expect(200)).body.data.uuid);

export const rename = (app: Actor, id: number, lname: string) => app.put(`/patients/${id}`).send({ lname }).expect(200);

export const received = (at: WebhookReceiver, count: number) => eventually(`${count} posts`, async () => at.posts.length >= count);

interface OfClient {
  client: Actor;
  endpoint: { id: number };
}

export const listDeliveries = async ({ client, endpoint }: OfClient, query = '') =>
  (await client.get(`${ENDPOINTS}/${endpoint.id}/deliveries${query}`).expect(200)).body.data;

export const readEndpoint = async ({ client, endpoint }: OfClient) =>
  (await client.get(`${ENDPOINTS}/${endpoint.id}`).expect(200)).body.data;

/** Makes the attempts that pending deliveries wait for due now. */
export const hurry = ({ database }: TestApp, { endpoint }: OfClient) =>
  database.prisma.webhookDelivery.updateMany({
    where: { webhookEndpointId: endpoint.id, state: 'pending', nextAttemptAt: { gt: new Date() } },
    data: { nextAttemptAt: new Date() },
  });
