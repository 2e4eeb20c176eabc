import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { lastPage, type Page } from '../../domain/values/paging.ts';
import { pageLinks } from './links.ts';

/** The envelopes and the sort parameters of the dialects that speak JSON with `data`, `links` and `meta`: mobile and platform. */

/** Response of an operation that returns nothing, with status 204. */
export const NoContent = z.null();

/** Response envelope of a single record. */
export const one = <T extends z.ZodType>(shape: T) => z.strictObject({ data: shape });

const linksShape = z
  .strictObject({ first: z.string(), last: z.string(), prev: z.string().nullable(), next: z.string().nullable() })
  .meta({ id: 'PageLinks' });

const metaShape = z
  .strictObject({
    current_page: z.int(),
    per_page: z.int(),
    from: z.int().nullable().describe('Number of the first row of this page, from 1; null on an empty page'),
    to: z.int().nullable().describe('Number of the last row of this page'),
    total: z.int(),
    last_page: z.int(),
  })
  .meta({ id: 'PageMeta' });

/** Response envelope of a list. */
export const wrapList = <T extends z.ZodType>(shape: T) =>
  z.strictObject({ data: z.array(shape).describe('The records of this page'), links: linksShape, meta: metaShape });

/** Writes a page of a list into the envelope of this API. */
export function writePage<T, W>(request: FastifyRequest, page: Page<T>, write: (item: T) => W) {
  const before = (page.page - 1) * page.limit;
  const shown = page.items.length;
  return {
    data: page.items.map(write),
    links: pageLinks(request, page),
    meta: {
      current_page: page.page,
      per_page: page.limit,
      from: shown > 0 ? before + 1 : null,
      to: shown > 0 ? before + shown : null,
      total: page.total,
      last_page: lastPage(page),
    },
  };
}

export const direction = z
  .preprocess((sent) => (typeof sent === 'string' ? sent.toUpperCase() : sent), z.enum(['ASC', 'DESC']))
  .default('ASC')
  .describe('Direction of the sort; ASC by default');

/** Sort fields of a list, mapped to the domain's orders. Every list has `title`, the document's own example: its title or name. */
type SortFields<O extends string> = Readonly<Record<string, O>> & { readonly title: O };

/**
 * SORT: by one of the names in `fields`, the first by default; the output is its value, the domain's name. The id decides
 * between equal rows.
 */
export const sortBy = <O extends string>(fields: SortFields<O>) => {
  const names = Object.keys(fields);
  const [first = ''] = names;
  return {
    sort: z
      .enum(names)
      .default(first)
      .describe('Field to sort by')
      .transform((name) => requireOrder(fields, name)),
    order: direction,
  };
};

/** The same with an order of its own where none of the names is sent: the output is undefined then. */
export const optionalSortBy = <O extends string>(fields: SortFields<O>, description: string) => ({
  sort: z
    .enum(Object.keys(fields))
    .optional()
    .describe(description)
    .transform((name) => (name === undefined ? undefined : requireOrder(fields, name))),
  order: direction,
});

function requireOrder<O extends string>(fields: Readonly<Record<string, O>>, name: string): O {
  const order = fields[name];
  if (order === undefined) throw new RangeError(`There is no sort order ${name}.`);
  return order;
}
