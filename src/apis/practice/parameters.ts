import { z } from 'zod';
import { flag } from '../../http/wire-types.ts';

/** A parameter that is true or false; false when it is left out. */
export const option = () => flag().default(false);

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
