import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesTo } from '../../../src/domain/values/changed-fields.ts';

const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.date({ noInvalidDate: true }), fc.array(fc.string()));
const record = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value);

describe('the changes to a record', () => {
  it('are none when all that is given stands already', () => {
    fc.assert(
      fc.property(record, (standing) => {
        expect(changesTo(standing, structuredClone(standing))).toEqual({});
      }),
    );
  });

  it('lead to what was given, and leave the rest', () => {
    fc.assert(
      fc.property(record, record, (standing, given) => {
        expect({ ...standing, ...changesTo(standing, given) }).toEqual({ ...standing, ...given });
      }),
    );
  });

  it('tell null, which clears, from undefined, which was not given', () => {
    expect(changesTo({ a: 1, b: 1 }, { a: null, b: undefined })).toEqual({ a: null });
    expect(changesTo({}, { a: null, b: undefined })).toEqual({ a: null });
  });
});
