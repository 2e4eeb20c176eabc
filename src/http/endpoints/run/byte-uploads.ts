import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { BytesEndpoint, None, RunDeps } from '../endpoint-types.ts';
import { readParts } from './input-parts.ts';
import { checkedJson, send } from './responses.ts';
import { discardRest } from './uploads.ts';

/** Makes a scope leave bodies of every type to their handlers, as streams. @returns the scope */
export function takeBytes(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
  return scope;
}

/** Hands the bytes of a body on as they arrive. The deadline of the response is paused until they are stored. */
export async function runBytes<P extends z.ZodType, Q extends z.ZodType, A extends z.ZodType>(
  deps: RunDeps,
  endpoint: BytesEndpoint<P, Q, A>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const headers: Record<string, string> = {};
  request.deadline.pause();
  // From then on the caller waits for us alone.
  request.raw.once('end', () => endIdleLimit(request));
  try {
    const parts = readParts<P, Q, None>(endpoint, request, reply);
    const wire = await endpoint.receive({ ...parts, deps, caller: request.caller, content: request.raw, headers });
    send(reply, { status: endpoint.status ?? 200, headers, body: checkedJson(endpoint.response, wire, deps.checkResponses) });
  } catch (error) {
    discardRest(request);
    throw error;
  } finally {
    endIdleLimit(request);
    request.deadline.resume();
  }
}

/** A request that the process itself injects has no socket. */
const endIdleLimit = ({ raw }: FastifyRequest) => raw.socket instanceof Socket && raw.setTimeout(0);
