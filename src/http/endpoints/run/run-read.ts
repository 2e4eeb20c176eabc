import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { ReadEndpoint, RunDeps } from '../endpoint-types.ts';
import { readParts } from './input-parts.ts';
import { checkedJson, send, sendIfChanged } from './responses.ts';

/** Responds to a GET or HEAD. */
export async function runRead<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  { unitOfWork, checkResponses }: RunDeps,
  endpoint: ReadEndpoint<P, Q, B, A>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const parts = readParts(endpoint, request, reply);
  // Serialized before the audit is stored, so that the rows of a long list are not kept in memory until then.
  const headers = {};
  const body = await unitOfWork.read(request.caller, async (tx) =>
    checkedJson(endpoint.response, await endpoint.handle({ ...parts, tx, headers }), checkResponses),
  );
  if (endpoint.etag) sendIfChanged(request, reply.headers(headers), body);
  else send(reply, { status: 200, headers, body });
}
