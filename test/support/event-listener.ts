import { get, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

/** One event of a stream, as it came. */
export interface HeardEvent<D> {
  id: string;
  event: string;
  data: D;
}

/** A client of a stream of server-sent events. */
export interface EventListener<D> {
  status: number;
  headers: IncomingHttpHeaders;
  events: HeardEvent<D>[];
  /** The id that a browser would send when it comes back. */
  lastEventId(): string | null;
  /** The received text. */
  text(): string;
  /** Resolves when either side has ended the stream. */
  ended: Promise<void>;
  leave(): void;
}

/** On a connection of its own. */
export async function listenTo<D>(url: string, token: string, lastEventId?: string): Promise<EventListener<D>> {
  const headers = { authorization: `Bearer ${token}`, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) };
  const request = get(url, { headers, agent: false });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => request.once('response', resolve).once('error', reject));
  answer.setEncoding('utf8');
  const events: HeardEvent<D>[] = [];
  let text = '';
  let seen: string | null = null;
  const hear = (block: string) => {
    const fields = new Map(
      block.split('\n').map((line): [string, string] => [line.split(': ', 1)[0] ?? '', line.slice(line.indexOf(': ') + 2)]),
    );
    const id = fields.get('id') ?? null;
    if (id !== null) seen = id;
    const data = fields.get('data');
    if (data !== undefined) events.push({ id: id ?? '', event: fields.get('event') ?? 'message', data: JSON.parse(data) });
  };
  const read = async () => {
    let rest = '';
    for await (const chunk of answer) {
      text += chunk;
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) hear(block);
    }
  };
  const ended = read().catch(() => {});
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    events,
    lastEventId: () => seen,
    text: () => text,
    ended,
    leave: () => void request.destroy(),
  };
}
