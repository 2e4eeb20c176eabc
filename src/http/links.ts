import type { FastifyRequest } from 'fastify';
import { lastPage, type Page } from '../domain/values/paging.ts';

/** What addresses of this server begin with, as the caller reaches it. */
export const originOf = (request: FastifyRequest): string => request.server.publicUrl ?? `${request.protocol}://${request.host}`;

/** The pages around this one, as absolute addresses that keep what else was asked for. Null where there is none. */
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
