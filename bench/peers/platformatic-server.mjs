/** Platformatic DB as a team would deploy it: its REST and GraphQL interfaces over these tables, a token check in front. */
import platformatic from '@platformatic/db-core';
import Fastify from 'fastify';
import { tokenCheck } from '../floor/token.ts';

const { DATABASE_URL = '', FLOOR_PUBLIC_KEY = '' } = process.env;
const check = tokenCheck(FLOOR_PUBLIC_KEY);

/** The tables of the requests and those that they refer to: it does not start without these. */
const TABLES = ['patient', 'patient_name_key', 'appointment', 'appointment_type', 'user_appointment', 'employer', 'office', 'provider'];
const REFERRED_TO = ['provider_group', 'location', 'waiting_room', 'user', 'organization'];

// Without allErrors, the code that Ajv generates for the thousand filters of a wide table nests too deeply to compile.
// It inspects each table of the database, hidden ones too, which may take more than ten seconds.
const app = Fastify({ ajv: { customOptions: { allErrors: true } }, pluginTimeout: 60_000 });
app.addHook('onRequest', async (request, reply) => {
  if (check(request.headers.authorization) === null) return reply.code(401).send({ error: 'unauthenticated' });
  return undefined;
});
await app.register(platformatic, {
  connectionString: DATABASE_URL,
  poolSize: 10,
  include: Object.fromEntries([...TABLES, ...REFERRED_TO].map((table) => [table, true])),
  limit: { default: 100, max: 5_000 },
  events: false,
});

process.once('SIGTERM', async () => {
  await app.close();
  process.exit(0);
});
process.stdout.write(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
