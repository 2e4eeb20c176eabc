import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastPage, window } from '../../../src/domain/values/paging.ts';

describe('pages', () => {
  it('from the first to the last hold every row once, and none of them is empty unless the list is', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.integer({ min: 1, max: 1_000 }), (total, limit) => {
        const rows = Array.from({ length: total }, (_, row) => row);
        const last = lastPage({ total, limit });
        const pages = Array.from({ length: last }, (_, page) => window({ page: page + 1, limit })).map(({ skip, take }) =>
          rows.slice(skip, skip + take),
        );
        expect(pages.flat()).toEqual(rows);
        if (total > 0) expect(pages.every((page) => page.length > 0)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});
