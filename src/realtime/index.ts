import websocket from '@fastify/websocket';
import type { FastifyInstance } from 'fastify';
import { answerOwnScripts } from '../http/pages/own-scripts.ts';
import { SIGNAL_PATH } from '../http/requests/requests.ts';
import { createSignalBus } from './bus/signal-bus.ts';
import { SOCKET_LIMITS } from './connections/browser-socket.ts';
import { serveConnection } from './connections/connection.ts';
import { startHeartbeat } from './connections/heartbeat.ts';
import { CLOSE_CODE, MAX_MESSAGE_BYTES } from './protocol.ts';
import type { RealtimeDeps } from './realtime-deps.ts';
import { createRoomRegistry } from './room-registry.ts';

/** Milliseconds that browsers have to answer a close when the server stops. */
const CLOSE_TIMEOUT_MS = 1_000;

/** The WebSocket through which browsers in a session exchange signals. */
export async function realtime(app: FastifyInstance, deps: RealtimeDeps): Promise<void> {
  const signalBus = createSignalBus(deps.database, app.log);
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
  answerOwnScripts(app, deps);
  const connectionDeps = { ...deps, signalBus, roomRegistry, heartbeat, socketLimits: deps.socketLimits ?? SOCKET_LIMITS };
  app.get(SIGNAL_PATH, { websocket: true }, (socket, request) => serveConnection(socket, request, connectionDeps));
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
  for (const client of clients) client.close(CLOSE_CODE.restarting, 'The server is restarting.');
  await allClosed;
  for (const client of clients) client.terminate();
}
