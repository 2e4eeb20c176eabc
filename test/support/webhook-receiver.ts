import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

/** A post that a receiver got. */
export interface ReceivedPost {
  headers: IncomingHttpHeaders;
  body: string;
  /** `webhook-id` */
  id: string;
  /** `webhook-sequence` */
  sequence: number;
  event: { id: string; type: string; subject: { type: string; id: number } };
  at: number;
}

type Respond = (post: ReceivedPost, response: ServerResponse) => void;

/** An integrator's server on a free port of this machine. */
export interface WebhookReceiver {
  url: string;
  /** In the order in which they came. */
  posts: ReceivedPost[];
  /** From now on, answers like this; at first with 204. */
  answer(respond: Respond | number): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<WebhookReceiver> {
  const posts: ReceivedPost[] = [];
  let respond: Respond = (_, response) => void response.writeHead(204).end();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const { headers } = request;
      const post = {
        headers,
        body,
        id: String(headers['webhook-id']),
        sequence: Number(headers['webhook-sequence']),
        event: JSON.parse(body),
        at: Date.now(),
      };
      posts.push(post);
      respond(post, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the receiver has no port');
  return {
    url: `http://127.0.0.1:${bound.port}/hook`,
    posts,
    answer(next) {
      respond = typeof next === 'number' ? (_, response) => void response.writeHead(next).end() : next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
