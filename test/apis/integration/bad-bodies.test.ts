import { describe, expect, it } from 'vitest';
import { integrationClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { expectException, storedRows } from './exceptions.ts';
import { operationsWithBody } from './operations-with-body.ts';

const test = await sharedTestApp();
const clinic = await integrationClient(test);
const operations = await operationsWithBody(test, clinic);

const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`;
const MIB = 1024 * 1024;

/** Bodies with a JSON content type that are no record, and the status of their refusal. */
const NO_RECORDS: [string, string, number][] = [
  ['half an object', '{"a":', 400],
  ['words', 'hello', 400],
  ['a comment', '{/* */}', 400],
  ['two objects', '{}{}', 400],
  ['a single quote', "{'a': 1}", 400],
  ['NaN', '{"a": NaN}', 400],
  ['a NUL', '\0', 400],
  ['spaces', '   ', 400],
  ['a list', '[]', 400],
  ['a list of records', '[{}]', 400],
  ['a text', '"text"', 400],
  ['a number', '5', 400],
  ['true', 'true', 400],
  ['a list 10,000 deep', nested(10_000, '[', ']'), 400],
  ['an object 10,000 deep', nested(10_000, '{"a":', '}'), 400],
  ['an unknown field 10,000 deep', `{"unheard_of":${nested(10_000, '[', ']')}}`, 400],
  ['an ignored field 10,000 deep', `{"user_uuid":${nested(10_000, '{"a":', '}')}}`, 400],
  ['more than 1 MiB', `{"a":"${'x'.repeat(MIB)}"}`, 413],
  ['2 MiB', `{"a":"${'x'.repeat(2 * MIB)}"}`, 413],
];

const WRONG_TYPES = [
  'text/plain',
  'text/html',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/jsonp',
  'nonsense',
];

describe('every operation with a body', () => {
  it.each(NO_RECORDS)('refuses %s, with a key too', async (_, body, status) => {
    const before = await storedRows(test.database, clinic);
    for (const { request } of operations) {
      expectException(await request().set('content-type', 'application/json').send(body), status, null);
      expectException(await request().set('content-type', 'application/json').set('idempotency-key', 'k').send(body), status, null);
    }
    expect(await storedRows(test.database, clinic)).toEqual(before);
  });

  it.each(WRONG_TYPES)('refuses a body of type %s', async (type) => {
    const before = await storedRows(test.database, clinic);
    for (const { request } of operations) expectException(await request().set('content-type', type).send('name=Visit&uuid=1'), 415, null);
    expect(await storedRows(test.database, clinic)).toEqual(before);
  });

  it('refuses an empty body unless it may be left out', async () => {
    const before = await storedRows(test.database, clinic);
    for (const { request, bodyOptional } of operations) {
      // null is a body, and no object.
      expectException(await request().set('content-type', 'application/json').send('null'), 400, 'body');
      if (bodyOptional) continue;
      expectException(await request(), 400, 'body');
      expectException(await request().set('content-type', 'application/json'), 400, 'body');
    }
    expect(await storedRows(test.database, clinic)).toEqual(before);
  });
});

describe('an id in the address', () => {
  it.each(['abc', '12abc', '0', '-1', '7.5', '1e99', '0x10', '9007199254740992', '9'.repeat(20), '%00', '%20', '1%00', '٣', "1'--"])(
    'of %s is refused by name',
    async (id) => {
      const before = await storedRows(test.database, clinic);
      const answers = [
        await clinic.get(`/appointments/${encodeURI(decodeURIComponent(id))}`),
        await clinic.put(`/appointments/${encodeURI(decodeURIComponent(id))}`).send({}),
        await clinic.delete(`/appointments/${encodeURI(decodeURIComponent(id))}`),
        await clinic.put(`/patients/${encodeURI(decodeURIComponent(id))}`).send({}),
      ];
      for (const answer of answers) expectException(answer, 400, 'uuid');
      expect(await storedRows(test.database, clinic)).toEqual(before);
    },
  );

  it.each(['2147483648', '99999999999'])('of %s is refused for a patient, and may be one of an appointment', async (id) => {
    expectException(await clinic.put(`/patients/${id}`).send({}), 400, 'uuid');
    for (const answer of [await clinic.get(`/appointments/${id}`), await clinic.put(`/appointments/${id}`).send({})])
      expectException(answer, 404, null);
  });

  it('that nobody has is not found', async () => {
    for (const answer of [
      await clinic.get('/appointments/2147483647'),
      await clinic.put('/appointments/2147483647').send({}),
      await clinic.put('/patients/2147483647').send({}),
    ]) {
      expectException(answer, 404, null);
    }
  });
});
