import { z } from 'zod';
import { invalid } from '../../domain/errors.ts';
import { flag, id, optional } from '../../http/wire/wire-types.ts';

const WORDS = new Map([
  ['y', 'true'],
  ['yes', 'true'],
  ['n', 'false'],
  ['no', 'false'],
]);

export const inTrueOrFalse = (sent: unknown) => (typeof sent === 'string' ? (WORDS.get(sent.trim().toLowerCase()) ?? sent) : sent);

/** A parameter that is true or false, also written as yes, no, Y and N; false when it is left out. */
export const option = () => z.preprocess(inTrueOrFalse, flag()).default(false);

/** A field that is true or false, written as a parameter is; undefined when it is left out, null when it is empty. */
export const yesNo = () => optional(z.preprocess(inTrueOrFalse, flag()));

/** A parameter that may be sent in the query or in the form. @param inOneForm for comparing both where a value is written in several ways */
export const eitherPart = <T>(
  name: string,
  inQuery: T | null | undefined,
  inForm: T | null | undefined,
  inOneForm: (value: T) => T = (value) => value,
): T | null => {
  const [one, other] = [inQuery ?? null, inForm ?? null];
  if (one !== null && other !== null && inOneForm(one) !== inOneForm(other))
    throw invalid(name, 'has different values in the query and in the form', 'sent_twice');
  return one ?? other;
};

const MOST_IDS = 500;

/**
 * Ids of a query, whose name ends in `[]`: a repeated parameter, with or without brackets or an index, or separated by commas,
 * also in brackets such as `[1,2]`.
 */
export const idList = () =>
  z.preprocess(
    (sent) => (Array.isArray(sent) ? sent.flatMap((one) => (typeof one === 'string' ? splitList(one) : [one])) : sent),
    z.array(id()).max(MOST_IDS),
  );

const splitList = (written: string): string[] =>
  written
    .replace(/^\s*\[(.*)\]\s*$/, '$1')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** A parameter that is a number from 0 to 1; undefined when it is left out or empty. */
export const share = () => {
  const error = 'must be a number from 0 to 1';
  return z.preprocess(readNumber, z.number({ error }).min(0, { error }).max(1, { error }).optional()).optional();
};

/** The number of its decimal digits, also with an exponent such as `5e-1`; anything else stays as it is, for the shape to refuse. */
function readNumber(written: unknown): unknown {
  if (typeof written !== 'string') return written;
  const text = written.trim();
  if (text === '') return undefined;
  return /^(\d{1,10}(\.\d{0,20})?|\.\d{1,20})(e[+-]?\d{1,2})?$/i.test(text) ? Number(text) : written;
}
