import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../database/keyring.ts';
import { forbidden } from '../domain/errors.ts';
import type { UnitOfWork } from '../domain/unit-of-work/unit-of-work.ts';
import type { Gateways } from '../gateways/gateways.ts';
import type { Limits } from '../http/limits.ts';
import { originOf } from '../http/links.ts';
import { SIGNAL_PATH } from '../http/requests.ts';
import { sendScriptFailure } from '../pages/visit/script-failures.ts';
import { type LinePatience, PATIENCE, serveConnection } from './connection.ts';
import { startBeating } from './heartbeat.ts';
import { joinRoutes } from './join-routes.ts';
import { CLOSE, LARGEST_MESSAGE } from './protocol.ts';
import { createHalls } from './room-registry.ts';
import { createExchange } from './signal-bus.ts';

/** What rooms need of the server. */
export interface RoomDeps {
  config: Config;
  database: Database;
  keyring: Keyring;
  unitOfWork: UnitOfWork;
  limits: Limits;
  gateways: Pick<Gateways, 'videoRooms'>;
  /** Unless as usual: for tests. */
  roomPatience?: LinePatience | undefined;
}

/** How long browsers are given to say goodbye when the server stops. */
const FAREWELL_MS = 1_000;

/** Where the pages of video sessions and waiting rooms join, and the socket over which they find each other. */
export async function rooms(app: FastifyInstance, deps: RoomDeps): Promise<void> {
  const exchange = createExchange(deps.database, app.log);
  const halls = createHalls({ unitOfWork: deps.unitOfWork, exchange, logger: app.log });
  const beating = startBeating(deps.database, app.log);
  await app.register(websocket, {
    options: { maxPayload: LARGEST_MESSAGE, perMessageDeflate: false },
    errorHandler: (_error, socket) => socket.terminate(),
    preClose: (done) => {
      void farewell(app).then(() => done());
    },
  });
  app.addHook('onClose', async () => {
    await beating.stop();
    await exchange.close();
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    await deps.limits.spend('address', request.ip, reply);
    requireOwnOrigin(request, deps.config);
  });
  app.setErrorHandler(sendScriptFailure);
  joinRoutes(app, deps);
  app.get(SIGNAL_PATH, { websocket: true, schema: { hide: true } }, (socket, request) =>
    serveConnection(socket, request, { ...deps, exchange, halls, beating, patience: deps.roomPatience ?? PATIENCE }),
  );
}

/** Pages of other origins have no business here; what is no browser says nothing of an origin. */
function requireOwnOrigin(request: FastifyRequest, { CORS_ORIGINS }: Config): void {
  const { origin } = request.headers;
  if (origin === undefined || CORS_ORIGINS.includes(origin)) return;
  const own = new URL(originOf(request));
  if (!URL.canParse(origin) || new URL(origin).host !== own.host) throw forbidden('foreign_origin', 'This is for pages of this server.');
}

/** Browsers are told to connect anew, which another process, or the next one, answers. */
async function farewell({ websocketServer: { clients } }: FastifyInstance): Promise<void> {
  const left = new Promise<void>((resolve) => {
    const late = setTimeout(resolve, FAREWELL_MS);
    let open = clients.size;
    const one = () => {
      open -= 1;
      if (open > 0) return;
      clearTimeout(late);
      resolve();
    };
    for (const client of clients) client.once('close', one);
    if (open === 0) one();
  });
  for (const client of clients) client.close(CLOSE.restarting, 'The server restarts.');
  await left;
  for (const client of clients) client.terminate();
}
