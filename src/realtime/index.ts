import websocket from '@fastify/websocket';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../config/config.ts';
import { forbidden } from '../domain/errors.ts';
import { isOwnOrigin } from '../http/links.ts';
import { refuseFormsOfOthers } from '../http/own-forms.ts';
import { SIGNAL_PATH } from '../http/requests.ts';
import { sendScriptFailure } from '../pages/visit/script-failures.ts';
import { SOCKET_LIMITS } from './browser-socket.ts';
import { serveConnection } from './connection.ts';
import { createSignalBus } from './create-signal-bus.ts';
import { startHeartbeat } from './heartbeat.ts';
import { joinRoutes } from './join-routes.ts';
import { leaveRoutes } from './leave-routes.ts';
import { CLOSE_CODE, MAX_MESSAGE_BYTES } from './protocol.ts';
import type { RealtimeDeps } from './realtime-deps.ts';
import { createRoomRegistry } from './room-registry.ts';

/** Milliseconds that browsers have to answer a close when the server stops. */
const CLOSE_TIMEOUT_MS = 1_000;

/** The join requests of visit pages and waiting rooms, and the WebSocket through which browsers in a session exchange signals. */
export async function realtime(app: FastifyInstance, deps: RealtimeDeps): Promise<void> {
  const signalBus = createSignalBus({ ...deps, logger: app.log, onGap: () => reconnectBrowsers(app) });
  const roomRegistry = createRoomRegistry({ unitOfWork: deps.unitOfWork, signalBus, logger: app.log });
  const heartbeat = startHeartbeat(deps.database, app.log);
  await app.register(websocket, {
    options: { maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false },
    errorHandler: (_error, socket) => socket.terminate(),
    preClose: (done) => {
      void closeSockets(app).then(() => done());
    },
  });
  app.addHook('onClose', async () => {
    await heartbeat.stop();
    await signalBus.close();
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    await deps.limits.spend('address', request.ip, reply);
    requireOwnOrigin(request, deps.config);
    refuseFormsOfOthers(request, deps.config);
  });
  app.setErrorHandler(sendScriptFailure);
  joinRoutes(app, deps);
  await app.register(leaveRoutes, deps);
  const connectionDeps = { ...deps, signalBus, roomRegistry, heartbeat, socketLimits: deps.socketLimits ?? SOCKET_LIMITS };
  app.get(SIGNAL_PATH, { websocket: true, schema: { hide: true } }, (socket, request) => serveConnection(socket, request, connectionDeps));
}

/** @throws Failure forbidden for pages of other origins. Clients that are no browser send no origin. */
function requireOwnOrigin(request: FastifyRequest, { CORS_ORIGINS }: Config): void {
  const { origin } = request.headers;
  if (origin === undefined || CORS_ORIGINS.includes(origin)) return;
  if (!isOwnOrigin(request, origin)) throw forbidden('foreign_origin', 'This is for pages of this server.');
}

/** Closes all sockets with a code on which browsers connect anew, and learn all that they may have missed. */
function reconnectBrowsers({ websocketServer: { clients }, log }: FastifyInstance): void {
  if (clients.size > 0) log.warn({ sockets: clients.size }, 'signals may have been missed for a minute or more; browsers connect anew');
  for (const client of clients) client.close(CLOSE_CODE.restarting, 'Signals were missed.');
}

/** Closes all sockets with a code on which browsers connect again, to another process or to the next one. */
async function closeSockets({ websocketServer: { clients } }: FastifyInstance): Promise<void> {
  const allClosed = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
    let open = clients.size;
    const onClose = () => {
      open -= 1;
      if (open > 0) return;
      clearTimeout(timer);
      resolve();
    };
    for (const client of clients) client.once('close', onClose);
    if (open === 0) onClose();
  });
  for (const client of clients) client.close(CLOSE_CODE.restarting, 'The server restarts.');
  await allClosed;
  for (const client of clients) client.terminate();
}
