import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { RunDeps } from './run-endpoint.ts';

/** A GET that is answered in a form of its own: see event-streams.ts and tables.ts, which make these. */
export interface CustomResponse {
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  query?: z.ZodType;
  response: z.ZodType;
  /** Content types. */
  produces: string[];
  /** The answer goes on until one of the two has enough. */
  isStream?: boolean;
  answer(deps: RunDeps, request: FastifyRequest, reply: FastifyReply): Promise<void>;
}
