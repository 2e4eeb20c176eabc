import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../src/domain/errors.ts';
import { parseExpiry } from '../../../../src/domain/messaging/external-messages/external-message-expiry.ts';

const NEW_YORK = 'America/New_York';
const at = (text: string) => new Date(text);
const read = (written: string | undefined, now: string, zone = NEW_YORK) => parseExpiry(written, zone, at(now));
const refused = async (written: string, now: string, zone = NEW_YORK) => {
  const error: unknown = await read(written, now, zone).catch((failure: unknown) => failure);
  return error instanceof Failure ? error.issues.map(({ field, code }) => [field, code]) : error;
};

describe('the end of a message', () => {
  it.each([
    ['in a week', '2026-06-01T12:00:00Z', '2026-06-08T12:00:00Z'],
    ['when the clocks show the same a week later, where they are put back', '2026-10-28T12:00:00Z', '2026-11-04T13:00:00Z'],
    ['when the clocks show the same a week later, where they are put forward', '2026-03-05T12:00:00Z', '2026-03-12T11:00:00Z'],
  ])('is %s unless said', async (_, now, expected) => {
    expect(await read(undefined, now)).toEqual(at(expected));
  });

  it.each([
    ['2026-06-10T08:30:00Z', NEW_YORK, '2026-06-10T08:30:00Z'],
    ['2026-06-10T08:30:00-07:00', NEW_YORK, '2026-06-10T15:30:00Z'],
    ['2026-06-10T08:30:00', NEW_YORK, '2026-06-10T12:30:00Z'],
    ['2026-06-10', NEW_YORK, '2026-06-11T03:59:59Z'],
    ['2026-06-10', 'Australia/Sydney', '2026-06-10T13:59:59Z'],
    [' 2026-06-10 ', NEW_YORK, '2026-06-11T03:59:59Z'],
    ['2026-06-01', NEW_YORK, '2026-06-02T03:59:59Z'],
  ])('is read from %s in %s', async (written, zone, expected) => {
    expect(await read(written, '2026-06-01T12:00:00Z', zone)).toEqual(at(expected));
  });

  it('of a day with 23 or 25 hours is at its midnight', async () => {
    expect(await read('2026-03-08', '2026-03-01T12:00:00Z')).toEqual(at('2026-03-09T03:59:59Z'));
    expect(await read('2026-11-01', '2026-10-20T12:00:00Z')).toEqual(at('2026-11-02T04:59:59Z'));
  });

  it('is at most 90 days away, on the clocks', async () => {
    const now = '2026-08-21T16:00:00Z';
    expect(await read('2026-11-19T12:00:00', now), 'noon to noon, over the change').toEqual(at('2026-11-19T17:00:00Z'));
    expect(await refused('2026-11-19T12:00:01', now)).toEqual([['expires', 'too_far']]);
    expect(await read('2026-11-19', now), 'the whole of the last day').toEqual(at('2026-11-20T04:59:59Z'));
    expect(await refused('2026-11-20', now)).toEqual([['expires', 'too_far']]);
  });

  it('is in the future', async () => {
    expect(await refused('2026-06-01T12:00:00Z', '2026-06-01T12:00:00Z')).toEqual([['expires', 'in_the_past']]);
    expect(await refused('2026-05-31', '2026-06-01T04:00:00Z')).toEqual([['expires', 'in_the_past']]);
    expect(await read('2026-05-31', '2026-06-01T03:00:00Z')).toEqual(at('2026-06-01T03:59:59Z'));
  });

  it('is no time that a clock change skips', async () => {
    expect(await refused('2026-03-08T02:30:00', '2026-03-01T12:00:00Z')).toEqual([['expires', 'skipped_by_clock_change']]);
    expect(await read('2026-11-01T01:30:00', '2026-10-20T12:00:00Z'), 'the first of two').toEqual(at('2026-11-01T05:30:00Z'));
  });
});
