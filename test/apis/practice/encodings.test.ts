import { describe, expect, it } from 'vitest';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';

const test = await sharedTestApp();
const system = await practiceClient(test);

const send = (form: string, charset = '') =>
  system.post('/patients').set('content-type', `application/x-www-form-urlencoded${charset}`).send(form);

async function registered(form: string, charset = '') {
  const answer = await send(form, charset);
  expect(answer.status, answer.text).toBe(200);
  const { organizationId } = system;
  const key = { organizationId, id: Number(answer.body[0].patientid) };
  return test.database.prisma.patient.findUniqueOrThrow({ where: { organizationId_id: key } });
}

describe('text in another encoding than UTF-8', () => {
  it.each([
    ['firstname', 'firstname=Jos%E9&lastname=A'],
    ['lastname', 'lastname=N%FA%F1ez'],
    ['lastname', 'lastname=%ED%A0%80'],
    ['address1', 'address1=Calle+Espa%F1a+3'],
    ['city', 'city=San+Jos%e9'],
    ['firstname', 'firstname=%EF%BF%BD'],
  ])('is refused by the name of its field, %s, and not stored as it came: %s', async (field, form) => {
    for (const charset of ['', '; charset=ISO-8859-1']) {
      const answer = await send(form, charset);
      expect(answer.status, answer.text).toBe(400);
      expect(answer.body).toMatchObject({ invalidfields: [field], detailedmessage: `${field}: is not written in UTF-8` });
    }
  });

  it.each(['firstname', 'lastname'])('is refused by a search for a %s, which would find nobody', async (field) => {
    const answer = await system.get(`/patients?${field}=N%FA%F1ez`);
    expect(answer.status).toBe(400);
    expect(answer.body.invalidfields).toEqual([field]);
  });
});

describe('a form', () => {
  it.each([
    ['with every character escaped', 'firstname=%5A%6F%c3%ab', { firstName: 'Zoë' }],
    ['with none escaped that need not be', 'firstname=Zo\u00eb', { firstName: 'Zoë' }],
    ['with + for a space and %2B for a plus', 'address1=1+Main%20St+%2B+Elm', { address1: '1 Main St + Elm' }],
    ['with a percent sign', 'address1=100%25+Wool+St', { address1: '100% Wool St' }],
    ['with a typographic apostrophe', 'lastname=O%E2%80%99Neil', { lastName: 'O’Neil' }],
    ['with a character beyond 16 bits', 'firstname=%F0%9D%94%B8', { firstName: '\u{1d538}' }],
    ['that ends in an ampersand', '&firstname=A&', { firstName: 'A' }],
  ])('%s is read as it was meant', async (_, form, expected) => {
    for (const charset of ['', ';charset=utf-8', '; charset="UTF-8"']) expect(await registered(form, charset)).toMatchObject(expected);
  });
});
