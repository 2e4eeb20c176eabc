import { writeInstant } from '../values/time.ts';
import type { EventName } from './catalogue.ts';

/** The id of an event as readers outside have it. */
export const eventId = (id: number | bigint): string => `evt_${id}`;

/** The name of a field as readers outside have it: `startsAt` is `starts_at`. */
export const publicName = (field: string): string => field.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** An event of the log, with the names of fields as the domain has them. */
export interface InnerEvent {
  id: number;
  name: EventName;
  subjectType: string;
  subjectId: number;
  changed: string[];
  actor: string;
  requestId: string | null;
  occurredAt: Date;
}

/** An event as the feed, its stream and webhooks show it. */
export const publicEvent = (event: InnerEvent) => ({
  id: eventId(event.id),
  type: event.name,
  occurred_at: writeInstant(event.occurredAt),
  subject: { type: event.subjectType, id: event.subjectId },
  changed: event.changed.map(publicName),
  actor: event.actor,
  request_id: event.requestId,
});
