import type { FastifyRequest } from 'fastify';
import { lastPage, type Page } from '../domain/values/paging.ts';

/** The origin of this server as the caller reaches it. */
export const originOf = (request: FastifyRequest): string => request.server.publicUrl ?? `${request.protocol}://${request.host}`;

/** Absolute links to the pages around this one, with the other parameters of the request. Null where there is no such page. */
export function pageLinks(request: FastifyRequest, { page, limit, total }: Omit<Page<unknown>, 'items'>) {
  const last = lastPage({ total, limit });
  const { pathname, searchParams } = new URL(request.url, 'http://here');
  const origin = originOf(request);
  const link = (to: number) => {
    const query = new URLSearchParams(searchParams);
    query.set('page', String(to));
    query.set('limit', String(limit));
    return `${origin}${pathname}?${query}`;
  };
  return {
    first: link(1),
    last: link(last),
    next: page < last ? link(page + 1) : null,
    prev: page > 1 ? link(Math.min(page - 1, last)) : null,
  };
}
