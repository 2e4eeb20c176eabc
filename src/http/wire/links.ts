import type { FastifyRequest } from 'fastify';
import { KeyringError } from '../../database/encryption/keyring.ts';
import { lastPage, type Page } from '../../domain/values/paging.ts';

/** The origin of links: PUBLIC_URL, or the address that this server listens on; nothing that the request says. */
export const readOrigin = ({ server }: FastifyRequest): string => server.origin();

/** A position in a list, of the practice that asks: it may hold names, which no log of addresses is to have. */
const toCell = ({ caller }: FastifyRequest) => ({ table: 'list', column: 'position', organizationId: caller.organizationId, row: '' });

/** A position as links have it. */
export const sealPosition = (request: FastifyRequest, position: string): string =>
  request.server.keyring.encrypt('list-position', position, toCell(request));

/** @returns null for a text that sealPosition did not write for this practice */
export function openPosition(request: FastifyRequest, sealed: string): string | null {
  try {
    return request.server.keyring.decrypt('list-position', sealed, toCell(request));
  } catch (error) {
    if (error instanceof KeyringError) return null;
    throw error;
  }
}

/** Absolute links to the pages around this one, with the other parameters of the request. Null where there is no such page. */
export function pageLinks(request: FastifyRequest, { page, limit, total, end }: Omit<Page<unknown>, 'items'>) {
  const last = lastPage({ total, limit });
  const { pathname, searchParams } = new URL(request.url, 'http://here');
  const origin = readOrigin(request);
  const link = (to: number, after?: string) => {
    const query = new URLSearchParams(searchParams);
    query.delete('after');
    if (after) query.set('after', sealPosition(request, after));
    query.set('page', String(to));
    query.set('limit', String(limit));
    return `${origin}${pathname}?${query}`;
  };
  return {
    first: link(1),
    last: link(last),
    next: end ? link(page + 1, end) : end === undefined && page < last ? link(page + 1) : null,
    prev: page > 1 ? link(Math.min(page - 1, last)) : null,
  };
}

/** The address of the older rows of a list whose pages begin before an id; null where there are none. */
export function linkToOlder(request: FastifyRequest, next: number | null): string | null {
  if (next === null) return null;
  const { pathname, searchParams } = new URL(request.url, 'http://here');
  searchParams.set('before', String(next));
  return `${readOrigin(request)}${pathname}?${searchParams}`;
}

/**
 * Whether a browser says that a page of this server sent a request. Without PUBLIC_URL a developer may have opened the page by any name
 * of this machine: then it is own where it is the host that the request came to, both of which the browser wrote.
 * @param origin the header Origin
 */
export function isOwnOrigin(request: FastifyRequest, origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  if (origin === new URL(readOrigin(request)).origin) return true;
  return !request.server.hasPublicUrl && new URL(origin).host === request.host;
}
