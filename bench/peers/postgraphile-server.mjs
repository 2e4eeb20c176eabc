/** PostGraphile as a team would deploy it: its GraphQL interface over these tables, a token check in front. */
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { PostGraphileConnectionFilterPreset } from 'postgraphile-plugin-connection-filter';
import { tokenCheck } from '../floor/token.ts';

const { DATABASE_URL = '', FLOOR_PUBLIC_KEY = '' } = process.env;
const check = tokenCheck(FLOOR_PUBLIC_KEY);

const instance = postgraphile({
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset],
  // It would hide columns that only a partial index has, and the office of a name key is one of them.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  pgServices: [makePgService({ connectionString: DATABASE_URL, schemas: ['public'], poolConfig: { max: 10 } })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, websockets: false },
});

const inner = createServer();
const server = createServer((request, response) => {
  if (check(request.headers.authorization) === null) response.writeHead(401).end();
  else inner.emit('request', request, response);
});
const peer = instance.createServ(grafserv);
await peer.addTo(inner);
await peer.ready();

process.once('SIGTERM', async () => {
  server.close();
  await instance.release();
  process.exit(0);
});
server.listen(0, '127.0.0.1', () => {
  const bound = server.address();
  if (bound !== null && typeof bound === 'object') process.stdout.write(`ready at http://127.0.0.1:${bound.port}\n`);
});
