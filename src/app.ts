import cors from '@fastify/cors';
import jwt from '@fastify/jwt';
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { integration, integrationRoutes } from './apis/integration/index.ts';
import { mcp } from './apis/mcp/index.ts';
import { mobile, mobileRoutes } from './apis/mobile/index.ts';
import { platform, platformRoutes } from './apis/platform/index.ts';
import { practice, practiceRoutes } from './apis/practice/index.ts';
import { backChannelLogout } from './callbacks/back-channel-logout.ts';
import { carrierWebhook } from './callbacks/carrier.ts';
import { VERSION } from './config/version.ts';
import { unusedKeys } from './http/auth/keys.ts';
import { warnOfUnknownProxies } from './http/auth/unknown-proxies.ts';
import { type EndpointDeps, type Endpoints, endpoints } from './http/endpoints/declare-endpoints.ts';
import { bodyType, type Dialect } from './http/endpoints/dialect.ts';
import {
  frameworkErrors,
  handleErrors,
  handleOtherErrors,
  handleUnknownPaths,
  unreadableRequests,
} from './http/endpoints/error-handlers.ts';
import { recordPaths } from './http/errors/other-methods.ts';
import { oauthRoutes } from './http/oauth/routes.ts';
import { documentDialect, webhookDocument } from './http/openapi/documents.ts';
import { documentPath, RESPONSE_POLICY, serveDocument } from './http/openapi/reference-page.ts';
import { acceptBodies, boundParameters } from './http/requests/bodies.ts';
import { recordClientRequests } from './http/requests/client-requests.ts';
import { compressAnswers } from './http/requests/compression.ts';
import { limitRequestTime } from './http/requests/request-timeouts.ts';
import { crossOriginRules, identifyRequests, limitResponseTime, requestRules, requireOneHost } from './http/requests/requests.ts';
import { setSecurityHeaders } from './http/requests/security-headers.ts';
import { observe, traceRequests } from './http/telemetry/observability.ts';
import { docsPages } from './pages/docs/docs-pages.ts';
import { unknownPages, unreadableLinks } from './pages/failures/failure-pages.ts';
import { pages } from './pages/index.ts';
import { landing } from './pages/landing.ts';
import { visitRequests } from './pages/patients/visit/visit-requests.ts';
import { sandbox } from './pages/sandbox/index.ts';
import { staffPages } from './pages/staff/staff-pages.ts';
import { realtime } from './realtime/index.ts';
import type { RealtimeDeps } from './realtime/realtime-deps.ts';
import { createHttpServices, type HttpServices, type Services } from './services.ts';

export interface AppOptions extends Pick<RealtimeDeps, 'socketLimits'> {
  /** Practices for trying things out: /sandbox shows their patients' phones. */
  testPracticeIds?: readonly number[] | undefined;
  isStopping?: (() => boolean) | undefined;
  /** Writes the documents out of the operations instead of serving the files of `openapi`. */
  writesDocuments?: boolean | undefined;
  /** Milliseconds for the headers of a request to arrive. */
  headersWithinMs?: number | undefined;
}

/** The whole server on one screen: receiving requests, the services, and the routes of the four dialects. */
export async function buildApp(shared: Services, options: AppOptions = {}): Promise<FastifyInstance> {
  const dialects = { integration, practice: practice(shared.config), mobile, platform };
  const { app, paths } = await receiveRequests(shared, dialects, options);
  const services = createHttpServices(app, shared);
  const hasDocs = shared.config.TRIPTYCH_DOCS === 'on';
  openWithServer(app, services);
  paths.refuseOtherMethods(services.limits);

  await app.register((scope) => oauthRoutes(scope, { ...services, db: services.database.prisma }));
  serveKeys(app, services);

  const mount = (dialect: Dialect, routes: (declare: Endpoints) => void) =>
    app.register(
      async (scope) => {
        const { document } = options.writesDocuments ? { document: null } : dialect;
        if (hasDocs && document === null) await documentDialect(scope, dialect, VERSION);
        mountDialect(scope, services, dialect, routes);
        if (hasDocs) serveDocument(app, documentPath(dialect.name), document ?? (() => scope.swagger()));
        const { webhooks } = dialect;
        if (hasDocs && webhooks)
          serveDocument(app, documentPath('webhooks'), document ? 'webhooks.json' : () => webhookDocument(dialect, webhooks(), VERSION));
      },
      { prefix: dialect.prefix },
    );
  await mount(dialects.integration, integrationRoutes);
  await mount(dialects.practice, (declare) => practiceRoutes(declare, services));
  await mount(dialects.mobile, (declare) => mobileRoutes(declare, services));
  await mount(dialects.platform, (declare) => platformRoutes(declare, services));

  await app.register((scope) => mcp(scope, services, mobile));
  await app.register((scope) => pages(scope, services));
  await app.register(async (scope) => landing(scope, { ...services, testPracticeIds: options.testPracticeIds }));
  await app.register((scope) => staffPages(scope, services));
  await app.register((scope) => visitRequests(scope, services));
  await app.register((scope) => realtime(scope, { ...services, socketLimits: options.socketLimits }));
  await app.register((scope) => carrierWebhook(scope, services));
  await app.register((scope) => backChannelLogout(scope, services));
  await app.register((scope) => sandbox(scope, { ...services, testPracticeIds: options.testPracticeIds }));
  await app.register((scope) => docsPages(scope, { ...services, dialects: Object.values(dialects) }));
  paths.complete();
  handleUnknownPaths(app, { dialects, sendPage: unknownPages(services) }, services.limits);
  return app;
}

/** Fastify with the plugins and hooks that apply to every request. */
async function receiveRequests(
  { config, database, keyring, logger, ownOrigin }: Services,
  dialects: Record<Dialect['name'], Dialect>,
  { headersWithinMs, isStopping = () => false }: AppOptions,
) {
  const loggerInstance: FastifyBaseLogger = logger;
  const app: FastifyInstance = Fastify({
    ...requestRules(headersWithinMs),
    loggerInstance,
    trustProxy: config.TRUST_PROXY.length > 0 ? config.TRUST_PROXY : false,
    frameworkErrors: frameworkErrors(dialects, unreadableLinks),
    clientErrorHandler: unreadableRequests(dialects, logger),
  });
  handleOtherErrors(app, dialects);
  const paths = recordPaths(app);
  setSecurityHeaders(app, { contentSecurityPolicy: RESPONSE_POLICY });
  if (config.CORS_ORIGINS.length > 0) await app.register(cors, crossOriginRules(config.CORS_ORIGINS));
  await app.register(jwt, { secret: unusedKeys() });
  app.decorate('origin', ownOrigin.origin);
  app.decorate('hasPublicUrl', config.PUBLIC_URL !== undefined);
  app.decorate('keyring', keyring);
  app.server.once('listening', () => {
    const bound = app.server.address();
    if (bound !== null && typeof bound === 'object') ownOrigin.listensOn(bound.port);
  });
  await acceptBodies(app);
  traceRequests(app);
  identifyRequests(app);
  compressAnswers(app);
  limitRequestTime(app, config.TRANSFER_IDLE_SECONDS * 1000);
  limitResponseTime(app);
  requireOneHost(app);
  boundParameters(app);
  warnOfUnknownProxies(app, database.prisma);
  await observe(app, { ...database, keyring, isStopping }, config);
  return { app, paths };
}

/** The queue is open before the first request, which would otherwise wait for it inside its transaction. */
function openWithServer(app: FastifyInstance, { outbox, streams, eventStreams, requestLog, unitOfWork, logger }: HttpServices): void {
  recordClientRequests(app, requestLog);
  app.addHook('onListen', async () => outbox.open().catch((err: unknown) => logger.warn({ err }, 'the queue cannot be reached yet')));
  // Transactions whose callers have left are finished before the database closes.
  app.addHook('onClose', () => unitOfWork.settled());
  // Streams end before the server waits for open connections.
  app.addHook('preClose', async () => {
    streams.close();
    eventStreams.close();
  });
}

function serveKeys(app: FastifyInstance, { keys }: HttpServices): void {
  app.get('/.well-known/jwks.json', async (_request, reply) => {
    reply.header('cache-control', 'public, max-age=60');
    return keys.jwks();
  });
}

function mountDialect(scope: FastifyInstance, services: EndpointDeps, dialect: Dialect, routes: (declare: Endpoints) => void) {
  scope.removeContentTypeParser(bodyType({ forms: !dialect.forms }));
  handleErrors(scope, dialect);
  routes(endpoints(scope, services, dialect));
}
