/** A page of a list. The order of a list ends in the id, so that pages neither repeat nor skip rows. */
export interface PageRequest {
  /** Number of the page, from 1. */
  page: number;
  /** Rows a page. */
  limit: number;
}

export interface Page<T> extends PageRequest {
  items: T[];
  /** Rows of the whole list. */
  total: number;
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
