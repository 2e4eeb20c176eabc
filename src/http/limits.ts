import type { FastifyReply } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Config } from '../config.ts';
import { Failure } from '../domain/errors.ts';
import { networkOf } from '../domain/identity/sign-in-limits.ts';

const WINDOW_SECONDS = 60;

/** Requests a minute, for each client or user, and for each address that showed no good token (of IPv6 its network). */
export interface Limits {
  /** @throws Failure too_many_requests; sets the RateLimit headers of the IETF draft either way */
  spend(kind: 'caller' | 'address', key: string, reply: FastifyReply): Promise<void>;
}

export function createLimits(config: Config): Limits {
  const points = { caller: config.RATE_LIMIT, address: config.RATE_LIMIT_ANONYMOUS };
  const limiters = {
    caller: new RateLimiterMemory({ points: points.caller, duration: WINDOW_SECONDS }),
    address: new RateLimiterMemory({ points: points.address, duration: WINDOW_SECONDS }),
  };
  return {
    async spend(kind, key, reply) {
      const outcome = await limiters[kind].consume(kind === 'address' ? networkOf(key) : key, 1).catch((rejection: unknown) => {
        if (rejection instanceof RateLimiterRes) return rejection;
        throw rejection;
      });
      const seconds = Math.max(1, Math.ceil(outcome.msBeforeNext / 1000));
      reply.header('ratelimit-policy', `"${kind}";q=${points[kind]};w=${WINDOW_SECONDS}`);
      reply.header('ratelimit', `"${kind}";r=${Math.max(0, outcome.remainingPoints)};t=${seconds}`);
      if (outcome.consumedPoints > points[kind]) {
        throw new Failure('too_many_requests', 'rate_limited', 'Too many requests. Wait before you send more.', { retryAfter: seconds });
      }
    },
  };
}
