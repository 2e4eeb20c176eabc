import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Endpoint, RunDeps } from '../endpoint-types.ts';
import { runBytes } from './byte-uploads.ts';
import { runDownload } from './downloads.ts';
import { runMedia } from './media-uploads.ts';
import { runPublic } from './run-public.ts';
import { runRead } from './run-read.ts';
import { runAfterLookup, runWrite } from './run-write.ts';
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
    case 'bytes':
      return runBytes(deps, endpoint, request, reply);
    case 'download':
      return runDownload(deps, endpoint, request, reply);
    case 'custom':
      return endpoint.respond(deps, request, reply);
    case 'public':
      return runPublic(deps, endpoint, request, reply);
  }
}
