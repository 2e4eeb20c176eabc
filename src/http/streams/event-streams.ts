import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { CallerIdentity } from '../../domain/caller.ts';
import { Failure } from '../../domain/errors.ts';
import type { CustomEndpoint, None } from '../endpoints/endpoint-types.ts';
import { readParts } from '../endpoints/run/input-parts.ts';

const EVENT_STREAM = 'text/event-stream';

interface StreamInput<Q extends z.ZodType> {
  query: z.output<Q>;
  caller: CallerIdentity;
  /** The caller as its present rights make it. @throws Failure where it has lost them */
  reauthorize(): Promise<CallerIdentity>;
  /** The id of the last event that the caller has received; null for a new reader. */
  lastEventId: string | null;
  /** The expiry of the caller's token, at which the stream ends. */
  endsAt: Date;
}

interface StreamEndpoint<Q extends z.ZodType>
  extends Pick<CustomEndpoint, 'operationId' | 'summary' | 'description' | 'tag' | 'beyondDocument' | 'scope'> {
  query?: Q;
  open: (input: StreamInput<Q>) => Promise<Readable>;
}

/** A GET that responds with server-sent events until the token expires. */
export function eventStream<Q extends z.ZodType = None>(endpoint: StreamEndpoint<Q>): CustomEndpoint {
  return {
    ...endpoint,
    response: z.string(),
    produces: [EVENT_STREAM],
    isStream: true,
    async respond(_deps, request, reply) {
      const { query } = readParts<None, Q, None>(endpoint.query ? { query: endpoint.query } : {}, request, reply);
      // No proxy may buffer the stream.
      reply.type(EVENT_STREAM).header('x-accel-buffering', 'no');
      if (request.method === 'HEAD') {
        reply.send('');
        return;
      }
      const header = request.headers['last-event-id'];
      const lastEventId = typeof header === 'string' && header !== '' ? header : null;
      const { caller } = request;
      const reauthorize = request.reauthorize ?? (async () => caller);
      const events = await endpoint.open({ query, caller, reauthorize, lastEventId, endsAt: tokenEnd(request) });
      if (reply.sent) {
        events.destroy();
        return;
      }
      // The deadline of the response ends here.
      request.deadline.pause();
      reply.send(events);
      // Fastify ends the stream when the client disconnects.
      await finished(reply.raw).catch(() => events.destroy());
    },
  };
}

const expiring = z.object({ exp: z.number() });

/** The expiry of a token that was verified before. */
function tokenEnd({ headers, server }: FastifyRequest): Date {
  const token = headers.authorization?.replace(/^Bearer +/i, '') ?? '';
  const claims = expiring.safeParse(server.jwt.decode(token));
  if (!claims.success) throw new Failure('unauthenticated', 'unauthenticated', 'The token is invalid or has expired.');
  return new Date(claims.data.exp * 1000);
}

export function writeEvent({ id, event, data }: { id: string; event: string; data: object }): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
