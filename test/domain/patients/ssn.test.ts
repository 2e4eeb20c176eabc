import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createKeyring, KeyringError } from '../../../src/database/encryption/keyring.ts';
import { readSsn, revealSsn, sealSsn, ssnHash } from '../../../src/domain/patients/record/ssn.ts';

const [A, B] = [
  { id: 'a', key: Buffer.alloc(32, 1) },
  { id: 'b', key: Buffer.alloc(32, 2) },
];
const keyring = createKeyring([A]);

describe('readSsn', () => {
  it.each([
    ['219099999', '219099999'],
    ['219-09-9999', '219099999'],
    ['  219-09-9999\n', '219099999'],
    ['001-01-0001', '001010001'],
    ['899-99-9999', '899999999'],
    ['665-01-0001', '665010001'],
    ['667010001', '667010001'],
  ])('takes %j', (written, digits) => {
    expect(readSsn(written)).toBe(digits);
  });

  it.each([
    ['an area of zeros', '000-12-3456'],
    ['area 666', '666-12-3456'],
    ['area 900', '900-12-3456'],
    ['area 999', '999123456'],
    ['a group of zeros', '219-00-9999'],
    ['a serial of zeros', '219-09-0000'],
    ['one hyphen', '219-099999'],
    ['the other hyphen alone', '21909-9999'],
    ['hyphens elsewhere', '21-909-9999'],
    ['eight digits', '21909999'],
    ['ten digits', '2190999999'],
    ['a masked one', '*****9999'],
    ['spaces', '219 09 9999'],
    ['digits of another script', '٢١٩٠٩٩٩٩٩'],
    ['nothing', ''],
  ])('refuses %s', (_, written) => {
    expect(readSsn(written)).toBeNull();
  });

  it('never throws, and answers nine digits or nothing', () => {
    fc.assert(fc.property(fc.string(), (text) => /^\d{9}$/.test(readSsn(text) ?? '000000000')));
  });

  it('takes exactly the numbers that can be issued', () => {
    fc.assert(
      fc.property(fc.nat(999), fc.nat(99), fc.nat(9999), (area, group, serial) => {
        const parts = [String(area).padStart(3, '0'), String(group).padStart(2, '0'), String(serial).padStart(4, '0')];
        const issued = area > 0 && area !== 666 && area < 900 && group > 0 && serial > 0;
        expect(readSsn(parts.join('-'))).toBe(issued ? parts.join('') : null);
        expect(readSsn(parts.join(''))).toBe(issued ? parts.join('') : null);
      }),
    );
  });
});

const CHART = { organizationId: 1, row: 2 };

describe('a sealed number', () => {
  it('opens again, and shows nothing but its last four and its key', () => {
    const { encrypted, lastFour } = sealSsn(keyring, CHART, '219099999');
    expect(revealSsn(keyring, CHART, encrypted)).toBe('219099999');
    expect(lastFour).toBe('9999');
    expect(encrypted).toMatch(/^a\./);
    expect(encrypted).not.toContain('21909');
  });

  it('is sealed differently each time, with the same hash', () => {
    const [first, second] = [sealSsn(keyring, CHART, '219099999'), sealSsn(keyring, CHART, '219099999')];
    expect(first.encrypted).not.toBe(second.encrypted);
    expect(first.hash).toEqual(second.hash);
    expect(sealSsn(keyring, CHART, '219099998').hash).not.toEqual(first.hash);
  });

  it('has a hash that only the master key can make', () => {
    const [old, both] = [createKeyring([A]), createKeyring([B, A])];
    expect(ssnHash(both, '219099999')).not.toEqual(ssnHash(old, '219099999'));
    expect(ssnHash(both, '219099999', 'a')).toEqual(ssnHash(old, '219099999'));
  });

  it('opens under an old key that is still there, and not without it', () => {
    const { encrypted } = sealSsn(keyring, CHART, '219099999');
    expect(revealSsn(createKeyring([B, A]), CHART, encrypted)).toBe('219099999');
    expect(() => revealSsn(createKeyring([B]), CHART, encrypted)).toThrow(KeyringError);
  });

  it('fails without repeating anything of it', () => {
    const { encrypted } = sealSsn(keyring, CHART, '219099999');
    const [id, form, iv, , tag] = encrypted.split('.');
    const altered = [id, form, iv, Buffer.alloc(9).toString('base64url'), tag].join('.');
    const open = () => revealSsn(keyring, CHART, altered);
    expect(open).toThrow(KeyringError);
    expect(open).toThrow(/^(?!.*\d{4}).*$/);
  });
});
