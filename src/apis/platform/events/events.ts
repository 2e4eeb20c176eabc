import { newestCursor, readEvents } from '../../../domain/events/log/event-log.ts';
import { publicEvent } from '../../../domain/events/public-event.ts';
import { EVENTS_SCOPE } from '../../../domain/identity/clients/client-scopes.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { type EventLogStreams, LATEST } from '../../../http/streams/event-log-streams.ts';
import { eventStream, writeEvent } from '../../../http/streams/event-streams.ts';
import { EventList, eventsQuery, fromPage, streamQuery } from './events.wire.ts';

const EVENTS = { tag: 'Events', beyondDocument: true, scope: EVENTS_SCOPE } as const;

/** The log of changes of the practice, for programs that follow it. */
export function eventRoutes({ get, getCustom }: Endpoints, streams: EventLogStreams): void {
  get('/events', {
    ...EVENTS,
    operationId: 'listEvents',
    summary: 'List the changes in the practice',
    description:
      'Each change once and in order, also those that are committed late: keep `next`, and ask again with it as `after`. Events name the record and the fields that changed, never values; ask for the record in the API that shows it. Events about restricted and blocked charts are left out where the caller may not see them. Events are kept as long as the practice’s policy says, 90 days by default; an older cursor is 410 `cursor_expired`.',
    query: eventsQuery,
    response: EventList,
    handle: async ({ db, caller, query: { after, limit, types, subject, dialect } }) =>
      fromPage(
        await readEvents(db, caller, { after: after === LATEST ? await newestCursor(db) : (after ?? null), limit, names: types, subject }),
        dialect,
      ),
  });

  getCustom(
    '/events/stream',
    eventStream({
      ...EVENTS,
      operationId: 'streamEvents',
      summary: 'Stream the changes in the practice',
      description:
        'Server-sent events: of each, `event` is the type, `data` the event as the list has it, and `id` the cursor after it, which is also an `after`. With Last-Event-ID, or `after` at first, the stream begins after that event; without, with what happens from now on. A comment comes every 15 seconds. A client or user has at most five streams a server, a practice 50, unless the operator allows another number; one more is 429 `too_many_streams`. The stream ends when the token does, or the right to read events; reconnect with a new token.',
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
