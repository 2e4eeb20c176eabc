import { RRuleTemporal } from 'rrule-temporal';
import { Temporal } from 'temporal-polyfill';
import { invalid } from '../../errors.ts';
import { type Moment, momentAt, readDay, writeLocal } from '../../values/time/time.ts';

/** Visits of a series, at most. */
export const MOST_APPOINTMENTS = 100;

const matchList = (one: string): RegExp => new RegExp(`^(?:${one})(?:,(?:${one}))*$`);
const DAY = 'MO|TU|WE|TH|FR|SA|SU';
const NUMBER = '[+-]?(?:[1-9]\\d?|[12]\\d\\d|3[0-5]\\d|36[0-6])';
/** Of each part of a rule (RFC 5545, 3.3.10), the values that it may have. A visit has one time of day, that of the first one. */
const PARTS: Readonly<Record<string, RegExp>> = {
  FREQ: /^(?:DAILY|WEEKLY|MONTHLY|YEARLY)$/,
  INTERVAL: /^[1-9]\d{0,2}$/,
  COUNT: /^[1-9]\d{0,5}$/,
  UNTIL: /^\d{8}(?:T\d{6}Z?)?$/,
  BYDAY: matchList(`(?:[+-]?[1-5]?\\d)?(?:${DAY})`),
  BYMONTH: matchList('0?[1-9]|1[0-2]'),
  BYMONTHDAY: matchList('[+-]?(?:0?[1-9]|[12]\\d|3[01])'),
  BYYEARDAY: matchList(NUMBER),
  BYWEEKNO: matchList('[+-]?(?:0?[1-9]|[1-4]\\d|5[0-3])'),
  BYSETPOS: matchList(NUMBER),
  WKST: matchList(DAY),
};

const EXAMPLE = 'FREQ=WEEKLY;BYDAY=TU;COUNT=10';

/**
 * The wall clock of each visit of a recurrence rule, such as `2031-03-09T02:30:00`, also of one that the clocks of the place skip.
 * @param first the earliest moment of a visit, whose time of day all have
 * @throws Failure invalid for a rule that cannot be read, has no end, or yields no visit or too many
 */
export function listRecurrences(written: string, first: Moment): string[] {
  const parts = readParts(written);
  const until = parts.get('UNTIL');
  if (until === undefined && !parts.has('COUNT')) throw wrongRule(`needs COUNT or UNTIL, such as ${EXAMPLE}`);
  if (until !== undefined) parts.set('UNTIL', lastMoment(until, first.timeZone));
  const times = occurrences([...parts].map((part) => part.join('=')).join(';'), first);
  if (times.length === 0) throw wrongRule('yields no visit');
  if (times.length > MOST_APPOINTMENTS) throw wrongRule(`yields more than ${MOST_APPOINTMENTS} visits`, 'too_many_visits');
  return times;
}

const wrongRule = (message: string, code = 'invalid_rule') => invalid('rule', message, code);

function readParts(written: string): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of written
    .trim()
    .toUpperCase()
    .replace(/^RRULE:|;$/g, '')
    .split(';')) {
    const [name = '', value = ''] = part.split('=', 2);
    const form = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (!form)
      throw wrongRule(`has the unsupported part ${JSON.stringify(part)}: parts are ${Object.keys(PARTS).join(', ')}, as in ${EXAMPLE}`);
    if (parts.has(name)) throw wrongRule(`has ${name} twice`);
    if (!form.test(value)) throw wrongRule(`has a value that RFC 5545 does not allow for ${name}`);
    parts.set(name, value);
  }
  return parts;
}

/** UNTIL on the wall clock of the visits, written as if in UTC. A day is meant whole. */
function lastMoment(until: string, timeZone: string): string {
  const [day = '', time = '235959'] = until.replace('Z', '').split('T');
  const [date, clock] = [day.replace(/(.{4})(..)(..)/, '$1-$2-$3'), time.replace(/(..)(..)(..)/, '$1:$2:$3')];
  const at = new Date(`${date}T${clock}Z`);
  if (readDay(date) === null || Number.isNaN(at.getTime())) throw wrongRule('has a nonexistent day or time in UNTIL');
  const local = until.endsWith('Z') ? momentAt(at, timeZone).local : at;
  return `${writeLocal(local)?.replaceAll(/[-:]/g, '')}Z`;
}

/** In UTC, where no clock skips or repeats an hour; one more than a series may have shows that there are too many. */
function occurrences(rruleString: string, { local }: Moment): string[] {
  const dtstart = Temporal.ZonedDateTime.from(`${writeLocal(local)}[UTC]`);
  // Bounds for rules that never come true, such as the 30th of February.
  const bounds = { maxIterations: 2_000, maxCandidateEvaluations: 50_000 };
  try {
    const rule = new RRuleTemporal({ rruleString, dtstart, temporal: Temporal, strict: true, cache: false, ...bounds });
    return rule.all((_, index) => index <= MOST_APPOINTMENTS).map((at) => at.toPlainDateTime().toString({ smallestUnit: 'second' }));
  } catch (error) {
    throw wrongRule(`is not a valid rule of RFC 5545 with future days: ${error instanceof Error ? error.message : 'it cannot be read'}`);
  }
}
