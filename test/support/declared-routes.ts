import { subscribe } from 'node:diagnostics_channel';
import type { FastifyContextConfig, FastifyInstance, FastifySchema } from 'fastify';
import { z } from 'zod';

/** A route as a server declared it. */
export interface DeclaredRoute {
  method: string;
  /** With `:names`. */
  url: string;
  prefix: string;
  schema: FastifySchema;
  config: FastifyContextConfig;
}

const initialization = z.object({ fastify: z.custom<FastifyInstance>() });
const declared = new WeakMap<FastifyInstance, DeclaredRoute[]>();

// Fastify publishes each new server before it has routes.
subscribe('fastify.initialization', (message) => {
  const { fastify } = initialization.parse(message);
  const routes: DeclaredRoute[] = [];
  declared.set(fastify, routes);
  fastify.addHook('onRoute', ({ method, url, prefix, schema = {}, config = {} }) => {
    // Methods that a path does not take are routes too, but no operations.
    if (config.isRefusal) return;
    for (const one of [method].flat()) routes.push({ method: one, url, prefix, schema, config });
  });
});

/** All routes of a server, however they were declared. */
export const declaredRoutes = (app: FastifyInstance): readonly DeclaredRoute[] => declared.get(app) ?? [];
