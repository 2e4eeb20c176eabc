// Receives the changes of patients and appointments, verified. Scopes: webhooks.write and events.read or that of an API.
import { createServer } from 'node:http';
import { clientCredentials, connect, verifyWebhook, WebhookError } from 'triptych-client';
import { createWebhookEndpoint, deleteWebhookEndpoint, testWebhookEndpoint } from 'triptych-client/platform';

const { URL: url, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, PORT = 0, RECEIVER_URL, FOLLOW_SECONDS } = process.env;
const client = connect({ url, auth: clientCredentials({ clientId, clientSecret }) });

let secret = '';
const seen = new Set(); // in production a table with a unique key

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const { event, sequence } = await verifyWebhook({ headers: request.headers, body: Buffer.concat(chunks), secret });
    // Answer at once; the work is done behind the answer, once for each event.
    response.writeHead(204).end();
    if (!seen.has(event.id)) console.log(`${sequence} ${event.type} ${event.subject.type} ${event.subject.id}`);
    seen.add(event.id);
  } catch (error) {
    response.writeHead(error instanceof WebhookError ? 400 : 500).end();
    console.error(error.message);
  }
});
await new Promise((resolve) => server.listen(PORT, '127.0.0.1', resolve));

// An address on this computer is taken in development alone; RECEIVER_URL is yours, such as that of a tunnel.
const address = RECEIVER_URL ?? `http://127.0.0.1:${server.address().port}/hook`;
const { data: endpoint } = await createWebhookEndpoint({
  client,
  body: { url: address, types: ['patient.*', 'appointment.*'], signatures: ['v1', 'v1a'] },
});
secret = endpoint.secret; // shown once: keep it with your other secrets
console.log(`receiving at ${address}`);
await testWebhookEndpoint({ client, path: { id: endpoint.id } });

await new Promise((resolve) => {
  if (FOLLOW_SECONDS) setTimeout(resolve, FOLLOW_SECONDS * 1000);
  process.once('SIGINT', resolve);
});
await deleteWebhookEndpoint({ client, path: { id: endpoint.id } });
server.closeAllConnections();
server.close();
