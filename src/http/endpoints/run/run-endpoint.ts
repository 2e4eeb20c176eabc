import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { retryOnConnectionLoss } from '../../../database/connections/retry-on-connection-loss.ts';
import type { Endpoint, LookupEndpoint, None, PublicEndpoint, RunDeps } from '../endpoint-types.ts';
import { runDownload } from './downloads.ts';
import { readParts } from './input-parts.ts';
import { runMedia } from './media-uploads.ts';
import { checkedJson, send } from './responses.ts';
import { runRead } from './run-read.ts';
import { runWrite } from './run-write.ts';
import { runUpload } from './uploads.ts';

/** Runs an endpoint of any kind for a request that was authorized: reads its input, calls its handler, sends the response. */
export function runEndpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, F extends z.ZodObject, X>(
  deps: RunDeps,
  endpoint: Endpoint<P, Q, B, A, F, X>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  switch (endpoint.kind) {
    case 'read':
      return runRead(deps, endpoint, request, reply);
    case 'write':
      return endpoint.lookup ? runAfterLookup(deps, endpoint, request, reply) : runWrite(deps, endpoint, request, reply, {});
    case 'upload':
      return runUpload(deps, endpoint, request, reply);
    case 'media':
      return runMedia(deps, endpoint, request, reply);
    case 'download':
      return runDownload(deps, endpoint, request, reply);
    case 'custom':
      return endpoint.respond(deps, request, reply);
    case 'public':
      return runPublic(deps, endpoint, request, reply);
  }
}

async function runAfterLookup<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType, L>(
  deps: RunDeps,
  endpoint: LookupEndpoint<P, Q, B, A, L>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const lookupResult = await endpoint.lookup(readParts(endpoint, request, reply));
  await runWrite(deps, endpoint, request, reply, { lookupResult });
}

/** The response holds secrets of the caller alone: no cache stores it, and no Idempotency-Key does. */
async function runPublic<B extends z.ZodType, A extends z.ZodType>(
  { checkResponses }: RunDeps,
  endpoint: PublicEndpoint<B, A>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { body } = readParts<None, None, B>(endpoint, request, reply);
  const wire = await retryOnConnectionLoss(() => endpoint.handle({ body, request, reply }));
  send(reply, { status: 200, headers: { 'cache-control': 'no-store' }, body: checkedJson(endpoint.response, wire, checkResponses) });
}
