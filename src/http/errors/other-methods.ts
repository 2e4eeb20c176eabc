import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../../domain/errors.ts';
import type { Limits } from '../requests/limits.ts';

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
  /** An operation of an API: its scope adds nothing to an answer but the form of its failures. */
  isOperation: boolean;
  methods: Set<string>;
}

/** The addresses below a prefix, for one method, such as those of the files of the reference page. */
interface Wildcard {
  prefix: string;
  method: string;
}

export interface ServedPaths {
  /** Refuses every method that a path does not take. To be called before the routes are declared, after the hooks of every request. */
  refuseOtherMethods(limits: Limits): void;
  /** Registers the refusals that have to be routes. To be called once, after all routes. */
  complete(): void;
}

/**
 * Records the paths of all routes that are declared from now on. A route for each method that a path does not take would be four fifths
 * of all routes. So most refusals are no routes: a request that was not routed is refused if a path is served at its address.
 */
export function recordPaths(app: FastifyInstance): ServedPaths {
  const paths = new Map<string, ServedPath>();
  const wildcards: Wildcard[] = [];
  let limits: Limits | undefined;
  let isComplete = false;
  let find: Find | undefined;
  const findServed: Find = (address) => {
    find ??= finder([...paths.values()]);
    return find(address);
  };
  app.addHook('onRoute', function recordPath({ method, url, routePath, schema }) {
    if (isComplete) return;
    const methods = [method].flat().map((one) => one.toUpperCase());
    if (url.includes('*')) {
      wildcards.push(...methods.map((one) => ({ prefix: url.replace(/[:*].*$/, ''), method: one })));
      return;
    }
    const key = withoutNames(url);
    const isOperation = schema?.operationId !== undefined;
    const served = paths.get(key) ?? { scope: this, path: routePath, url, isOperation, methods: new Set() };
    for (const one of methods) served.methods.add(one);
    paths.set(key, served);
  });
  return {
    refuseOtherMethods(spent) {
      limits = spent;
      app.addHook('onRequest', async (request, reply) => {
        if (!request.is404) return;
        const served = findServed(request.url);
        if (served) await refuse(served, spent, request, reply);
      });
    },
    complete() {
      isComplete = true;
      if (limits) registerRefusals([...paths.values()], wildcards, limits, findServed);
    },
  };
}

/** A path without a slash at its end and without the names of its parameters. */
const withoutNames = (url: string): string => url.replace(/(?<=.)\/$/, '').replaceAll(/:\w+/g, ':');

type Find = (address: string) => ServedPath | undefined;

/** Finds the path that is served at an address as the router would: of several, one with words before one with parameters. */
function finder(paths: readonly ServedPath[]): Find {
  const writeKinds = ({ url }: ServedPath): string =>
    splitSegments(url)
      .map((one) => (one.includes(':') ? (one.includes('(') ? 1 : 2) : 0))
      .join('');
  const patterns = paths
    .map((served) => ({ served, kinds: writeKinds(served), pattern: toPattern(served) }))
    .toSorted((one, other) => (one.kinds < other.kinds ? -1 : Number(one.kinds > other.kinds)));
  return (address) => {
    // The router has refused what cannot be decoded.
    const path = decodeURI(address.split(/[?#]/)[0] ?? '');
    return patterns.find(({ pattern }) => pattern.test(path))?.served;
  };
}

const toPattern = ({ url }: ServedPath): RegExp =>
  new RegExp(`^${url.replace(/\/$/, '').replaceAll(/:\w+(\([^)]*\))?/g, (_, pattern = '[^/]+') => String(pattern))}/?$`);

const splitSegments = (url: string): string[] => url.replace(/\/$/, '').split('/');

const writeMethods = ({ methods }: ServedPath): string => METHODS.filter((method) => methods.has(method)).join(', ');

/**
 * A page's refusal is a route, since its scope has hooks of its own. So is one of a path whose addresses another path has too, with
 * that method: the router would take them for the other path's.
 */
function registerRefusals(paths: readonly ServedPath[], wildcards: readonly Wildcard[], limits: Limits, find: Find): void {
  const split = paths.map((served) => ({ served, segments: splitSegments(served.url) }));
  const byLength = Map.groupBy(split, ({ segments }) => segments.length);
  for (const { served, segments } of split) {
    const others = (byLength.get(segments.length) ?? []).filter(
      (other) => other.served !== served && isOverlapping(segments, other.segments),
    );
    const taken = new Set([
      ...others.flatMap((other) => [...other.served.methods]),
      ...wildcards.filter(({ prefix }) => served.url.startsWith(prefix)).map(({ method }) => method),
    ]);
    registerRefusal(
      served,
      METHODS.filter((method) => !served.methods.has(method) && (!served.isOperation || taken.has(method))),
      limits,
      find,
    );
  }
}

/** Whether an address may be one of both paths. */
const isOverlapping = (some: readonly string[], others: readonly string[]): boolean =>
  some.every((one, index) => {
    const other = others[index] ?? '';
    if (one === other) return true;
    const [start = '', rest] = one.split(':');
    const [otherStart = '', otherRest] = other.split(':');
    if (rest === undefined) return otherRest !== undefined && mayBe(other, one);
    return otherRest === undefined ? mayBe(one, other) : start.startsWith(otherStart) || otherStart.startsWith(start);
  });

/** Whether a word may stand for a part of a path with a parameter, which may have a pattern. */
const mayBe = (part: string, word: string): boolean =>
  new RegExp(`^${part.replaceAll(/:\w+(\([^)]*\))?/g, (_, pattern = '.*') => String(pattern))}$`).test(word);

function registerRefusal(served: ServedPath, method: (typeof METHODS)[number][], limits: Limits, find: Find): void {
  if (method.length === 0) return;
  served.scope.route({
    method,
    url: served.path,
    exposeHeadRoute: false,
    schema: { hide: true },
    config: { isRefusal: true },
    // Of a word that another path has in the place of the parameter, that path's methods are meant.
    onRequest: (request, reply) => refuse(find(request.url) ?? served, limits, request, reply),
    handler: (request, reply) => refuse(find(request.url) ?? served, limits, request, reply),
  });
}

/** The method is refused before the caller is identified and before the body is read, since neither could change it. */
async function refuse(served: ServedPath, limits: Limits, request: FastifyRequest, reply: FastifyReply): Promise<never> {
  request.refusedUrl = served.url;
  if (reply.getHeader('ratelimit') === undefined) await limits.spend('address', request, reply);
  throw methodNotAllowed(writeMethods(served));
}

/** @param allow the methods that the path takes (RFC 9110 15.5.6) */
const methodNotAllowed = (allow: string): Failure =>
  new Failure('method_not_allowed', 'method_not_allowed', `This path accepts ${allow.replace(/, (\w+)$/, ' or $1')} only.`, {
    headers: { allow },
  });
