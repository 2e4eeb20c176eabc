import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sealPosition } from '../../http/wire/links.ts';
import { toNumber } from '../../http/wire/wire-types.ts';

const LARGEST_OFFSET = 2_147_483_647;

const createPaging = (largest: number, usual: number) => ({
  limit: integer(1, largest, usual).describe('Rows per page'),
  offset: integer(0, LARGEST_OFFSET, 0).describe('Number of rows to skip, from 0'),
});

/** Paging parameters, to be spread into the shape of a query. An empty value counts as absent. */
export const paging = createPaging(5_000, 1_500);

/** Those of lists that clients fetch in long pages. */
export const longPaging = createPaging(10_000, 1_000);

function integer(smallest: number, largest: number, otherwise: number) {
  const error = `must be an integer from ${smallest} to ${largest}`;
  const number = z.int({ error }).min(smallest, { error }).max(largest, { error });
  return z.preprocess(readWritten, number.default(otherwise)).meta({ format: 'int32' });
}

const readNumber = toNumber(10);

function readWritten(sent: unknown): unknown {
  if (typeof sent !== 'string') return sent;
  const text = sent.trim();
  return text === '' ? undefined : readNumber(text);
}

/** Links of a page, to be spread into the shape of its answer. */
export const pageLinkShapes = {
  next: z.string().optional().describe('URL of the next page, relative to the root of the server'),
  previous: z.string().optional().describe('URL of the previous page, relative to the root of the server'),
};

/**
 * The address of the page before, written as `next` is; undefined on the first page. It counts by the offset. After the end of the
 * list it is the last page.
 */
export function previousLink(
  request: FastifyRequest,
  { offset, limit }: { offset: number; limit: number },
  total: number,
): string | undefined {
  if (offset === 0) return undefined;
  const { pathname, searchParams } = new URL(request.url, 'http://here');
  searchParams.delete('after');
  searchParams.set('offset', String(Math.max(0, Math.min(offset, total) - limit)));
  return `${pathname}?${searchParams}`;
}

/** Both links of a page of a list that goes on by its position. @param end that of the last row where more follow */
export const positionLinks = (
  request: FastifyRequest,
  window: { offset: number; limit: number },
  { total, end }: { total: number; end: string | null },
) => ({
  next: end === null ? undefined : nextLink(request, { offset: window.offset + window.limit, after: sealPosition(request, end) }),
  previous: previousLink(request, window, total),
});

/** Both links of a page of a list that is paged by its offset alone. */
export const pageLinks = (request: FastifyRequest, window: { offset: number; limit: number }, total: number) => ({
  next: window.offset + window.limit < total ? nextLink(request, { offset: window.offset + window.limit }) : undefined,
  previous: previousLink(request, window, total),
});

/** The address of the request, without an offset: of lists whose entries go once they were returned. */
export function sameLink(request: FastifyRequest): string {
  const { pathname, searchParams } = new URL(request.url, 'http://here');
  searchParams.delete('offset');
  return searchParams.size > 0 ? `${pathname}?${searchParams}` : pathname;
}

/**
 * The address of the next page: from the root of the server, in the caller's own variant, with every parameter of the
 * request, with the given ones replaced.
 */
export function nextLink(request: FastifyRequest, parameters: { offset: number; [name: string]: number | string }): string {
  const { pathname, searchParams } = new URL(request.url, 'http://here');
  for (const [name, value] of Object.entries(parameters)) searchParams.set(name, String(value));
  return `${pathname}?${searchParams}`;
}
