import { describe, expect, it } from 'vitest';
import { convertReading, isNoUnit, rounded } from '../../../src/domain/values/reading-units.ts';

describe('a value in another unit', () => {
  it.each([
    [220.462, 'lb', 'kg', 100],
    [1, 'kg', 'lb', 2.205],
    [98.6, '°F', '°C', 37],
    [36.6, 'Cel', '[degF]', 97.88],
    [-40, 'C', 'F', -40],
    [70, 'in', 'cm', 177.8],
    [180, 'CM', 'inches', 70.866],
    [120, 'mm[Hg]', 'kPa', 15.999],
    [16, 'kpa', 'mmHg', 120.01],
    [7.5, 'mmol/L', ' MMOL/L ', 7.5],
    [80_500, 'g', 'kg', 80.5],
    [12, 'st', 'lb', 168],
    [80, 'kg{dry}', 'kg', 80],
    [72, '{beats}/min', 'bpm', 72],
    [72, '/min', 'beats per minute', 72],
    [1.2, '/s', '/min', 72],
    [16, '{breaths}/min', 'breaths/min', 16],
    [9_000, '{steps}', 'steps', 9_000],
    [1.8, 'm', 'cm', 180],
  ])('%s %s is in %s %s', (value, from, to, converted) => {
    expect(convertReading(value, from, to)).toBe(converted);
  });

  it.each([
    ['mg/dL', 'mmol/L'],
    ['kg', 'cm'],
    ['', 'kg'],
    ['{dry}', 'kg'],
    ['{beats}', '/min'],
    ['/min', 'kg'],
  ])('is not guessed: %s is not brought to %s', (from, to) => {
    expect(convertReading(5, from, to)).toBeNull();
  });

  it.each([
    ['lb', 'kg'],
    ['°F', '°C'],
    ['in', 'cm'],
    ['kPa', 'mmHg'],
  ])('comes back as it was, but for the rounding, and keeps its order: %s and %s', (one, other) => {
    let last = Number.NEGATIVE_INFINITY;
    for (let thousandths = -60_000; thousandths <= 400_000; thousandths += 737) {
      const value = thousandths / 1_000;
      const there = convertReading(value, one, other) ?? Number.NaN;
      expect(there).toBe(rounded(there));
      expect(there).toBeGreaterThanOrEqual(last);
      expect(Math.abs((convertReading(there, other, one) ?? Number.NaN) - value)).toBeLessThanOrEqual(0.0051);
      last = there;
    }
  });

  it('is none where an annotation stands alone', () => {
    expect(['{steps}', '{anything}', '1', ' {steps} '].map(isNoUnit)).toEqual([true, true, true, true]);
    expect(['/min', '{beats}/min', 'kg{dry}', 'kg', '%', 'steps'].map(isNoUnit)).toEqual([false, false, false, false, false, false]);
  });

  it('is rounded to three decimals as people round, the half away from zero', () => {
    expect([1.0005, 2.6745, -1.0005, 0.0004, -0.0004, 1e9].map(rounded)).toEqual([1.001, 2.675, -1.001, 0, 0, 1e9]);
  });
});
