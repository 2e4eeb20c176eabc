import { z } from 'zod';
import { findRace } from '../../../../domain/code-sets/races.ts';

/** Shapes and formats of the values of a patient record. Fields without a value are left out. */

export const text = () => z.string().optional();
export const telephone = () => text().describe('ten digits; with the country prefix if not North American');
export const usDay = () =>
  z
    .string()
    .regex(/^\d{2}\/\d{2}\/\d{4}$/)
    .optional()
    .describe('mm/dd/yyyy');
export const usTime = () =>
  z
    .string()
    .regex(/^\d{2}\/\d{2}\/\d{4} \d{2}:\d{2}$/)
    .optional()
    .describe('mm/dd/yyyy hh24:mi, in the practice’s time zone');
export const booleanText = () => z.enum(['true', 'false']).optional();
export const known = (what: string) => z.boolean().nullable().describe(what);
export const maskedSsn = () => text().describe('`*****1234`');
export const censusCode = () =>
  z
    .union([z.int(), z.enum(['other'])])
    .optional()
    .describe('US Census code');

export const idText = (id: number | null): string | undefined => (id === null ? undefined : String(id));
export const writeSex = (word: string | null) => (word === 'M' || word === 'F' ? word : undefined);
export const maskSsn = (lastFour: string | null): string | undefined => (lastFour === null ? undefined : `*****${lastFour}`);
export const booleanString = (value: boolean | null) => (value === null ? undefined : value ? 'true' : 'false');
export const toExistence = (value: string | null, declined: boolean): boolean | null => (value !== null ? true : declined ? false : null);

/** An integer, by the document, so zeros at the front are lost; or `other`. */
export function writeCensusCode(code: string | null): number | 'other' | undefined {
  if (code === null) return undefined;
  return /^\d{1,9}$/.test(code) ? Number(code) : 'other';
}

/** A date `YYYY-MM-DD`, or the date at the start of a longer text. */
export function writeUsDay(day: string | null): string | undefined {
  return day === null ? undefined : `${day.slice(5, 7)}/${day.slice(8, 10)}/${day.slice(0, 4)}`;
}

export function writeUsTime(time: string | null): string | undefined {
  return time === null ? undefined : `${writeUsDay(time)} ${time.slice(11, 16)}`;
}

/** Races as they are stored, and what follows from the first. */
export function raceShown(races: string) {
  if (races === '') return null;
  const codes = races.split('\t');
  const primary = findRace(codes[0] ?? '');
  return { codes, name: primary?.name, hierarchicalCode: primary?.hierarchicalCode };
}
