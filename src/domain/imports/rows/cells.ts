import { z } from 'zod';
import { readState } from '../../code-sets/states.ts';
import { isEmail, LONGEST_EMAIL } from '../../values/email-addresses.ts';
import { readFlag } from '../../values/flags.ts';
import { readNorthAmericanPhone } from '../../values/phone-numbers.ts';
import { isBlank, isUtf8, oneLine } from '../../values/text-form.ts';
import { dayFault, hasBegunSomewhere, ISO_DAY, readDay, readUsDay, US_DAY } from '../../values/time/time.ts';
import { readZip } from '../../values/zip-codes.ts';

/** Cells of imported rows: JSON's values, or a table's texts. Each is read by the rule of its field. */

const LARGEST_ID = 2_147_483_647;

/** A cell that may be left out: an empty one leaves the field as it is, and null clears it. */
export const optional = <T extends z.ZodType>(cell: T) =>
  z.preprocess((sent) => (typeof sent === 'string' && isBlank(sent) ? undefined : sent), cell.nullable().optional());

/** A cell that must be given. */
export const required = <T extends z.ZodType>(cell: T) =>
  z.preprocess((sent) => (typeof sent === 'string' && isBlank(sent) ? undefined : sent), cell);

const MISSING = 'is missing';
const isText = (sent: unknown) => typeof sent === 'string' || typeof sent === 'number' || typeof sent === 'boolean';

/** A text that is read to a value. @param otherwise the message for what cannot be read, or what makes it of the text */
export const read = <T>(reader: (text: string) => T | null, otherwise: string | ((text: string) => string)) =>
  z.transform((sent: unknown, context): T => {
    const value = isText(sent) ? reader(String(sent)) : null;
    if (value !== null) return value;
    if (sent === undefined || sent === null) context.addIssue(MISSING);
    else if (!isText(sent)) context.addIssue('must be a text');
    else context.addIssue(typeof otherwise === 'string' ? otherwise : otherwise(String(sent)));
    return z.NEVER;
  });

const inForm = (form: (text: string) => string, longest: number) => (sent: string) => {
  if (!isUtf8(sent) || sent.includes('\0') || !sent.isWellFormed()) return null;
  const text = form(sent);
  return text.length > longest ? null : text;
};

export const text = (longest: number, form = oneLine) =>
  read(inForm(form, longest), (sent) =>
    isUtf8(sent) ? `must have at most ${longest} storable characters` : 'has bytes that are not UTF-8',
  );

/** A value, or the word that stands for none, in any case. */
const orWord = (reader: (text: string) => string | null, word: string | undefined) => (sent: string) =>
  word !== undefined && sent.trim().toLowerCase() === word ? word : reader(sent);

/** @param word that may stand for an address, such as `declined` */
export const email = (word?: string) =>
  read(
    orWord((sent) => {
      const address = inForm(oneLine, LONGEST_EMAIL)(sent);
      return address !== null && isEmail(address) ? address : null;
    }, word),
    'must be an email address',
  );

/** @param word that may stand for a number, such as `declined` */
export const phone = (word?: string) =>
  read(orWord(readNorthAmericanPhone, word), 'must be a North American telephone number in use, such as 9105550123');

export const state = () => read((sent) => readState(oneLine(sent)), 'must be a state or territory such as NC or North Carolina');

export const zip = () => read((sent) => readZip(oneLine(sent)), 'must be five digits, or nine such as 27601-1234');

const NO_DAY = 'must be a day such as 1980-02-29 or 02/29/1980';
const faultOfDay = dayFault(US_DAY, NO_DAY);

/** Midnight behind a day, as spreadsheets and databases write a day that is stored as a date and time. */
const MIDNIGHT = /(?:T|\s+)(?:0?0:00(?::00(?:\.0+)?)?Z?|12:00(?::00)?\s?AM)$/i;
const withoutMidnight = (sent: string): string => sent.trim().replace(MIDNIGHT, '');
const HAS_TIME = /\d(?:T|\s+)\d{1,2}:\d{2}/i;

export const day = () =>
  read(
    (sent) => {
      const written = withoutMidnight(sent);
      return readDay(written) ?? readUsDay(written);
    },
    (sent) => {
      const written = withoutMidnight(sent);
      if (HAS_TIME.test(written)) return `has a time of day; it ${NO_DAY}`;
      return (ISO_DAY.test(written) ? dayFault(ISO_DAY, NO_DAY) : faultOfDay)(written);
    },
  );

/** A day that has begun somewhere on earth. */
export const pastDay = () => day().refine((date) => hasBegunSomewhere(date), 'must not be in the future');

export const flag = () =>
  read((sent) => {
    const value = readFlag(/^y(es)?$/i.test(sent.trim()) ? 'true' : /^no?$/i.test(sent.trim()) ? 'false' : sent);
    return typeof value === 'boolean' ? value : null;
  }, 'must be true or false, yes or no, 1 or 0');

export const id = () =>
  read((sent) => {
    const number = /^\d{1,10}$/.test(sent.trim()) ? Number(sent) : 0;
    return number >= 1 && number <= LARGEST_ID ? number : null;
  }, `must be an integer from 1 to ${LARGEST_ID}`);

export const count = (least: number, most: number) =>
  read((sent) => {
    const number = /^\d{1,9}$/.test(sent.trim()) ? Number(sent) : -1;
    return number >= least && number <= most ? number : null;
  }, `must be an integer from ${least} to ${most}`);

/** Dollars and cents. @param signed whether it may be below zero */
export const amount = ({ signed = false } = {}) =>
  read(
    (sent) => {
      const form = signed ? /^-?\d{1,9}(\.\d{1,2})?$/ : /^\d{1,9}(\.\d{1,2})?$/;
      return form.test(sent.trim()) ? sent.trim() : null;
    },
    `must be an amount such as 25.15: digits with at most two decimals, ${signed ? 'from -999999999.99' : 'not below 0, and'} up to 999999999.99`,
  );

/** One of several words, in any case. */
export const choice = <const W extends string>(...words: readonly W[]) =>
  read((sent) => words.find((word) => word.toLowerCase() === sent.trim().toLowerCase()) ?? null, `must be one of ${words.join(', ')}`);

/** A record by its id, or by its name. */
export type Named = number | string;
export const named = () =>
  read((sent): Named | null => {
    const number = id().safeParse(sent).data;
    return number ?? inForm(oneLine, 200)(sent);
  }, 'must be the id or the name');

/** Several texts: a list, or a text that is its JSON, or has tabs, semicolons or bars between them. */
export const list = <T extends z.ZodType>(one: T, most: number) =>
  z.preprocess(
    (sent) => (typeof sent === 'string' ? (parseList(sent) ?? sent.split(/[\t;|]/).filter((part) => !isBlank(part))) : sent),
    z.array(one, 'must be a list').max(most, `must have at most ${most} entries`),
  );

function parseList(text: string): unknown[] | null {
  if (!text.startsWith('[')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
