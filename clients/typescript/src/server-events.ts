/** One event of a stream. */
export interface ServerEvent {
  /** The cursor after it. */
  id: string;
  event: string;
  /** Of JSON. */
  data: ReturnType<typeof JSON.parse>;
}

/** The server writes a comment every 15 seconds: after this silence the connection is gone. */
const LONGEST_SILENCE = 60_000;

/**
 * The events of a response, until the server ends it. Comments are left out; an event without data only moves the cursor.
 * @throws TypeError where the connection is lost
 */
export async function* serverEvents({ body }: Response): AsyncGenerator<ServerEvent> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read());
      if (done) return;
      const blocks = (rest + value).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function withinSilence<T>(reading: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TypeError('the stream has been silent for too long')), LONGEST_SILENCE);
    reading.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function parseEvent(block: string): ServerEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^([a-z]+): ?(.*)$/.exec(line) ?? [];
    if (name) fields.set(name, name === 'data' && fields.has(name) ? `${fields.get(name)}\n${value}` : value);
  }
  const [id, data] = [fields.get('id'), fields.get('data')];
  if (id === undefined && data === undefined) return null;
  return { id: id ?? '', event: fields.get('event') ?? 'message', data: data === undefined ? null : JSON.parse(data) };
}
