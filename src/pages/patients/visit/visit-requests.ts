import type { FastifyInstance } from 'fastify';
import { answerOwnScripts } from '../../../http/pages/own-scripts.ts';
import type { RealtimeDeps } from '../../../realtime/realtime-deps.ts';
import { joinRoutes } from './join-routes.ts';
import { leaveRoutes } from './leave-routes.ts';

/** The requests of the scripts of visit pages and waiting rooms: to join, and to leave when the page is closed. */
export async function visitRequests(app: FastifyInstance, deps: RealtimeDeps): Promise<void> {
  answerOwnScripts(app, deps);
  joinRoutes(app, deps);
  await app.register(leaveRoutes, deps);
}
