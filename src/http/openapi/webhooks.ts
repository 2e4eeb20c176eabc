import { type DocumentedWebhook, WEBHOOK_HEADERS } from '../endpoints/documented-webhooks.ts';
import type { Components } from './components.ts';
import type { Json } from './json-schema.ts';

/** Answers of a receiver by status, with their names. */
const ANSWERS: Readonly<Record<string, readonly [name: string, response: Json]>> = {
  '2XX': [
    'EventReceived',
    {
      description:
        'The receiver accepted the event, and the delivery is complete. The first 1,024 bytes of the body are stored for the list of deliveries.',
    },
  ],
  '410': ['ReceiverGone', { description: 'The receiver no longer exists; the endpoint is switched off.' }],
  default: [
    'DeliveryFailed',
    {
      description:
        'The delivery failed and is retried, ten attempts at most, not before `Retry-After`. Redirects are not followed. No response within 15 seconds also counts as a failure.',
    },
  ],
};

/** The messages to receivers, and the meaning of their answers. */
export const writeWebhooks = (webhooks: readonly DocumentedWebhook[], components: Components): Json =>
  Object.fromEntries(
    webhooks.map(({ name, operationId, summary, description, tag, shape, example }) => [
      name,
      {
        post: {
          operationId,
          summary,
          description,
          tags: [tag],
          security: [],
          parameters: Object.keys(WEBHOOK_HEADERS).map((header) => components.parameter(header)),
          requestBody: { required: true, content: { 'application/json': { schema: components.schema(shape, 'output'), example } } },
          responses: Object.fromEntries(Object.entries(ANSWERS).map(([status, answer]) => [status, components.response(...answer)])),
        },
      },
    ]),
  );
