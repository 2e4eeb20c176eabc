import type { TestApp } from '../support/app.ts';
import type { Plausible } from './plausible.ts';
import type { Route } from './routes.ts';

export interface Answered {
  status: number;
  headers: Headers;
  /** Null where the answer has no body, or one that is not JSON. */
  body: unknown;
  text: string;
}

const FORM = 'application/x-www-form-urlencoded';

/** One request to a route. `authorization` is the whole header. */
export async function call({ address }: TestApp, route: Route, { path, body }: Plausible, authorization?: string): Promise<Answered> {
  const isForm = route.schema.consumes?.includes(FORM) ?? false;
  const answer = await fetch(`${address}${path}`, {
    method: route.method,
    headers: {
      'x-request-id': 'contract',
      ...(authorization === undefined ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': isForm ? FORM : 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isForm ? formOf(body) : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: parsed(text), text };
}

const formOf = (body: object): URLSearchParams => new URLSearchParams(Object.entries(body).flatMap(pairs));

/** A field of a form or a query; a list is given once for each of its values. */
export const pairs = ([name, value]: [string, unknown]): [string, string][] => [value].flat().map((one) => [name, String(one)]);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
