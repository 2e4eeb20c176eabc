import type { RequestOptions, Result } from './client.ts';
import type { ServerEvent } from './server-events.ts';

// The names that generated operations import from their client.

export { formDataBodySerializer, urlSearchParamsBodySerializer } from './bodies.ts';
export type { Client } from './client.ts';

export interface TDataShape {
  body?: unknown;
  headers?: unknown;
  path?: unknown;
  query?: unknown;
  url: string;
}

export type ClientMeta = Record<string, unknown>;

/** What a call of an operation takes: its own body, path and query, and what every operation takes. */
export type Options<TData extends TDataShape, _Response> = Omit<RequestOptions, 'url' | 'body' | 'path' | 'query' | 'headers'> &
  Omit<TData, 'url'> & { headers?: Record<string, unknown> };

export type RequestResult<TResponses, _Errors> = Result<TResponses>;
export type ServerSentEventsResult<_Responses> = AsyncIterable<ServerEvent>;
