import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { HandlingDeps } from './run-endpoint.ts';

/** A GET that is answered in a form of its own: see event-streams.ts and tables.ts, which make these. */
export interface OwnForm {
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  query?: z.ZodType;
  answers: z.ZodType;
  /** Content types. */
  produces: string[];
  /** The answer goes on until one of the two has enough. */
  isStream?: boolean;
  answer(deps: HandlingDeps, request: FastifyRequest, reply: FastifyReply): Promise<void>;
}
