import { bodyType } from '../../src/http/dialect.ts';
import type { TestApp } from '../support/app.ts';
import { type Plausible, pairs } from './plausible.ts';
import { dialects, type Route } from './routes.ts';

export interface Answered {
  status: number;
  headers: Headers;
  /** Null when the response has no body, or one that is not JSON. */
  body: unknown;
  text: string;
}

const FORM = 'application/x-www-form-urlencoded';
const FILE_FORM = 'multipart/form-data';

/**
 * One request to a route. `authorization` is the whole header. The tests that walk all operations send thousands, so it goes without a
 * socket, which would cost three times as much; all hooks and handlers run.
 */
export async function call(
  { address, app }: TestApp,
  route: Route,
  { path, body }: Plausible,
  authorization?: string,
  more: Record<string, string> = {},
): Promise<Answered> {
  const type = route.schema.consumes?.[0] ?? bodyType(dialects[route.dialect]);
  const request = new Request(`${address}${path}`, {
    method: route.method,
    headers: {
      'x-request-id': 'contract',
      ...more,
      ...(authorization === undefined ? {} : { authorization }),
      // fetch sets the header of a multipart form, with its boundary.
      ...(body === undefined || type === FILE_FORM ? {} : { 'content-type': type }),
    },
    ...(body === undefined ? {} : { body: written(type, body) }),
  });
  const { sendsStream, sendsFile, carriesFile } = route.config;
  if (sendsStream || sendsFile || carriesFile) return sendOverSocket(request, sendsStream === true);
  return sendWithin(app, request);
}

async function sendWithin(app: TestApp['app'], request: Request): Promise<Answered> {
  const { pathname, search, host } = new URL(request.url);
  const method = (['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const).find((known) => known === request.method);
  if (!method) throw new Error(`no such method: ${request.method}`);
  const payload = request.body === null ? {} : { payload: Buffer.from(await request.arrayBuffer()) };
  const answer = await app.inject({
    method,
    url: `${pathname}${search}`,
    headers: { ...Object.fromEntries(request.headers), host },
    ...payload,
  });
  const headers = new Headers(Object.entries(answer.headers).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)])));
  return { status: answer.statusCode, headers, body: parsed(answer.body), text: answer.body };
}

/** Files and streams need a socket. @param isStream it does not end by itself, so only its status is used */
async function sendOverSocket(request: Request, isStream: boolean): Promise<Answered> {
  const answer = await fetch(request);
  const isOpen = isStream && answer.ok;
  const text = isOpen ? '' : await answer.text();
  if (isOpen) await answer.body?.cancel();
  return { status: answer.status, headers: answer.headers, body: parsed(text), text };
}

function written(type: string, body: object): string | URLSearchParams | FormData {
  if (type === FORM) return formOf(body);
  if (type !== FILE_FORM) return JSON.stringify(body);
  const form = new FormData();
  for (const [name, content] of Object.entries(body))
    if (content instanceof Blob) form.append(name, content, 'file.txt');
    else form.append(name, String(content));
  return form;
}

const formOf = (body: object): URLSearchParams => new URLSearchParams(Object.entries(body).flatMap(pairs));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
