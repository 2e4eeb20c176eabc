import { describe, expect, it } from 'vitest';
import { integrationClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { expectException, storedRows } from './exceptions.ts';

const test = await sharedTestApp();
const clinic = await integrationClient(test);

const ANN = { firstname: 'Ann', lastname: 'Lee' };

async function create(fields: object) {
  const answer = await clinic.post('/patients').send(fields);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

async function update(uuid: number, fields: object) {
  const answer = await clinic.put(`/patients/${uuid}`).send(fields);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

describe('a new patient', () => {
  it('is called by fname and lname where both spellings are sent', async () => {
    expect(await create({ firstname: 'A', lastname: 'B', fname: 'C', lname: 'D' })).toMatchObject({ firstname: 'C', lastname: 'D' });
    expect(await create({ firstname: 'A', lname: 'D' })).toMatchObject({ firstname: 'A', lastname: 'D' });
    expect(await create({ firstname: 'A', fname: null })).toMatchObject({ firstname: 'A' });
    expect(await create({ fname: 'Gen', firstname: null, lname: null, lastname: 'Lee' })).toMatchObject({
      firstname: 'Gen',
      lastname: 'Lee',
    });
  });
});

describe('changing the name of a patient', () => {
  it.each([
    [
      { fname: null, lname: null, firstname: 'Ann', lastname: 'Li' },
      { firstname: 'Ann', lastname: 'Li' },
    ],
    [
      { fname: 'Anna', firstname: null },
      { firstname: 'Anna', lastname: 'Lee' },
    ],
    [
      { fname: '', firstname: 'Anna' },
      { firstname: 'Anna', lastname: 'Lee' },
    ],
  ])('takes a value in one place and null in another as the value: %j', async (change, expected) => {
    const { uuid } = await create(ANN);
    expect(await update(uuid, change)).toMatchObject(expected);
  });

  it.each([
    [{ firstname: null }, ['firstname']],
    [{ fname: '' }, ['fname']],
    [{ lastname: ' \u00a0' }, ['lastname']],
    [{ firstname: null, fname: null, lastname: null, lname: null, email: 'new@example.com' }, ['firstname', 'lastname']],
  ])('cannot clear a name: %j', async (change, names) => {
    const { uuid } = await create(ANN);
    const before = await storedRows(test.database, clinic);
    const answer = await clinic.put(`/patients/${uuid}`).send(change);
    expectException(answer, 400, null);
    expect(answer.body.message).toBe(names.map((name) => `${name}: cannot be cleared`).join('; '));
    expect(await storedRows(test.database, clinic)).toEqual(before);
  });

  it('of one name may send back that the other is null', async () => {
    const suharto = await create({ lastname: 'Suharto', email: 'suharto@example.com' });
    expect(await update(suharto.uuid, suharto)).toEqual(suharto);
    expect(await update(suharto.uuid, { firstname: null, email: null })).toMatchObject({
      firstname: null,
      lastname: 'Suharto',
      email: null,
    });
  });
});
