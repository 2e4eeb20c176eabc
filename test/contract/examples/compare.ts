import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Example } from '../../../src/http/endpoints/examples.ts';

const record = z.record(z.string(), z.unknown());

/** Texts whose values depend on the day or on the run, by their form. */
const FORMS: [name: string, pattern: RegExp][] = [
  ['instant', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/],
  ['local time', /^\d{4}-\d\d-\d\dT[\d:.]+([+-]\d\d:\d\d)?$/],
  ['day', /^\d{4}-\d\d-\d\d$/],
  ['American day', /^\d\d\/\d\d\/\d{4}$/],
  ['guid', /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/],
];

function toKind(value: unknown): string {
  if (typeof value !== 'string') return Array.isArray(value) ? 'list' : typeof value;
  return FORMS.find(([, pattern]) => pattern.test(value))?.[0] ?? 'string';
}

/** The fields of an object; those that are named by an id, which depends on the run, by one name. */
const toFields = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record.parse(value)).map(([name, one]) => [/^\d+$/.test(name) ? 'id' : name, one]));

/** Differences in shape: names of fields, kinds of values, whether the list is empty. Null may stand for any value. */
function shapeDifferences(recorded: unknown, actual: unknown, place: string): string[] {
  if (recorded === null || actual === null) return [];
  const [kind, now] = [toKind(recorded), toKind(actual)];
  if (kind !== now) return [`${place} is ${now} instead of ${kind}`];
  if (Array.isArray(recorded) && Array.isArray(actual)) {
    // The list of a response is as empty as it was; a list of one of its records may differ.
    if (place.split('/').length === 2 && (recorded.length === 0) !== (actual.length === 0))
      return [`${place} has ${actual.length} elements instead of ${recorded.length}`];
    return recorded.slice(0, actual.length).flatMap((one, index) => shapeDifferences(one, actual[index], `${place}/${index}`));
  }
  if (kind !== 'object') return [];
  const [expected, given] = [toFields(recorded), toFields(actual)];
  const names = new Set([...Object.keys(expected), ...Object.keys(given)]);
  return [...names].flatMap((name) => {
    if (!(name in given)) return [`${place}/${name} is missing`];
    if (!(name in expected)) return [`${place}/${name} is new`];
    return shapeDifferences(expected[name], given[name], `${place}/${name}`);
  });
}

/** Fields of the body that the recorded response repeats, and this one does not. */
function echoDifferences({ body = {}, response }: Example, actual: unknown): string[] {
  const readData = (answer: unknown) => record.catch({}).parse(record.catch({}).parse(answer).data);
  const [recorded, now] = [readData(response), readData(actual)];
  return Object.entries(body)
    .filter(([name, value]) => toKind(value) !== 'number' && isDeepStrictEqual(recorded[name], value))
    .flatMap(([name, value]) => (isDeepStrictEqual(now[name], value) ? [] : [`data/${name} is not the one that was sent`]));
}

/** Fields that say how it is at this hour: a text waits for the end of the patient's quiet hours at night, and does not by day. */
const HOURLY = ['can_text'];

/** A response without the values that depend on the day or the hour. */
const steady = (response: unknown): unknown =>
  JSON.parse(
    JSON.stringify(response, (name, value: unknown) =>
      HOURLY.includes(name) || (typeof value === 'string' && toKind(value) !== 'string') ? toKind(value) : value,
    ) ?? 'null',
  );

/** Whole numbers, GUIDs and instants, which depend on the run, are left out of the comparison of requests. */
const writeRequest = ({ path, query, body }: Example) =>
  JSON.stringify({ path, query, body }, (_, value: unknown) =>
    typeof value === 'number' || ['guid', 'instant'].includes(toKind(value)) ? toKind(value) : value,
  );

/**
 * How what happened now differs from an example: status and request, the shape of the response, and the fields of the body that
 * the response repeats.
 * @param exact the response has the same values every time, apart from dates
 */
export function differences(recorded: Example | undefined, actual: Example, exact: boolean): string[] {
  if (!recorded) return ['has no example'];
  return [
    ...(recorded.status === actual.status ? [] : [`status ${actual.status} instead of ${recorded.status}`]),
    ...(writeRequest(recorded) === writeRequest(actual) ? [] : ['the request is another one']),
    ...('response' in recorded === 'response' in actual ? [] : ['the response has a body in one of both only']),
    ...shapeDifferences(recorded.response, actual.response, ''),
    ...echoDifferences(recorded, actual.response),
    ...(exact && !isDeepStrictEqual(steady(recorded.response), steady(actual.response)) ? ['a value of the response is another one'] : []),
  ];
}
