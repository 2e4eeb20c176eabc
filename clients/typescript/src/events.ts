import type { Client } from './client.ts';
import { TriptychError } from './errors.ts';
import { isPassing, sleep } from './retries.ts';
import type { Store } from './stores.ts';

/** A change of a record, as the feed, the stream and webhooks have it. There will be more types, and more members. */
export interface TriptychEvent {
  id: string;
  /** Such as `appointment.moved`. */
  type: string;
  occurred_at: string;
  subject: { type: string; id: number };
  /** Names of the fields that changed, never their values. */
  changed: string[];
  actor: string;
  request_id: string | null;
}

export interface FollowOptions {
  client: Client;
  /** Keeps the cursor, so that the next run goes on after the last event that was dealt with. */
  cursor?: Store;
  /** Where to begin without a kept cursor: `latest` (by default), a cursor such as that of an export, or `oldest`. */
  after?: string;
  /** Names and patterns such as `appointment.*`; all by default. */
  types?: readonly string[];
  /** One record, such as `patient:12`. */
  subject?: string;
  signal?: AbortSignal;
}

interface Feed {
  data: TriptychEvent[];
  next: string;
  has_more: boolean;
}

const URL_OF_FEED = '/platform/v1/events';

/**
 * What has happened since the cursor, and ends there. An event counts as dealt with when the next one is asked for: a program that
 * stops in between sees it again. @throws TriptychError cursor_expired (410): read all records again, and begin at `latest`
 */
export async function* changes({ client, cursor, after = 'latest', types, subject, signal }: FollowOptions): AsyncGenerator<TriptychEvent> {
  let at = (await cursor?.get()) ?? after;
  for (;;) {
    const query = { limit: 500, types: types?.join(','), subject, after: at === 'oldest' ? undefined : at };
    const page = await client.get<{ 200: Feed }>({ url: URL_OF_FEED, query, ...(signal ? { signal } : {}) });
    yield* page.data;
    at = page.next;
    await cursor?.set(at);
    if (!page.has_more) return;
  }
}

/**
 * What has happened since the cursor, and then what happens, without an end. Lost connections are opened again after a while.
 * @throws TriptychError as `changes`, and where the client may not read events
 */
export async function* follow(options: FollowOptions): AsyncGenerator<TriptychEvent> {
  const { client, types, subject, signal } = options;
  const cursor = options.cursor ?? cursorIn(options.after);
  const query = { types: types?.join(','), subject };
  for (let failures = 0; ; ) {
    try {
      yield* changes({ ...options, cursor });
      const headers = { accept: 'text/event-stream', 'Last-Event-ID': await cursor.get() };
      for await (const { id, data } of await client.sse.get({
        url: `${URL_OF_FEED}/stream`,
        query,
        headers,
        ...(signal ? { signal } : {}),
      })) {
        failures = 0;
        if (data !== null) yield data;
        await cursor.set(id);
      }
    } catch (error) {
      if (signal?.aborted || (error instanceof TriptychError && !isPassing(error.status))) throw error;
      failures += 1;
    }
    await sleep(Math.min(30_000, 500 * 2 ** failures) * Math.random(), signal);
  }
}

function cursorIn(after: string | undefined): Store {
  let at = after ?? null;
  return {
    get: () => at,
    set: (value) => {
      at = value;
    },
  };
}
