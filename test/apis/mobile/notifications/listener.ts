import { type EventListener, listenTo } from '../../../support/event-listener.ts';

/** A notification as the stream tells of it. */
interface HeardNotification {
  uuid: number;
  kind: string;
  subject: { type: string; uuid: number };
  created_at: string;
}

export type Listener = EventListener<HeardNotification>;

/** A client of the stream of notifications. */
export const listen = (address: string, token: string, lastEventId?: string): Promise<Listener> =>
  listenTo(`${address}/notifications/stream`, token, lastEventId);
