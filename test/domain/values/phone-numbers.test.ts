import fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { describe, expect, it } from 'vitest';
import { readNorthAmericanPhone, readPhone, writePhone } from '../../../src/domain/values/phone-numbers.ts';
import { codePoint } from '../../support/code-point.ts';

/** Emergency and premium-rate numbers, and such as cannot be dialled, which are read as no number. */
const SERVICES = /^(\+1)?(.11|988|900|976|...(976|.11|5551212|[01])|(.)\4{9})/;
const american = fc.stringMatching(/^[2-9]\d{2}[2-9]\d{6}$/).filter((ten) => !SERVICES.test(ten));

describe('a telephone number', () => {
  it('is North American without a prefix, however it is written', () => {
    fc.assert(
      fc.property(american, (ten) => {
        const [area, exchange, line] = [ten.slice(0, 3), ten.slice(3, 6), ten.slice(6)];
        const spellings = [
          ten,
          `1${ten}`,
          `+1${ten}`,
          `(${area}) ${exchange}-${line}`,
          `${area}.${exchange}.${line}`,
          ` ${area} ${exchange} ${line} `,
          `+1 (${area}) ${exchange}-${line}`,
        ];
        for (const spelling of spellings) expect(readPhone(spelling), spelling).toBe(`+1${ten}`);
        expect(writePhone(`+1${ten}`)).toBe(ten);
      }),
    );
  });

  it('that is ten digits is read as the library reads it', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^(\+1)?[2-9]\d{9}$/), (text) => {
        fc.pre(!SERVICES.test(text));
        expect(readPhone(text)).toBe(parsePhoneNumberFromString(text, 'US')?.number);
        expect(parsePhoneNumberFromString(text, 'US')?.isPossible()).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('of an emergency service, or whose calls cost extra, is none that a person is reached at', () => {
    const services = ['911', '988', '112', '999', '(911) 555-0123', '9885550123', '900-555-0199', '1 900 555 0199', '212-976-1234'];
    const invented = ['0000000000', '(000) 000-0000', '+10000000000', '1234567890', '9190123456', '919 155 0123', '2222222222'];
    const ofArea = ['2129115555', '(212) 411-5555', '212-555-1212', '+12125551212'];
    for (const text of [...services, ...invented, ...ofArea, '+44 909 879 1234', '+49 900 1234567']) {
      expect(readPhone(text), text).toBeNull();
      expect(readNorthAmericanPhone(text), text).toBeNull();
    }
  });

  it('of another country keeps its prefix', () => {
    expect(readPhone('+44 20 7946 0958')).toBe('+442079460958');
    expect(readPhone('011 44 20 7946 0958')).toBe('+442079460958');
    expect(readPhone('+31 (0)20 123 4567')).toBe('+31201234567');
    expect(writePhone('+442079460958')).toBe('+442079460958');
  });

  it('that was written is read as the same number', () => {
    const dialled = fc.oneof(american, fc.stringMatching(/^\+[1-9]\d{6,14}$/)).map(readPhone);
    fc.assert(
      fc.property(dialled, (number) => {
        fc.pre(number !== null);
        expect(readPhone(writePhone(number) ?? '')).toBe(number);
      }),
      { numRuns: 500 },
    );
  });

  it('is nothing that could not be dialled or would lose a part', () => {
    for (const text of [
      '',
      '1',
      '12',
      '5550123',
      '910555012',
      '91055501234',
      'home',
      '12abc',
      '9105550123x',
      '9105550123 ext. 5',
      '+1 910 555 0123;ext=7',
      'call 9105550123 now',
      '+999123456789',
      '9'.repeat(400),
    ]) {
      expect(readPhone(text), text).toBeNull();
    }
  });

  it('is read from any text as null or E.164', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: codePoint }), fc.string({ unit: fc.constantFrom(...'0123456789+-() ;=extab') })), (text) => {
        expect(readPhone(text) ?? '+1000000').toMatch(/^\+[1-9]\d{1,14}$/);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a North American telephone number', () => {
  it.each(['9105550123', '(919) 733-4321', '+1 416 555 0123', '787-765-4321', '1 800 555 1234', '011 1 919 733 4321'])(
    'may be %s',
    (text) => {
      expect(readNorthAmericanPhone(text)).toBe(readPhone(text));
      expect(readNorthAmericanPhone(text)).not.toBeNull();
    },
  );

  it('is of no other country', () => {
    for (const text of ['+44 20 7946 0958', '+525555550123', '011 44 20 7946 0958']) {
      expect(readPhone(text), text).not.toBeNull();
      expect(readNorthAmericanPhone(text), text).toBeNull();
    }
  });

  it('is none that nobody can have', () => {
    const digits = fc.stringMatching(/^[2-9]\d{6}$/);
    const area = fc.constantFrom('910', '919', '212', '416');
    const madeUp = fc.oneof(
      fc.tuple(fc.stringMatching(/^[2-9]11$/), digits),
      fc.tuple(
        area,
        fc.stringMatching(/^\d$/).map((digit) => digit.repeat(7)),
      ),
      fc.tuple(area, fc.constant('4567890')),
      fc.tuple(fc.stringMatching(/^[01]\d\d$/), digits),
      fc.tuple(area, fc.stringMatching(/^[01]\d{6}$/)),
    );
    fc.assert(
      fc.property(madeUp, (parts) => {
        expect(readNorthAmericanPhone(parts.join(''))).toBeNull();
      }),
    );
  });

  it('is read from any text as null or as readPhone reads it', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789+-() ') });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: codePoint }), digits, american), (text) => {
        expect([null, readPhone(text)]).toContain(readNorthAmericanPhone(text));
      }),
    );
  });
});
