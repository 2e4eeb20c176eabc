/** A page of a list. The order of a list ends in the id, so that pages neither repeat nor skip rows. */
export interface PageRequest {
  /** Number of the page, from 1. */
  page: number;
  /** Rows a page. */
  limit: number;
  /** The row that the page begins after, in lists by start: its number counts no longer, as rows may have left the list. */
  after?: StartPosition | undefined;
}

export interface Page<T> extends PageRequest {
  items: T[];
  /** Rows of the whole list. */
  total: number;
  /** In lists by start, the last row of the page where more follow, else null. */
  end?: StartPosition | null;
}

/** The place of a row in a list by start, then by id. */
export interface StartPosition {
  /** `2026-03-08T14:30:00Z`, with milliseconds where the list is ordered by them. */
  at: string;
  id: number;
}

export const writePosition = ({ at, id }: StartPosition): string => `${at}.${id}`;

/** @returns null for a text that writePosition does not write */
export function readPosition(text: string): StartPosition | null {
  const [, at = '', id = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z)\.(\d{1,15})$/.exec(text) ?? [];
  return Number.isNaN(Date.parse(at)) ? null : { at, id: Number(id) };
}

export const DEFAULT_LIMIT = 100;
export const LARGEST_LIMIT = 1_000;

/** A page in Prisma's terms. */
export const window = ({ page, limit }: PageRequest) => ({ skip: (page - 1) * limit, take: limit });

/**
 * Number of rows of a whole list. Where the page ends the list, it follows from the page; else it is counted.
 * @param shown rows of this page
 */
export async function totalOf({ page, limit }: PageRequest, shown: number, count: () => Promise<{ total: number }[]>): Promise<number> {
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
