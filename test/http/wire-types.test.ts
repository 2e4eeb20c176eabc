import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Failure } from '../../src/domain/errors.ts';
import { oneLine } from '../../src/domain/values/text-form.ts';
import { readInput } from '../../src/http/input/input.ts';
import { day, email, id, longId, multilineText, optional, paging, phone, secret, text } from '../../src/http/wire/wire-types.ts';
import { codePoint } from '../support/code-point.ts';

const shape = z.object({
  id: optional(id()),
  text: optional(text(5)),
  day: optional(day()),
  phone: optional(phone()),
  email: optional(email()),
  flag: optional(z.boolean()),
  list: optional(z.array(text(5)).max(3)),
});
type Name = keyof z.output<typeof shape>;
const NAMES: Name[] = ['id', 'text', 'day', 'phone', 'email', 'flag', 'list'];

/** The message about a value in a field; null if the value is valid. */
function complaint(name: Name, value: unknown): string | null {
  try {
    readInput(shape, { [name]: value });
    return null;
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
}

describe('a field', () => {
  it('that may be left out is undefined then, and null for null, an empty text and spaces', () => {
    expect(readInput(shape, {})).toEqual({});
    for (const name of NAMES) {
      for (const nothing of [null, '', '  ']) expect(readInput(shape, { [name]: nothing })).toEqual({ [name]: null });
    }
  });

  it('says in plain words what it takes', () => {
    expect(complaint('text', 5)).toBe('text: must be a text');
    expect(complaint('text', 'abcdef')).toBe('text: must have at most 5 characters');
    expect(complaint('text', 'a\0')).toBe('text: contains characters that cannot be stored');
    expect(complaint('text', '\ud800')).toBe('text: contains characters that cannot be stored');
    expect(complaint('id', '12abc')).toBe('id: must be an integer from 1 to 2147483647');
    expect(complaint('day', '1981-02-29')).toBe('day: is a day that does not exist');
    expect(complaint('day', '02/28/1981')).toBe('day: must be a day such as 1980-02-29');
    expect(complaint('day', '0981-02-28')).toBe('day: must be in the years 1850 to 2199');
    expect(complaint('phone', '12')).toBe('phone: must be a North American telephone number in use, such as 9105550123');
    expect(complaint('email', 'a@b')).toBe('email: must be an email address');
    expect(complaint('flag', 'yes')).toBe('flag: must be true or false');
    expect(complaint('list', 'a')).toBe('list: must be a list');
    expect(complaint('list', ['a', 5])).toBe('list.1: must be a text');
    expect(complaint('list', ['a', 'b', 'c', 'd'])).toBe('list: must have at most 3 entries');
    expect(() => readInput(z.object({ id: id() }), {})).toThrow('id: is missing');
    expect(() => readInput(shape, [])).toThrow('body: must be an object');
    expect(() => readInput(shape, undefined)).toThrow('body: is missing');
  });

  it('is named once, and a long list of wrong entries is not repeated back', () => {
    expect(complaint('id', 2 ** 53)).toBe('id: must be an integer from 1 to 2147483647');
    expect(complaint('list', Array(100_000).fill(5))?.length).toBeLessThan(2_000);
  });

  it('takes any value or refuses it by name, and never throws anything else', () => {
    const value = fc.oneof(fc.anything(), fc.string({ unit: codePoint }), fc.integer(), fc.double());
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), value, (name, sent) => {
        expect(complaint(name, sent) ?? name).toMatch(new RegExp(`^${name}`));
      }),
      { numRuns: 500 },
    );
  });
});

describe('text', () => {
  const outcomes = fc.string({ unit: codePoint, maxLength: 14 });
  const isStorable = (written: string) => !written.includes('\0') && written.isWellFormed();

  it('is taken in its one form exactly when that fits and can be stored', () => {
    fc.assert(
      fc.property(outcomes, (written) => {
        const form = oneLine(written);
        const outcome = text(10).safeParse(written);
        expect(outcome.success).toBe([...form].length <= 10 && isStorable(written));
        if (outcome.success) expect(outcome.data).toBe(form);
      }),
    );
    expect(text(3).parse('  a \u00a0 b  ')).toBe('a b');
    expect(() => readInput(z.object({ name: text(3).min(1) }), { name: ' \u00a0' })).toThrow('name: must not be empty');
  });

  it('of several lines keeps them', () => {
    expect(multilineText(10).parse(' one\n\n  two ')).toBe('one\n\n  two');
  });

  it('that is a secret is taken as it is', () => {
    fc.assert(
      fc.property(outcomes, (written) => {
        const outcome = secret(10).safeParse(written);
        expect(outcome.success).toBe([...written].length <= 10 && isStorable(written));
        if (outcome.success) expect(outcome.data).toBe(written);
      }),
    );
  });
});

describe('a long id', () => {
  it('is a positive integer that JSON writes exactly, or its digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (number) => {
        expect(longId().parse(number)).toBe(number);
        expect(longId().parse(String(number))).toBe(number);
      }),
    );
    for (const wrong of [0, -1, 7.5, 2 ** 53, 2 ** 63, '9007199254740992', '9007199254740993', '00000000000000001', '1e30', '', null])
      expect(longId().safeParse(wrong).success, String(wrong)).toBe(false);
    expect(['1e3', '1E+3', '1000e0', '1.5e1', '9e15'].map((sent) => longId().parse(sent))).toEqual([1_000, 1_000, 1_000, 15, 9e15]);
  });
});

describe('an id', () => {
  it('is a 32-bit positive integer or its digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_147_483_647 }), (number) => {
        expect(id().parse(number)).toBe(number);
        expect(id().parse(String(number))).toBe(number);
        expect(id().parse(` ${number} `)).toBe(number);
      }),
    );
    for (const wrong of [
      0,
      -1,
      7.5,
      2_147_483_648,
      2 ** 53,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      '',
      '1 1',
      '1.0',
      '0x1',
      '1e',
      'e3',
      '1.5e0',
      '1e10',
      '1e-1',
      '1e999',
      '-1e2',
      '٣',
      '00000000001',
      true,
      null,
      [],
      [1],
      {},
    ]) {
      expect(id().safeParse(wrong).success, String(wrong)).toBe(false);
    }
  });
});

describe('a page', () => {
  it('is the first with a hundred rows unless said', () => {
    expect(z.object(paging).parse({})).toEqual({ page: 1, limit: 100 });
    expect(z.object(paging).parse({ page: '7', limit: '1000' })).toEqual({ page: 7, limit: 1_000 });
  });

  it('is refused by name when there can be no such page', () => {
    for (const wrong of ['0', '-1', '1.5', 'abc', '', '1e99', ['1', '2'], '1001']) {
      expect(() => readInput(z.object(paging), { limit: wrong }), String(wrong)).toThrow('limit: must be an integer from 1 to 1000');
    }
  });
});
