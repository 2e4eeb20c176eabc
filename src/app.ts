import cors from '@fastify/cors';
import formbody from '@fastify/formbody';
import helmet from '@fastify/helmet';
import jwt from '@fastify/jwt';
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { integration, integrationRoutes } from './apis/integration/index.ts';
import { mobile, mobileRoutes } from './apis/mobile/index.ts';
import { practice, practiceRoutes } from './apis/practice/index.ts';
import type { Config } from './config.ts';
import type { Database } from './database.ts';
import { createSignInLimits } from './domain/identity/sign-in-limits.ts';
import { createWork } from './domain/work.ts';
import { createAuthenticator } from './http/authenticate.ts';
import type { Dialect } from './http/dialect.ts';
import { type Endpoints, endpoints } from './http/endpoints.ts';
import { answerFailures, answerUnknownPaths, frameworkErrors } from './http/failing.ts';
import { createKeys, unusedKeys } from './http/keys.ts';
import { createLimits } from './http/limits.ts';
import { oauthRoutes } from './http/oauth.ts';
import { observe } from './http/observability.ts';
import { documentDialect } from './http/openapi.ts';
import { documentPath, referencePage } from './http/reference.ts';
import { REQUEST_RULES, acceptBodies, identifyRequests } from './http/requests.ts';
import { createTokens } from './http/tokens.ts';
import type { Keyring } from './keyring.ts';
import { VERSION } from './version.ts';

export interface AppDeps {
  config: Config;
  database: Database;
  keyring: Keyring;
  logger: FastifyBaseLogger;
}

/** The whole server on one screen. */
export async function buildApp({ config, database, keyring, logger }: AppDeps): Promise<FastifyInstance> {
  const dialects = { integration, practice: practice(config.API_VARIANTS), mobile };
  const trustProxy = config.TRUST_PROXY.length > 0 ? config.TRUST_PROXY : false;
  const app = Fastify({ ...REQUEST_RULES, loggerInstance: logger, trustProxy, frameworkErrors: frameworkErrors(dialects) });

  await app.register(helmet, { contentSecurityPolicy: false });
  if (config.CORS_ORIGINS.length > 0) await app.register(cors, { origin: config.CORS_ORIGINS, maxAge: 600 });
  await app.register(formbody);
  await app.register(jwt, { secret: unusedKeys() });
  acceptBodies(app);
  identifyRequests(app);
  observe(app, database);

  const keys = createKeys(database.prisma, keyring);
  const tokens = createTokens(app, keys);
  const authenticator = createAuthenticator(database.prisma, tokens);
  const limits = createLimits(config);
  const signInLimits = createSignInLimits(database.pool, keyring, config);
  const work = createWork(database);
  const checkAnswers = config.NODE_ENV !== 'production';

  await app.register((scope) => oauthRoutes(scope, { db: database.prisma, tokens, authenticator, signInLimits, limits }));
  app.get('/.well-known/jwks.json', { schema: { hide: true } }, () => keys.jwks());

  const mount = (dialect: Dialect, routes: (declare: Endpoints) => void) =>
    app.register(
      async (scope) => {
        answerFailures(scope, dialect);
        await documentDialect(scope, dialect, VERSION);
        routes(endpoints(scope, { work, authenticator, limits, checkAnswers }, dialect));
        app.get(documentPath(dialect.name), { schema: { hide: true } }, () => scope.swagger());
      },
      { prefix: dialect.prefix },
    );
  await mount(dialects.integration, integrationRoutes);
  await mount(dialects.practice, practiceRoutes);
  await mount(dialects.mobile, (declare) => mobileRoutes(declare, { database, work, keyring, tokens, authenticator, signInLimits }));

  await referencePage(app, Object.values(dialects));
  answerUnknownPaths(app, dialects);
  return app;
}
