import { createServer, type IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';

const attributes = z.array(
  z.object({ key: z.string(), value: z.union([z.object({ stringValue: z.string() }), z.object({ intValue: z.string() })]) }),
);
const request = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(
        z.object({
          scope: z.object({ name: z.string(), version: z.string() }),
          spans: z.array(
            z.strictObject({
              traceId: z.string().regex(/^[0-9a-f]{32}$/),
              spanId: z.string().regex(/^[0-9a-f]{16}$/),
              parentSpanId: z
                .string()
                .regex(/^[0-9a-f]{16}$/)
                .optional(),
              name: z.string(),
              kind: z.int().min(1).max(5),
              startTimeUnixNano: z.string().regex(/^\d{19}$/),
              endTimeUnixNano: z.string().regex(/^\d{19}$/),
              attributes,
              status: z.strictObject({ code: z.literal(2).optional() }),
            }),
          ),
        }),
      ),
    }),
  ),
});

type CollectedSpan = z.infer<typeof request>['resourceSpans'][number]['scopeSpans'][number]['spans'][number];

/** A collector of traces, which takes OTLP over HTTP and refuses what does not have its form. */
export interface Collector {
  endpoint: string;
  spans: CollectedSpan[];
  /** Everything that was sent, as text. */
  bodies: string[];
  headers: IncomingHttpHeaders[];
  /** The form that the first refused request lacks. */
  refused: string[];
  /** Statuses of the next answers, in place of taking what is sent. */
  answers: number[];
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
  const [spans, bodies, headers, refused]: [CollectedSpan[], string[], IncomingHttpHeaders[], string[]] = [[], [], [], []];
  const answers: number[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const instead = answers.shift();
    if (instead !== undefined) {
      bodies.push(text);
      response.writeHead(instead).end();
      return;
    }
    const isRight = incoming.method === 'POST' && incoming.url === '/v1/traces' && incoming.headers['content-type'] === 'application/json';
    const parsed = request.safeParse(JSON.parse(text));
    if (!isRight || !parsed.success) refused.push(parsed.error?.message ?? `${incoming.method} ${incoming.url}`);
    else spans.push(...parsed.data.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    bodies.push(text);
    headers.push(incoming.headers);
    response.writeHead(isRight && parsed.success ? 200 : 400, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  const port = bound !== null && typeof bound === 'object' ? bound.port : 0;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    headers,
    refused,
    answers,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
