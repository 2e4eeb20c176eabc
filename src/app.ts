import cors from '@fastify/cors';
import formbody from '@fastify/formbody';
import jwt from '@fastify/jwt';
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { integration, integrationRoutes } from './apis/integration/index.ts';
import { mobile, mobileRoutes } from './apis/mobile/index.ts';
import { practice, practiceRoutes } from './apis/practice/index.ts';
import type { Config } from './config/config.ts';
import { VERSION } from './config/version.ts';
import type { Database } from './database/database.ts';
import type { Keyring } from './database/keyring.ts';
import { createSignInLimits } from './domain/identity/sign-in-limits.ts';
import { createUnitOfWork } from './domain/unit-of-work/unit-of-work.ts';
import { createGateways } from './gateways/gateways.ts';
import { documentPath, RESPONSE_POLICY, referencePage } from './http/api-reference.ts';
import { createAuthenticator } from './http/authenticate.ts';
import { type EndpointDeps, type Endpoints, endpoints } from './http/declare-endpoints.ts';
import { bodyType, type Dialect } from './http/dialect.ts';
import { frameworkErrors, handleErrors, handleUnknownPaths, unreadableRequests } from './http/error-handlers.ts';
import { createKeys, unusedKeys } from './http/keys.ts';
import { createLimits } from './http/limits.ts';
import { createNotificationStreams } from './http/notification-streams.ts';
import { oauthRoutes } from './http/oauth.ts';
import { observe } from './http/observability.ts';
import { documentDialect } from './http/openapi.ts';
import { limitRequestTime } from './http/request-timeouts.ts';
import { acceptBodies, crossOriginRules, identifyRequests, limitResponseTime, REQUEST_RULES } from './http/requests.ts';
import { setSecurityHeaders } from './http/security-headers.ts';
import { createTokens } from './http/tokens.ts';
import { createOutbox } from './jobs/queue.ts';
import { pages } from './pages/index.ts';
import { sandbox } from './pages/sandbox/index.ts';
import { type RoomDeps, rooms } from './realtime/index.ts';
import { carrierWebhook } from './webhooks/carrier.ts';

export interface AppDeps extends Pick<RoomDeps, 'roomPatience'> {
  config: Config;
  database: Database;
  keyring: Keyring;
  logger: FastifyBaseLogger;
  /** Of the demo, where its practices are in this database: /sandbox shows their patients' phones. */
  demoPracticeIds?: readonly number[] | undefined;
}

/** The whole server on one screen: how requests are received, what serves them, and where the three dialects hang. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const dialects = { integration, practice: practice(deps.config.API_VARIANTS), mobile };
  const app = await receiveRequests(deps, dialects);
  const services = createServices(app, deps);

  await app.register((scope) => oauthRoutes(scope, { ...services, db: deps.database.prisma }));
  app.get('/.well-known/jwks.json', { schema: { hide: true } }, async (_request, reply) => {
    reply.header('cache-control', 'public, max-age=60');
    return services.keys.jwks();
  });

  const mount = (dialect: Dialect, routes: (declare: Endpoints) => void) =>
    app.register(
      async (scope) => {
        await mountDialect(scope, services, dialect, routes);
        app.get(documentPath(dialect.name), { schema: { hide: true } }, () => scope.swagger());
      },
      { prefix: dialect.prefix },
    );
  await mount(dialects.integration, integrationRoutes);
  await mount(dialects.practice, (declare) => practiceRoutes(declare, deps));
  await mount(dialects.mobile, (declare) => mobileRoutes(declare, { ...deps, ...services }));

  await app.register((scope) => pages(scope, { ...deps, ...services }));
  await app.register((scope) => rooms(scope, { ...deps, ...services }));
  await app.register((scope) => carrierWebhook(scope, { ...deps, ...services }));
  await app.register((scope) => sandbox(scope, { ...deps, ...services }));
  await referencePage(app, Object.values(dialects));
  handleUnknownPaths(app, dialects, services.limits);
  return app;
}

/** What holds for every request, whatever it asks for. */
async function receiveRequests({ config, database, logger }: AppDeps, dialects: Record<Dialect['name'], Dialect>) {
  const app: FastifyInstance = Fastify({
    ...REQUEST_RULES,
    loggerInstance: logger,
    trustProxy: config.TRUST_PROXY.length > 0 ? config.TRUST_PROXY : false,
    frameworkErrors: frameworkErrors(dialects),
    clientErrorHandler: unreadableRequests(dialects, logger),
  });
  setSecurityHeaders(app, { contentSecurityPolicy: RESPONSE_POLICY });
  if (config.CORS_ORIGINS.length > 0) await app.register(cors, crossOriginRules(config.CORS_ORIGINS));
  await app.register(formbody);
  await app.register(jwt, { secret: unusedKeys() });
  app.decorate('publicUrl', config.PUBLIC_URL ?? null);
  acceptBodies(app);
  identifyRequests(app);
  limitRequestTime(app, config.TRANSFER_IDLE_SECONDS * 1000);
  limitResponseTime(app);
  observe(app, database);
  return app;
}

/** What the dialects share, once a process. */
function createServices(app: FastifyInstance, { config, database, keyring, logger }: AppDeps) {
  const keys = createKeys(database.prisma, keyring);
  const tokens = createTokens(app, keys);
  const gateways = createGateways(config, database, keyring);
  return {
    keys,
    tokens,
    gateways,
    store: { db: database.prisma, files: gateways.files },
    transferIdleMs: config.TRANSFER_IDLE_SECONDS * 1000,
    authenticator: createAuthenticator(database.prisma, tokens),
    limits: createLimits(config, database, keyring),
    signInLimits: createSignInLimits(database.pool, keyring, config),
    streams: openStreams(app, database, logger),
    unitOfWork: createUnitOfWork(database, openOutbox(app, database, logger).enqueue),
    checkResponses: config.NODE_ENV !== 'production',
  };
}

/** Where requests leave their jobs. It is open before the first of them, which would else wait for it inside its transaction. */
function openOutbox(app: FastifyInstance, database: Database, logger: FastifyBaseLogger) {
  const outbox = createOutbox(database, logger);
  app.addHook('onListen', async () => outbox.open().catch((err: unknown) => logger.warn({ err }, 'the queue cannot be reached yet')));
  app.addHook('onClose', () => outbox.close());
  return outbox;
}

/** They end before the server waits for what is open. */
function openStreams(app: FastifyInstance, { prisma }: Database, logger: FastifyBaseLogger) {
  const streams = createNotificationStreams(prisma, logger);
  app.addHook('preClose', async () => streams.close());
  return streams;
}

/** One dialect: its errors, its document, its operations. */
async function mountDialect(scope: FastifyInstance, services: EndpointDeps, dialect: Dialect, routes: (declare: Endpoints) => void) {
  scope.removeContentTypeParser(bodyType({ forms: !dialect.forms }));
  handleErrors(scope, dialect);
  await documentDialect(scope, dialect, VERSION);
  routes(endpoints(scope, services, dialect));
}
