import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  GENDER_IDENTITIES,
  genderIdentityIn,
  SEXUAL_ORIENTATIONS,
  sexualOrientationIn,
} from '../../../src/domain/patients/record/gender-terms.ts';

describe.each([
  // 45 CFR 170.207(o)(2)
  {
    what: 'gender identity',
    terms: GENDER_IDENTITIES,
    show: genderIdentityIn,
    codes: ['446151000124109', '446141000124107', '407377005', '407376001', '446131000124102', 'OTH', 'ASKU'],
  },
  // 45 CFR 170.207(o)(1)
  {
    what: 'sexual orientation',
    terms: SEXUAL_ORIENTATIONS,
    show: sexualOrientationIn,
    codes: ['38628009', '20430005', '42035005', 'OTH', 'UNK', 'ASKU'],
  },
])('the 2015 Edition set of $what', ({ terms, show, codes }) => {
  const all = terms.flatMap((term) => [term.code, term.certified, term.plain, ...term.aliases].map((stored) => ({ stored, term })));

  it('has every code of the regulation, and no other', () => {
    expect(terms.map(({ code }) => code)).toEqual(codes);
    for (const { code, system } of terms) expect(system).toBe(/^\d+$/.test(code) ? 'SNOMED' : 'NullFlavor');
  });

  it('has one string a code in each edition, and no spelling that stands for two', () => {
    const spellings = all.map(({ stored, term }) => `${stored.toLowerCase().replaceAll(/[^a-z0-9]/g, '')} ${term.code}`);
    const distinct = new Set(spellings);
    expect(new Set([...distinct].map((spelling) => spelling.split(' ')[0])).size).toBe(distinct.size);
  });

  it.each(all)('is understood as $stored', ({ stored, term }) => {
    for (const written of [stored, stored.toUpperCase(), ` ${stored.replaceAll("'", '’')} `]) {
      expect(show(written, 'certified')).toBe(term.certified);
      expect(show(written, 'plain')).toBe(term.plain);
    }
  });

  it('leads from each edition to the other and back', () => {
    for (const { certified, plain } of terms) {
      expect(show(show(certified, 'plain'), 'certified')).toBe(certified);
      expect(show(show(plain, 'certified'), 'plain')).toBe(plain);
    }
  });

  it('leaves what it does not know as it is', () => {
    expect(show(null, 'certified')).toBeNull();
    expect(show('Two-Spirit', 'certified')).toBe('Two-Spirit');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const shown = show(text, 'certified');
        expect(shown === text || terms.some(({ certified }) => certified === shown)).toBe(true);
      }),
    );
  });
});
