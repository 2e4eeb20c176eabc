import { z } from 'zod';
import { text } from '../../http/wire-types.ts';

const WRITTEN: Record<string, boolean> = { true: true, '1': true, false: false, '0': false, '': false };

/** A parameter that is true or false; false when it is left out or empty. Public clients of this style write `true` or `1`. */
export const flag = () =>
  z.preprocess(
    (written) => (typeof written === 'string' ? (WRITTEN[written.trim().toLowerCase()] ?? written) : written),
    z.boolean({ error: 'must be true or false' }).default(false),
  );

/** Traces of a text in another encoding than UTF-8: escaped bytes, or replacement characters. */
const NOT_UTF_8 = /%[89a-f][0-9a-f]|\u{fffd}/iu;

/** Text of a bounded length. Latin-1, which older systems send, is refused: it would garble names and find no patient. */
export const utf8Text = (longest: number) => text(longest).refine((sent) => !NOT_UTF_8.test(sent), 'is not written in UTF-8');

/** A parameter that is an integer, 1 for yes and 0 for no; undefined when it is left out or empty. */
export const oneOrZero = () => {
  const error = 'must be 1 or 0';
  return z.preprocess(readNumber, z.int({ error }).min(0, { error }).max(1, { error }).optional()).optional();
};

/** A parameter that is a number from 0 to 1; undefined when it is left out or empty. */
export const share = () => {
  const error = 'must be a number from 0 to 1';
  return z.preprocess(readNumber, z.number({ error }).min(0, { error }).max(1, { error }).optional()).optional();
};

/** The number of its decimal digits; anything else stays as it is, for the shape to refuse. */
function readNumber(written: unknown): unknown {
  if (typeof written !== 'string') return written;
  const text = written.trim();
  if (text === '') return undefined;
  return /^(\d{1,10}(\.\d{0,20})?|\.\d{1,20})$/.test(text) ? Number(text) : written;
}
