/** A page of a list: `data` with links, or an array under its own name with `next` in the practice API. */
interface PageShape {
  data?: readonly unknown[];
  links?: { next: string | null } | null;
  next?: string | null;
  has_more?: boolean;
}

/** The record of a list by the response of its operation. */
export type ItemOf<R> = R extends { data: readonly (infer T)[] }
  ? T
  : { [K in keyof R]-?: R[K] extends readonly (infer T)[] | undefined ? T : never }[keyof R];

/**
 * All records of a list, page after page, each page when it is needed: `for await (const patient of all(listPatients, { client }))`.
 * @param operation any operation that lists
 * @param options as for the operation itself; `limit` is the size of a page
 */
export async function* all<O extends { query?: object }, R extends object>(
  operation: (options: O) => Promise<R>,
  options: NoInfer<O>,
): AsyncGenerator<ItemOf<R>, void, undefined> {
  let query: object = { ...options.query };
  for (;;) {
    const page = await operation({ ...options, query });
    yield* findItems(page);
    const next = findNext(page);
    if (!next) return;
    query = { ...query, ...next };
  }
}

const findItems = (page: object) => Object.values(page).find((value) => Array.isArray(value)) ?? [];

/** The parameters that lead to the next page. Those of lists, such as `user[]`, stay as they were given. */
function findNext({ links, next, has_more }: PageShape): object | null {
  if (has_more !== undefined) return has_more ? { after: next } : null;
  const link = links?.next ?? next;
  if (!link) return null;
  const given = [...new URL(link, 'http://localhost').searchParams];
  return Object.fromEntries(given.filter(([name]) => ['page', 'after', 'offset', 'limit'].includes(name)));
}
