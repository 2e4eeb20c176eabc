// An app's sign-in: the person signs in with their browser, the app gets tokens and renews them. CLIENT_ID is a registered app's.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { appSession, connect } from 'triptych-client';
import { getCurrentUser, listOwnAppointments } from 'triptych-client/mobile';

const { URL: url, CLIENT_ID: clientId } = process.env;
const MINUTES = 5;

// The app listens on any port of this computer; the registered address is http://127.0.0.1/callback.
const server = createServer();
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const redirectUri = `http://127.0.0.1:${server.address().port}/callback`;

// With fileStore of triptych-client/node, or webStore in a browser, the person stays signed in.
const session = appSession({ url, clientId, redirectUri });
console.log(`Open this address in a browser, and sign in:\n\n  ${await session.begin()}\n`);

const late = setTimeout(() => {
  console.error(`Nobody signed in within ${MINUTES} minutes.`);
  process.exit(1);
}, MINUTES * 60_000);
for (;;) {
  const [request, response] = await once(server, 'request');
  const returned = new URL(request.url, redirectUri);
  if (returned.pathname !== '/callback') {
    response.writeHead(404).end();
    continue;
  }
  try {
    await session.finish(returned.href);
    response.end('You are signed in. You may close this window.');
    break;
  } catch (error) {
    response.writeHead(400).end(error.message);
    console.error(`${error.code}: ${error.message}`);
    process.exit(1);
  }
}
clearTimeout(late);
server.close();
server.closeAllConnections();

const client = connect({ url, auth: session });
const { data: user } = await getCurrentUser({ client });
const { data: visits } = await listOwnAppointments({ client, query: { limit: 5 } });
console.log(`signed in as ${user.first_name} ${user.last_name}, who has ${visits.length} of the next appointments`);
await session.signOut();
console.log('signed out');
