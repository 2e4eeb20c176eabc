import type { RequestOptions } from './client.ts';

export interface UploadProgress {
  /** Bytes that have left. Those of a form count with its framing. */
  sent: number;
  total: number;
}

interface EncodedBody {
  type: string | undefined;
  /** The body for one attempt. */
  init(): RequestInit;
  /** Called once the server has it. */
  arrived?: () => void;
}

/** The way in which a generated operation writes a body that is not JSON. */
interface BodySerializer {
  bodySerializer: (body: unknown) => BodyInit;
}

/** Fields of a form. A list is sent as several fields of one name. */
const listFields = (body: unknown): [string, unknown][] =>
  Object.entries(Object(body)).flatMap(([name, value]) =>
    [value].flat().flatMap((one): [string, unknown][] => (one === undefined || one === null ? [] : [[name, one]])),
  );

const toText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

export const formDataBodySerializer: BodySerializer = {
  bodySerializer(body) {
    const form = new FormData();
    for (const [name, value] of listFields(body))
      if (value instanceof Blob) form.append(name, value);
      else form.append(name, toText(value));
    return form;
  },
};

export const urlSearchParamsBodySerializer: BodySerializer = {
  bodySerializer: (body) => String(new URLSearchParams(listFields(body).map(([name, value]) => [name, toText(value)]))),
};

/** The body of a request, which can be sent again. */
export async function encodeBody({ body, bodySerializer, headers, onProgress }: RequestOptions): Promise<EncodedBody> {
  if (body === undefined) return { type: undefined, init: () => ({}) };
  const type: string | undefined = Object(headers)['Content-Type'] ?? undefined;
  const written = typeof bodySerializer === 'function' ? bodySerializer(body) : bodySerializer === null ? body : JSON.stringify(body);
  return onProgress ? watched(written, type, onProgress) : { type, init: () => ({ body: written }) };
}

/**
 * A body whose way out is told. Browsers take no stream as the body of a request over HTTP/1.1, so there the beginning and the
 * end are all that can be seen; `importFile` sends a large file in parts.
 */
async function watched(written: BodyInit, given: string | undefined, onProgress: (progress: UploadProgress) => void): Promise<EncodedBody> {
  const whole = new Response(written);
  const type = given ?? whole.headers.get('content-type') ?? undefined;
  const content = await whole.blob();
  const total = content.size;
  const init = () => {
    let sent = 0;
    onProgress({ sent, total });
    if (!('process' in globalThis)) return { body: content };
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        sent += chunk.byteLength;
        controller.enqueue(chunk);
        onProgress({ sent, total });
      },
    });
    return { body: content.stream().pipeThrough(counter), duplex: 'half' };
  };
  return { type, init, arrived: () => onProgress({ sent: total, total }) };
}
