import type { z } from 'zod';

const KINDS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};
const FORMATS: Record<string, string> = { email: 'an email address', uuid: 'a UUID', url: 'an address such as https://example.com' };

/** The message of a validation issue, written after the name of the field and without its value. Schemas with their own message keep it. */
export const validationMessage: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${KINDS[issue.expected] ?? 'of a different type'}`;
    case 'invalid_value':
      return issue.input === undefined ? 'is missing' : `must be ${issue.values.map(String).join(' or ')}`;
    case 'invalid_format':
      return `must be ${FORMATS[issue.format] ?? 'written in another way'}`;
    case 'too_big':
      return `must ${bound(issue.origin)} at most ${issue.maximum}${unit(issue.origin)}`;
    case 'too_small':
      return issue.minimum === 1 && unit(issue.origin)
        ? 'must not be empty'
        : `must ${bound(issue.origin)} at least ${issue.minimum}${unit(issue.origin)}`;
    default:
      return 'is not understood';
  }
};

const UNITS: Record<string, string> = { string: ' characters', array: ' entries', set: ' entries', map: ' entries' };
const unit = (origin: string): string => UNITS[origin] ?? '';
const bound = (origin: string): string => (unit(origin) ? 'have' : 'be');
