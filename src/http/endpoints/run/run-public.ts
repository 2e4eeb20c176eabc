import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { retryOnConnectionLoss } from '../../../database/connections/retry-on-connection-loss.ts';
import type { None, PublicEndpoint, RunDeps } from '../endpoint-types.ts';
import { readParts } from './input-parts.ts';
import { checkedJson, send } from './responses.ts';

/** The response holds secrets of the caller alone: no cache stores it, and no Idempotency-Key does. */
export async function runPublic<B extends z.ZodType, A extends z.ZodType>(
  { checkResponses }: RunDeps,
  endpoint: PublicEndpoint<B, A>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { body } = readParts<None, None, B>(endpoint, request, reply);
  const wire = await retryOnConnectionLoss(() => endpoint.handle({ body, request, reply }));
  send(reply, { status: 200, headers: { 'cache-control': 'no-store' }, body: checkedJson(endpoint.response, wire, checkResponses) });
}
