/**
 * The floor: the cost of a server that does nothing but answer these few requests. Fastify, pg, named statements, a pool
 * of ten, a signed token checked on each request; no audit, no limits, no validation beyond what the SQL needs.
 */
import Fastify from 'fastify';
import pg from 'pg';
import { appointmentRoutes } from './appointments.ts';
import { monitoringRoutes } from './monitoring.ts';
import { patientRoutes } from './patients.ts';
import { scheduleRoutes } from './schedule-writes.ts';
import { textRoutes } from './texts.ts';
import { type Claims, tokenCheck } from './token.ts';
import { writeRoutes } from './writes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    claims: Claims;
  }
}

const { DATABASE_URL = '', FLOOR_PUBLIC_KEY = '' } = process.env;
// Ids of 64 bits as numbers.
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, options: '-c timezone=UTC', types });
const check = tokenCheck(FLOOR_PUBLIC_KEY);

const app = Fastify({ routerOptions: { ignoreTrailingSlash: true } });
app.addHook('onRequest', async (request, reply) => {
  const claims = check(request.headers.authorization);
  if (claims === null) return reply.code(401).send({ error: 'unauthenticated' });
  request.claims = claims;
  return undefined;
});
patientRoutes(app, pool);
appointmentRoutes(app, pool);
writeRoutes(app, pool);
scheduleRoutes(app, pool);
textRoutes(app, pool);
monitoringRoutes(app, pool);

process.once('SIGTERM', async () => {
  await app.close();
  await pool.end();
  process.exit(0);
});
process.stdout.write(`ready at ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
