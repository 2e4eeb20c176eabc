import type { CallerIdentity, Role } from '../domain/caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication, before any handler of a protected operation runs. */
    caller: CallerIdentity;
  }

  interface FastifyContextConfig {
    /** The operation needs a token; tests walk all of these. */
    protected?: boolean;
    scope?: string | null;
    roles?: readonly Role[] | null;
  }
}
