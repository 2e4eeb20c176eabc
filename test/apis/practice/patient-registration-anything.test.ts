import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PracticeError } from '../../../src/apis/practice/errors.ts';
import { RegistrationAnswer } from '../../../src/apis/practice/patients/record/patient-input.wire.ts';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { codePoint } from '../../support/code-point.ts';

const test = await sharedTestApp();
const systems = [
  await practiceClient(test),
  await practiceClient(test, { organization: { registrationPolicy: 'strict', matchOnRegistration: true } }),
];

const FIELDS = ['address1', 'address2', 'city', 'departmentid', 'dob', 'email', 'firstname', 'homephone', 'lastname'];
const MORE = ['mobilephone', 'race', 'sex', 'state', 'zip', 'nickname', '__proto__', 'constructor', ''];

const plausible = fc.constantFrom(
  'declined',
  '2106-3',
  '02/29/1980',
  '27601',
  'NC',
  'M',
  '9105550123',
  'a@example.com',
  '1',
  'Lee',
  ' ',
  '\t',
  '\0',
  '\ud800',
  '2147483648',
);
const value = fc.oneof(plausible, fc.string({ unit: codePoint, maxLength: 300 }));
const form = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...FIELDS, ...MORE), fc.string()), value), { maxLength: 15 });

describe('a registration from any form at all', () => {
  const settle = async (body: string) => {
    for (const system of systems) {
      const answer = await system.post('/patients').type('form').send(body);
      expect([200, 400, 404], `${body}: ${answer.text}`).toContain(answer.status);
      const shape = answer.status === 200 ? RegistrationAnswer : PracticeError;
      expect(shape.safeParse(answer.body).success, answer.text).toBe(true);
    }
  };

  it('is answered with a patient or with what is wrong', async () => {
    const encoded = form.map((fields) => new URLSearchParams(fields).toString());
    await fc.assert(fc.asyncProperty(encoded, settle), { numRuns: 50 });
  });

  it('is answered so also where it is no form', async () => {
    const noise = fc.string({ unit: fc.constantFrom(...'firstname=&%0aé+;[]{}"'), maxLength: 200 });
    await fc.assert(fc.asyncProperty(noise, settle), { numRuns: 40 });
  });
});
