import { invalid } from '../errors.ts';

/** A page of a list. The order of a list ends in the id, so that pages neither repeat nor skip rows. */
export interface PageRequest {
  /** Number of the page, from 1. */
  page: number;
  limit: number;
  /** The position that the page begins after: its number counts no longer, as rows may have come and gone before it. */
  after?: string | undefined;
}

export interface Page<T> extends PageRequest {
  items: T[];
  /** Rows of the whole list. */
  total: number;
  /** The position of the last row of the page where more follow, else null. Absent of lists that are paged by number alone. */
  end?: string | null;
}

/** The part of a list that is read for a page: one row more tells whether others follow. */
export interface PageStart {
  limit: number;
  offset: number;
  /** The values of the order's terms after which it begins; none where it begins by its number. */
  after: (string | null)[];
}

/** A page by the rows before it, or after a position, where their number counts no longer. */
export interface OffsetWindow {
  limit: number;
  offset: number;
  after?: string | undefined;
}

/** @param order the name of the list's order (database/statements/list-order.ts) @throws Failure invalid for a position of another order */
export const toPageStart = ({ page, limit, after }: PageRequest, order: string): PageStart =>
  startOfWindow({ limit, offset: (page - 1) * limit, after }, order);

/** The same of a page by its offset. */
export function startOfWindow({ limit, offset, after }: OffsetWindow, order: string): PageStart {
  if (after === undefined) return { limit: limit + 1, offset, after: [] };
  const [name, ...values] = readPosition(after);
  if (name !== order) throw invalid('after', 'must be the value in the link `next`', 'invalid_position');
  return { limit: limit + 1, offset: 0, after: values };
}

/** A position as a ListOrder writes it. */
export const writePosition = (order: string, ...values: (string | number)[]): string => JSON.stringify([order, ...values.map(String)]);

/** The name of its order, and the values. */
export const readPosition = (position: string): (string | null)[] => JSON.parse(position);

/**
 * The rows of a page, with the number of rows of the whole list, which follows from the page where that ends the list.
 * @param found what was read by toPageStart
 */
export async function cutPage<R>(
  page: PageRequest,
  found: readonly R[],
  toPosition: (row: R) => string,
  count: () => Promise<{ total: number }[]>,
): Promise<{ rows: R[]; total: number; end: string | null }> {
  const rows = found.slice(0, page.limit);
  const last = found.length > page.limit ? rows.at(-1) : undefined;
  const before = (page.page - 1) * page.limit;
  const isCounted = page.after === undefined && last === undefined && (rows.length > 0 || before === 0);
  const [counted] = isCounted ? [] : await count();
  return { rows, total: counted?.total ?? before + rows.length, end: last === undefined ? null : toPosition(last) };
}

export const DEFAULT_LIMIT = 100;
export const LARGEST_LIMIT = 1_000;

/** A page in Prisma's terms. */
export const window = ({ page, limit }: PageRequest) => ({ skip: (page - 1) * limit, take: limit });

/**
 * Number of rows of a whole list. Where the page ends the list, it follows from the page; else it is counted.
 * @param shown rows of this page
 */
export async function countTotal({ page, limit }: PageRequest, shown: number, count: () => Promise<{ total: number }[]>): Promise<number> {
  const before = (page - 1) * limit;
  const isEnd = shown < limit && (shown > 0 || before === 0);
  const [counted] = isEnd ? [] : await count();
  return counted?.total ?? before + shown;
}

/** The number of the last page; an empty list has one page too. */
export const lastPage = ({ total, limit }: { total: number; limit: number }) => Math.max(1, Math.ceil(total / limit));

/** Rows that follow an id, in the order of their ids. */
export interface Slice {
  /** 0 to begin. */
  after: number;
  limit: number;
}
