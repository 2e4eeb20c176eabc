/** A page of a list. Lists are ordered by something that ends in the id, so that pages neither repeat nor skip. */
export interface PageRequest {
  /** From 1. */
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

/** What Prisma is told about a page. */
export const window = ({ page, limit }: PageRequest) => ({ skip: (page - 1) * limit, take: limit });

/**
 * Rows of a whole list. Its end tells how long it is: only before that they are counted.
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
