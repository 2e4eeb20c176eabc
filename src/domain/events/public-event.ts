import type { Event } from '../../generated/prisma/client.ts';
import { snakeCase } from '../../records/field.ts';
import { writeInstant } from '../values/time/time.ts';
import type { EventName } from './catalogue.ts';
import { type EventDialect, namesIn } from './dialect-names.ts';

export const eventId = (id: number | bigint): string => `evt_${id}`;

/** An event of the log, with the names of fields as the domain has them. */
export interface InnerEvent extends Pick<Event, 'subjectType' | 'subjectId' | 'changed' | 'actor' | 'requestId' | 'occurredAt'> {
  id: number;
  name: EventName;
}

/** An event as the feed, its stream and webhooks show it. @param dialect in whose names `changed` is; null: in those of the catalogue */
export const publicEvent = (event: InnerEvent, dialect: EventDialect | null = null) => ({
  id: eventId(event.id),
  type: event.name,
  occurred_at: writeInstant(event.occurredAt),
  subject: { type: event.subjectType, id: event.subjectId },
  changed: dialect === null ? event.changed.map(snakeCase) : namesIn(dialect, event.subjectType, event.changed),
  actor: event.actor,
  request_id: event.requestId,
});
