import { describe, expect, it } from 'vitest';
import { findCountry } from '../../../src/domain/code-sets/countries.ts';
import countries from '../../../src/domain/code-sets/data/countries.json' with { type: 'json' };
import ethnicities from '../../../src/domain/code-sets/data/ethnicities.json' with { type: 'json' };
import languages from '../../../src/domain/code-sets/data/languages.json' with { type: 'json' };
import races from '../../../src/domain/code-sets/data/races.json' with { type: 'json' };
import { ethnicityName } from '../../../src/domain/code-sets/ethnicities.ts';
import { languageName, readLanguage } from '../../../src/domain/code-sets/languages.ts';
import { maritalStatusName } from '../../../src/domain/code-sets/marital-statuses.ts';
import { findRace } from '../../../src/domain/code-sets/races.ts';
import { readState } from '../../../src/domain/code-sets/states.ts';

const NO_CODES = ['', 'declined', 'toString', '__proto__', 'constructor', 'XX', '9999-9'];

/** The check digit after the hyphen of an HL7 or CDC concept code: Luhn over the digits before it. */
function hasItsCheckDigit(code: string): boolean {
  const [digits = '', check = ''] = code.split('-');
  const doubled = [...digits].toReversed().map((digit, place) => {
    const value = Number(digit) * (place % 2 === 0 ? 2 : 1);
    return value > 9 ? value - 9 : value;
  });
  return (10 - (doubled.reduce((sum, value) => sum + value, 0) % 10)) % 10 === Number(check);
}

describe('races', () => {
  it('are all 921 of the HL7 code system, each with a name and a hierarchical code of its own', () => {
    const codes = Object.keys(races);
    expect(codes).toHaveLength(921);
    const found = codes.map((code) => findRace(code));
    expect(found.every((race) => race !== null && race.name !== '')).toBe(true);
    expect(new Set(found.map((race) => race?.hierarchicalCode)).size).toBe(921);
    expect(codes.filter((code) => !hasItsCheckDigit(code))).toEqual([]);
  });

  it('stand each below a race that has the beginning of its hierarchical code', () => {
    const hierarchical = new Set(Object.keys(races).map((code) => findRace(code)?.hierarchicalCode));
    const above = [...hierarchical].flatMap((code = '') => (code.includes('.') ? [code.slice(0, code.lastIndexOf('.'))] : []));
    expect(above.filter((code) => !hierarchical.has(code))).toEqual([]);
  });

  // Published ones, from all five branches and the whole length of the longest.
  it.each([
    ['1002-5', 'American Indian or Alaska Native', 'R1'],
    ['1004-1', 'American Indian', 'R1.01'],
    ['1006-6', 'Abenaki', 'R1.01.001'],
    ['1066-0', 'Yuki', 'R1.01.014.013'],
    ['1072-8', 'Mexican American Indian', 'R1.01.015.004'],
    ['1078-5', 'Cayuse', 'R1.01.017'],
    ['1189-0', 'Cowlitz', 'R1.01.044'],
    ['1203-9', 'Star Clan of Muscogee Creeks', 'R1.01.046.010'],
    ['1382-1', 'Navajo', 'R1.01.100'],
    ['1436-5', 'Walker River', 'R1.01.109.020'],
    ['1499-3', 'Picuris', 'R1.01.123.010'],
    ['1640-2', 'Yankton Sioux', 'R1.01.145.031'],
    ['1687-3', 'Washoe', 'R1.01.163'],
    ['1729-3', 'Mohave', 'R1.01.176.005'],
    ['2028-9', 'Asian', 'R2'],
    ['2052-9', 'Madagascar', 'R2.24'],
    ['2068-5', 'Barbadian', 'R3.05'],
    ['2080-0', 'Samoan', 'R4.01.002'],
    ['2098-2', 'Yapese', 'R4.02.013'],
    ['2104-8', 'New Hebrides', 'R4.03.004'],
    ['2500-7', 'Other Pacific Islander', 'R4.04'],
    ['2106-3', 'White', 'R5'],
    ['2111-3', 'French', 'R5.01.003'],
    ['2121-2', 'Iranian', 'R5.02.003'],
    ['2131-1', 'Other Race', 'R9'],
  ])('have the published hierarchical code: %s %s %s', (code, name, hierarchicalCode) => {
    expect(findRace(code)).toEqual({ name, hierarchicalCode });
  });

  it('of Alaska stand below Alaska, where the source has some below Catawba', () => {
    expect(findRace('1741-8')).toEqual({ name: 'Alatna', hierarchicalCode: 'R1.02.001.001.002' });
    expect(findRace('1809-3')).toEqual({ name: 'Wiseman', hierarchicalCode: 'R1.02.001.001.070' });
    expect(findRace('1076-9')).toEqual({ name: 'Catawba', hierarchicalCode: 'R1.01.016' });
  });

  it.each(NO_CODES)('are none for %j', (code) => expect(findRace(code)).toBeNull());
});

describe('ethnicities', () => {
  it('are all 43 of the HL7 code system', () => {
    expect(Object.keys(ethnicities)).toHaveLength(43);
    expect(Object.keys(ethnicities).filter((code) => !hasItsCheckDigit(code) || !ethnicityName(code))).toEqual([]);
    expect(ethnicityName('2135-2')).toBe('Hispanic or Latino');
    expect(ethnicityName('2186-5')).toBe('Not Hispanic or Latino');
  });

  it.each(NO_CODES)('are none for %j', (code) => expect(ethnicityName(code)).toBeNull());
});

describe('languages', () => {
  it('are all of ISO 639-2, by their terminology codes', () => {
    expect(Object.keys(languages.names)).toHaveLength(486);
    expect(Object.keys(languages.bibliographic)).toHaveLength(20);
    expect(languageName('deu')).toBe('German');
    expect(languageName('spa')).toMatch(/^Spanish/);
    expect(languageName('qtz')).toBe('Reserved for local use');
  });

  it('are read from their bibliographic codes too, and in any case', () => {
    expect(Object.keys(languages.bibliographic).filter((code) => languageName(code) !== null)).toEqual([]);
    expect(readLanguage('ger')).toBe('deu');
    expect(readLanguage(' FRE ')).toBe('fra');
    expect(readLanguage('Eng')).toBe('eng');
  });

  it.each([...NO_CODES, 'en', 'qua1', 'quz'])('are none for %j', (code) => expect(readLanguage(code)).toBeNull());
});

describe('countries', () => {
  it('are all 249 of ISO 3166-1, by two and by three letters', () => {
    expect(Object.keys(countries)).toHaveLength(249);
    expect(findCountry('US')).toEqual({ name: 'United States of America', alpha2: 'US', alpha3: 'USA' });
    expect(findCountry('usa')).toEqual(findCountry('US'));
    expect(Object.entries(countries).filter(([two, [three = '']]) => !/^[A-Z]{2}$/.test(two) || !/^[A-Z]{3}$/.test(three))).toEqual([]);
  });

  it.each([...NO_CODES, 'XK', 'UK', 'EU'])('are none for %j', (code) => expect(findCountry(code)).toBeNull());
});

describe('the short sets', () => {
  it.each(['D Divorced', 'M Married', 'S Single', 'U Unknown', 'W Widowed', 'X Separated', 'P Partner'])(
    'have the marital status %s',
    (row) => {
      const [letter = '', name] = row.split(' ');
      expect(maritalStatusName(letter)).toBe(name);
    },
  );

  it.each(['NC', 'DC', 'PR', 'GU', 'VI', 'AS', 'MP', 'FM', 'MH', 'PW', 'AA', 'AE', 'AP'])('have the state or territory %s', (letters) => {
    expect(readState(letters)).toBe(letters);
  });

  it.each([
    ['nc', 'NC'],
    ['N.C.', 'NC'],
    ['north carolina', 'NC'],
    ['New York', 'NY'],
    ['NEW  YORK', 'NY'],
    ['District of Columbia', 'DC'],
    ['Washington, D.C.', 'DC'],
    ['Armed Forces Pacific', 'AP'],
    ['U.S. Virgin Islands', 'VI'],
  ])('understand %j as the state or territory %s', (written, letters) => {
    expect(readState(written)).toBe(letters);
  });

  it.each([...NO_CODES, 'spouse', 'm', 'New', 'Ontario', 'NC 27601', 'N1C'])('know nothing of %j', (code) => {
    expect([maritalStatusName(code), readState(code)]).toEqual([null, null]);
  });
});
