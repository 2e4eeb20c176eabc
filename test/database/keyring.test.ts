import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cell, createKeyring, KeyringError } from '../../src/database/encryption/keyring.ts';
import { codePoint } from '../support/code-point.ts';

/** A row that has the values of these tests. */
const PLACE: Cell = { table: 'patient', column: 'ssn_encrypted', organizationId: 7, row: 12 };

const newKey = (id: string) => ({ id, key: randomBytes(32) });
const plain = fc.string({ unit: codePoint, maxLength: 200 });
const purpose = fc.constantFrom('signing-key', 'refresh-successor', 'audit', '');

/** A spelling that differs from the given one in one place. */
const altered = (value: string) =>
  fc.oneof(
    fc
      .tuple(fc.nat(value.length - 1), fc.string({ minLength: 1, maxLength: 1 }))
      .map(([at, by]) => value.slice(0, at) + by + value.slice(at + 1)),
    fc.nat(value.length - 1).map((at) => value.slice(0, at) + value.slice(at + 1)),
    fc
      .tuple(fc.nat(value.length), fc.string({ minLength: 1, maxLength: 3 }))
      .map(([at, more]) => value.slice(0, at) + more + value.slice(at)),
    fc.constantFrom(`${value}.`, `${value}=`, `.${value}`, `${value}.AAAA`, ''),
  );

describe('the keyring', () => {
  const old = newKey('old');
  const ring = createKeyring([old]);

  it('opens what it sealed, and shows nothing of it', () => {
    fc.assert(
      fc.property(purpose, plain, (use, text) => {
        const value = ring.encrypt(use, text, PLACE);
        expect(ring.decrypt(use, value, PLACE)).toBe(text);
        expect(value).toMatch(/^old\.v2\.[\w-]{16}\.[\w-]*\.[\w-]{22}$/);
      }),
    );
  });

  it('seals the same twice in two ways', () => {
    expect(ring.encrypt('a', 'same', PLACE)).not.toBe(ring.encrypt('a', 'same', PLACE));
  });

  it('refuses a value that was altered anywhere, in any spelling', () => {
    fc.assert(
      fc.property(
        plain.chain((text) => {
          const value = ring.encrypt('signing-key', text, PLACE);
          return fc.tuple(fc.constant(value), altered(value));
        }),
        ([value, other]) => {
          fc.pre(other !== value);
          expect(() => ring.decrypt('signing-key', other, PLACE)).toThrow(KeyringError);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('refuses each of the spellings that base64 has for the same bytes', () => {
    const value = ring.encrypt('a', 'x', PLACE);
    const [id, form, iv, text, tag] = value.split('.');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const spellings = [...alphabet].map((letter) => [id, form, iv, text, `${tag?.slice(0, -1)}${letter}`].join('.'));
    expect(spellings.filter((spelling) => opens(spelling))).toEqual([value]);
    function opens(spelling: string): boolean {
      try {
        return ring.decrypt('a', spelling, PLACE) === 'x';
      } catch {
        return false;
      }
    }
  });

  it('does not open for one purpose what was sealed for another', () => {
    fc.assert(
      fc.property(purpose, purpose, plain, (one, other, text) => {
        fc.pre(one !== other);
        expect(() => ring.decrypt(other, ring.encrypt(one, text, PLACE), PLACE)).toThrow(KeyringError);
      }),
    );
  });

  it('opens the values of an older master key after a new one came in front', () => {
    const value = ring.encrypt('signing-key', 'secret', PLACE);
    const mac = ring.mac('audit', 'row');
    const rotated = createKeyring([newKey('new'), old]);
    expect(rotated.decrypt('signing-key', value, PLACE)).toBe('secret');
    expect(rotated.mac('audit', 'row', 'old')).toEqual(mac);
    expect(rotated.encrypt('signing-key', 'secret', PLACE)).toMatch(/^new\./);
    expect(rotated.mac('audit', 'row')).not.toEqual(mac);
  });

  it('opens nothing of a master key that is gone, or that another one is named after', () => {
    const value = ring.encrypt('signing-key', 'secret', PLACE);
    expect(() => createKeyring([newKey('new')]).decrypt('signing-key', value, PLACE)).toThrow('"old" is not among MASTER_KEYS');
    expect(() => createKeyring([newKey('old')]).decrypt('signing-key', value, PLACE)).toThrow(KeyringError);
  });

  it('gives each purpose another code for the same data', () => {
    expect(ring.mac('a', 'data')).not.toEqual(ring.mac('b', 'data'));
    expect(ring.mac('a', 'data')).toHaveLength(32);
  });

  it('opens nothing that was moved to another row, column, table or practice', () => {
    const name = fc.constantFrom('patient', 'sms_message', 'ssn_encrypted', 'sealed', 'a,b', 'a","b', '');
    const place = fc.record({
      table: name,
      column: name,
      organizationId: fc.option(fc.nat(30)),
      row: fc.oneof(fc.nat(130), fc.uuid(), fc.constantFrom('null', '7,"12"', '')),
    });
    fc.assert(
      fc.property(place, place, plain, (one, other, text) => {
        const value = ring.encrypt('a', text, one);
        expect(ring.decrypt('a', value, { ...one, row: String(one.row) })).toBe(text);
        fc.pre(JSON.stringify({ ...one, row: String(one.row) }) !== JSON.stringify({ ...other, row: String(other.row) }));
        expect(() => ring.decrypt('a', value, other)).toThrow(KeyringError);
      }),
    );
  });

  it('needs a master key', () => {
    expect(() => createKeyring([])).toThrow(KeyringError);
  });
});
