import { publicEvent } from '../../../domain/events/public-event.ts';
import { EVENTS_SCOPE } from '../../../domain/identity/clients/client-scopes.ts';
import { newestCursor, readEvents } from '../../../domain/logs/event-log.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { type EventLogStreams, LATEST } from '../../../http/streams/event-log-streams.ts';
import { eventStream, writeEvent } from '../../../http/streams/event-streams.ts';
import { EventList, eventsQuery, fromPage, streamQuery } from './events.wire.ts';

const EVENTS = { tag: 'Events', beyondDocument: true, scope: EVENTS_SCOPE } as const;

/** The log of changes of the practice, for programs that follow it. */
export function eventRoutes({ get, download }: Endpoints, streams: EventLogStreams): void {
  get('/events', {
    ...EVENTS,
    operationId: 'listEvents',
    summary: 'List the changes in the practice',
    description:
      'Returns each change once and in order, including late commits. Store `next` and send it as `after` in the next request. Events name the record and the changed fields, never values; read the record in its API. Events about restricted and blocked charts are omitted unless the caller may see them. Events are kept for the days set by the practice’s policy, 90 by default; 410 `cursor_expired` for an older cursor.',
    query: eventsQuery,
    response: EventList,
    handle: async ({ tx, query: { after, limit, types, subject, dialect } }) =>
      fromPage(
        await readEvents(tx, { after: after === LATEST ? await newestCursor(tx.prisma) : (after ?? null), limit, names: types, subject }),
        dialect,
      ),
  });

  download(
    '/events/stream',
    eventStream({
      ...EVENTS,
      operationId: 'streamEvents',
      summary: 'Stream the changes in the practice',
      description:
        'Server-sent events: `event` is the type, `data` the event as in the list, and `id` the cursor after it, which is also valid as `after`. The stream starts after Last-Event-ID or `after`; without either, with events from now on. A comment is sent every 15 seconds. A client or user may have five streams per server, a practice 50, unless the operator sets another limit (429 `too_many_streams`). The stream ends when the token expires or the right to read events is lost; reconnect with a new token.',
      query: streamQuery,
      open: ({ reauthorize, caller, lastEventId, endsAt, query: { after, types, subject, dialect } }) =>
        streams.follow({
          reauthorize,
          caller,
          ...(lastEventId === null ? { after: after ?? LATEST } : { after: lastEventId, field: 'Last-Event-ID' }),
          endsAt,
          names: types,
          subject,
          write: (event) => writeEvent({ id: event.cursor, event: event.name, data: publicEvent(event, dialect) }),
        }),
    }),
  );
}
