import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { bodyType } from '../../src/http/endpoints/dialect.ts';
import type { TestApp } from '../support/app.ts';
import { requireDeclared } from './declared-failures.ts';
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
  const answer = await send(app, route, request);
  requireDeclared(route, answer);
  return answer;
}

function send(app: TestApp['app'], { config: { sendsStream, sendsFile, carriesFile }, url }: Route, request: Request): Promise<Answered> {
  if (sendsStream) return openStream(request);
  if (sendsFile || carriesFile || url.endsWith('/exports')) return sendOverSocket(request);
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

/** Files and exports need a socket. */
async function sendOverSocket(request: Request): Promise<Answered> {
  const answer = await fetch(request);
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: parsed(text), text };
}

/** A stream does not end by itself: its status is used, and its connection, which is its own, is cut. */
async function openStream({ url, method, headers }: Request): Promise<Answered> {
  const request = httpRequest(url, { method, headers: Object.fromEntries(headers), agent: false }).end();
  const [answer]: IncomingMessage[] = await once(request, 'response');
  if (!answer) throw new Error('a response is the argument of its event');
  const status = answer.statusCode ?? 0;
  let text = '';
  if (status < 400) request.destroy();
  else for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  const sent = Object.entries(answer.headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]));
  return { status, headers: new Headers(sent), body: parsed(text), text };
}

function written(type: string, body: object): string | URLSearchParams | FormData {
  if (type === FORM) return toForm(body);
  if (type !== FILE_FORM) return JSON.stringify(body);
  const form = new FormData();
  for (const [name, content] of Object.entries(body))
    if (content instanceof Blob) form.append(name, content, 'file.txt');
    else form.append(name, String(content));
  return form;
}

const toForm = (body: object): URLSearchParams => new URLSearchParams(Object.entries(body).flatMap(pairs));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
