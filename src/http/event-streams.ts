import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { CallerIdentity } from '../domain/caller.ts';
import { Failure } from '../domain/errors.ts';
import type { CustomEndpoint } from './endpoint-types.ts';

const EVENT_STREAM = 'text/event-stream';

interface StreamInput {
  caller: CallerIdentity;
  /** The id of the last event that the caller has seen; null for one who begins. */
  lastEventId: string | null;
  /** When the caller's token ends, and the stream with it. */
  endsAt: Date;
}

interface StreamEndpoint extends Pick<CustomEndpoint, 'operationId' | 'summary' | 'description' | 'tag'> {
  open: (input: StreamInput) => Promise<Readable>;
}

/** A GET that is answered with server-sent events, for as long as the token lasts. */
export function eventStream(endpoint: StreamEndpoint): CustomEndpoint {
  return {
    ...endpoint,
    response: z.string(),
    produces: [EVENT_STREAM],
    isStream: true,
    async respond(_deps, request, reply) {
      // Neither proxies nor browsers may keep it, or keep it back.
      reply.type(EVENT_STREAM).header('x-accel-buffering', 'no');
      if (request.method === 'HEAD') {
        reply.send('');
        return;
      }
      const written = request.headers['last-event-id'];
      const lastEventId = typeof written === 'string' && written !== '' ? written : null;
      const events = await endpoint.open({ caller: request.caller, lastEventId, endsAt: tokenEnd(request) });
      if (reply.sent) {
        events.destroy();
        return;
      }
      // From here on nobody waits for an answer.
      request.deadline.pause();
      reply.send(events);
      // Also for who goes away, whose stream Fastify ends then.
      await finished(reply.raw).catch(() => events.destroy());
    },
  };
}

const expiring = z.object({ exp: z.number() });

/** Of a token that was found good before. */
function tokenEnd({ headers, server }: FastifyRequest): Date {
  const token = headers.authorization?.replace(/^Bearer +/i, '') ?? '';
  const claims = expiring.safeParse(server.jwt.decode(token));
  if (!claims.success) throw new Failure('unauthenticated', 'unauthenticated', 'The token is not valid, or no longer.');
  return new Date(claims.data.exp * 1000);
}

/** One event, as it goes over the line. */
export function writeEvent({ id, event, data }: { id: string; event: string; data: object }): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
