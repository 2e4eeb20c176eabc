import { moment, optional } from '../../http/wire/wire-types.ts';

/** The time at which a message leaves, in requests that send one. */
export const sendAt = () =>
  optional(moment(40)).describe(
    'When to send it, within a year, ISO 8601; without an offset in the organization’s time zone. Quiet hours apply. Immediately by default',
  );
