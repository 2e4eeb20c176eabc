import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { Failure } from '../../domain/errors.ts';
import { createRateLimitStore, WINDOW_SECONDS } from '../../domain/identity/limits/rate-limit-store.ts';
import { createRateLimiter } from '../../domain/identity/limits/rate-limiter.ts';
import { toNetwork } from '../../domain/identity/limits/sign-in-limits.ts';
import { readDeviceId } from '../auth/known-devices.ts';

/**
 * What is counted apart: the requests of each client or user; and of each address (of IPv6 its network) those to pages and unknown
 * paths, those to sign in or to get a token, and those with no good token. Patients in a waiting room share an address with the
 * practice's staff and its programs, and must not keep each other out. A device that somebody has signed in from counts by itself,
 * whatever others at its address do.
 */
export type LimitKind = 'caller' | 'address' | 'sign-in' | 'no-token';

/** Requests a minute: over all processes of a database, and of each process alone while the database is unreachable. */
export interface Limits {
  /**
   * Counts a request for its sender.
   * @param sender a client or user; or the request of somebody unknown, which counts for its device or address
   * @throws Failure too_many_requests; sets the RateLimit headers of the IETF draft either way
   */
  spend(kind: LimitKind, sender: string | FastifyRequest, reply: FastifyReply): Promise<void>;
}

export function createLimits(config: Config, { pool }: Database, keyring: Keyring): Limits {
  const take = createRateLimitStore(pool);
  const createLimit = (kind: LimitKind, points: number) => ({
    limiter: createRateLimiter(points, (key, units) => take(keyring.mac('request-limits', `${kind} ${key}`).toString('base64url'), units)),
    policy: `"${kind}";q=${points};w=${WINDOW_SECONDS}`,
  });
  const limits = {
    caller: createLimit('caller', config.RATE_LIMIT),
    address: createLimit('address', config.RATE_LIMIT_ANONYMOUS),
    'sign-in': createLimit('sign-in', config.RATE_LIMIT_ANONYMOUS),
    'no-token': createLimit('no-token', config.RATE_LIMIT_ANONYMOUS),
  };
  const toKey = (request: FastifyRequest): string => {
    const device = readDeviceId(keyring, request);
    return device === null ? toNetwork(request.ip) : `device ${device}`;
  };
  return {
    async spend(kind, sender, reply) {
      const { limiter, policy } = limits[kind];
      const decision = limiter.consume(typeof sender === 'string' ? sender : toKey(sender));
      const { allowed, remaining, resetsInMs } = decision instanceof Promise ? await decision : decision;
      const seconds = Math.max(1, Math.ceil(resetsInMs / 1000));
      reply.header('ratelimit-policy', policy);
      reply.header('ratelimit', `"${kind}";r=${remaining};t=${seconds}`);
      if (!allowed) {
        throw new Failure('too_many_requests', 'rate_limited', 'Too many requests. Wait before you send more.', { retryAfter: seconds });
      }
    },
  };
}
