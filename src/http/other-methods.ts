import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Failure } from '../domain/errors.ts';
import type { Limits } from './limits.ts';

/** The methods that Fastify routes. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const;

/** A path that is served, with the methods that it takes. */
interface ServedPath {
  /** The plugin that declares it, whose error handler writes its failures. */
  scope: FastifyInstance;
  /** Below the prefix of the scope, with parameters as `:name`. */
  path: string;
  /** The whole path. */
  url: string;
  methods: Set<string>;
}

/** The paths that a server has. */
export interface ServedPaths {
  /** Registers a refusal for each method that a path does not take. To be called once, after all routes. */
  refuseOtherMethods(limits: Limits): void;
  /** The methods of the path of a request that Fastify did not route because of its method, for Allow; null for any other request. */
  methodsOf(request: FastifyRequest): string | null;
}

/** Records the paths of all routes that are declared from now on. */
export function recordPaths(app: FastifyInstance): ServedPaths {
  const paths = new Map<string, ServedPath>();
  let isComplete = false;
  app.addHook('onRoute', function recordPath({ method, url, routePath }) {
    if (isComplete || url.includes('*')) return;
    const key = withoutNames(url);
    const served = paths.get(key) ?? { scope: this, path: routePath, url, methods: new Set() };
    for (const one of [method].flat()) served.methods.add(one.toUpperCase());
    paths.set(key, served);
  });
  return {
    refuseOtherMethods(limits) {
      isComplete = true;
      for (const served of paths.values()) refuseOthers(served, limits);
    },
    methodsOf({ method, url }) {
      if (METHODS.some((routed) => routed === method)) return null;
      const [path = ''] = url.split('?');
      const served = [...paths.values()].find((one) => patternOf(one).test(path));
      return served ? writeMethods(served) : null;
    },
  };
}

/** A path without a slash at its end and without the names of its parameters. */
const withoutNames = (url: string): string => url.replace(/(?<=.)\/$/, '').replaceAll(/:\w+/g, ':');

const patternOf = ({ url }: ServedPath): RegExp =>
  new RegExp(`^${url.replace(/\/$/, '').replaceAll(/:\w+(\([^)]*\))?/g, (_, pattern = '[^/]+') => String(pattern))}/?$`);

const writeMethods = ({ methods }: ServedPath): string => METHODS.filter((method) => methods.has(method)).join(', ');

/** The method is refused before the caller is identified and before the body is read, since neither could change it. */
function refuseOthers(served: ServedPath, limits: Limits): void {
  const allow = writeMethods(served);
  served.scope.route({
    method: METHODS.filter((method) => !served.methods.has(method)),
    url: served.path,
    exposeHeadRoute: false,
    schema: { hide: true },
    config: { isRefusal: true },
    onRequest: async (request, reply) => {
      if (reply.getHeader('ratelimit') === undefined) await limits.spend('address', request.ip, reply);
      throw methodNotAllowed(allow);
    },
    handler: async () => {
      throw methodNotAllowed(allow);
    },
  });
}

/** @param allow the methods that the path takes (RFC 9110 15.5.6) */
export const methodNotAllowed = (allow: string): Failure =>
  new Failure('method_not_allowed', 'method_not_allowed', `This path takes ${allow.replace(/, (\w+)$/, ' or $1')} only.`, {
    headers: { allow },
  });
