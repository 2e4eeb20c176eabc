import { describe, expect, it } from 'vitest';
import type { Prisma } from '../../../src/generated/prisma/client.ts';
import { practiceClient } from '../../support/actors.ts';
import { sharedTestApp } from '../../support/app.ts';
import { createOffice, createPatient } from '../../support/factories.ts';

type System = Awaited<ReturnType<typeof practiceClient>>;

const test = await sharedTestApp();
const rows = () => test.database.prisma;
/** A practice that asks for much, and one that finds people again. */
const strict: System = await practiceClient(test, { organization: { registrationPolicy: 'strict' } });
const matching: System = await practiceClient(test, { organization: { matchOnRegistration: true } });
const departmentid = (await createOffice(rows(), { organizationId: strict.organizationId })).id;

const send = (system: System, form: object) => system.post('/patients').type('form').send(form);

describe('the strict policy', () => {
  const who = () => ({ firstname: 'Ann', lastname: 'Lee', dob: '02/29/1980', departmentid });

  it.each([
    ['email', 'ann@example.com'],
    ['homephone', '9197334321'],
    ['mobilephone', '9105550123'],
    ['zip', '27601'],
  ])('is content with name, birth date, department and %s', async (field, value) => {
    expect((await send(strict, { ...who(), [field]: value })).status).toBe(200);
  });

  it.each(['lastname', 'dob', 'departmentid'])('asks for %s', async (field) => {
    const answer = await send(strict, { ...who(), firstname: '', zip: '27601', [field]: '' });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      error: 'Additional fields are required.',
      detailedmessage: `${field}: is missing`,
      missingfields: [field],
      invalidfields: [],
    });
  });

  it.each([
    ['nothing', {}],
    ['declined ones', { email: 'declined', mobilephone: 'declined' }],
    ['numbers that are ignored', { homephone: '911', mobilephone: '9194567890' }],
  ])('asks for one way to reach the patient, and names all four for %s', async (_, ways) => {
    const answer = await send(strict, { ...who(), ...ways });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ missingfields: ['email', 'homephone', 'mobilephone', 'zip'], invalidfields: [] });
    expect(answer.body.detailedmessage).toContain('a telephone number or a zip is enough');
  });

  it('is content with the first or the last name of a patient who has one name', async () => {
    expect((await send(strict, { ...who(), firstname: '', lastname: 'Suharto', zip: '27601' })).status).toBe(200);
    expect((await send(strict, { ...who(), firstname: 'Suharto', lastname: '', zip: '27601' })).status).toBe(200);
  });

  it('names malformed fields before it looks at the policy', async () => {
    const answer = await send(strict, { firstname: 'Ann', departmentid, zip: 'ABC' });
    expect([answer.status, answer.body]).toMatchObject([400, { missingfields: [], invalidfields: ['zip'] }]);
  });

  it('names all that is missing at once, and registers nobody', async () => {
    const before = await rows().patient.count({ where: { organizationId: strict.organizationId } });
    const answer = await send(strict, { sex: 'F' });
    expect(answer.body.missingfields).toEqual(['lastname', 'dob', 'departmentid', 'email', 'homephone', 'mobilephone', 'zip']);
    const unknown = await send(strict, { sex: 'F', departmentid: 2_147_483_647 });
    expect([unknown.status, unknown.body]).toMatchObject([
      400,
      { missingfields: ['lastname', 'dob', 'email', 'homephone', 'mobilephone', 'zip'], invalidfields: ['departmentid'] },
    ]);
    expect(await rows().patient.count({ where: { organizationId: strict.organizationId } })).toBe(before);
  });
});

describe('matching', () => {
  let person = 0;
  /** Someone who stands already, of another name for each test. */
  async function standing(data: Partial<Prisma.PatientUncheckedCreateInput> = {}, { organizationId } = matching) {
    person += 1;
    const lastName = `Núñez ${person}`;
    const patient = await createPatient(rows(), {
      organizationId,
      firstName: 'Zoë',
      lastName,
      birthDate: new Date('1980-02-29T00:00:00Z'),
      zip: '27601-1234',
      email: 'Zoe@Example.com',
      homePhone: '+19197334321',
      mobilePhone: '+19105550123',
      ...data,
    });
    return { patient, form: { firstname: 'zoe', lastname: `NUNEZ ${person}`, dob: '02/29/1980' } };
  }

  async function outcome(system: System, form: object) {
    const answer = await send(system, form);
    expect(answer.status, answer.text).toBe(200);
    return { said: answer.headers.registration, id: answer.body[0].patientid };
  }

  it.each([
    ['zip', { zip: '276015678' }],
    ['email', { email: 'zOE@example.com' }],
    ['home phone', { homephone: '9197334321' }],
    ['mobile phone', { mobilephone: '9105550123' }],
    ['home phone, which is the mobile one here', { homephone: '9105550123' }],
    ['mobile phone, which is the home one here', { mobilephone: '9197334321' }],
    ['zip, where email and phone differ', { zip: '27601', email: 'other@example.com', homephone: '9197330000' }],
  ])('finds who has the same name, birth date and %s, and changes nothing', async (_, further) => {
    const { patient, form } = await standing();
    expect(await outcome(matching, { ...form, ...further, address1: 'Elsewhere' })).toEqual({ said: 'matched', id: patient.id });
    const { organizationId } = matching;
    expect(await rows().patient.findFirst({ where: { organizationId, id: patient.id } })).toEqual(patient);
    const audit = await rows().auditEntry.findFirstOrThrow({ where: { organizationId, resourceIds: { has: patient.id } } });
    expect(audit).toMatchObject({ action: 'search', resource: 'patient' });
    expect(await rows().event.count({ where: { organizationId, subjectId: patient.id } })).toBe(0);
  });

  it.each([
    ['first name', { firstname: 'Zora', zip: '27601' }],
    ['last name', { lastname: 'Nunez', zip: '27601' }],
    ['birth date', { dob: '03/01/1980', zip: '27601' }],
    ['zip, email and phone', { zip: '27602', email: 'x@example.com', homephone: '9197330000' }],
    ['nothing, but says no more than name and birth date', {}],
    ['nothing, but has no birth date', { dob: '', zip: '27601' }],
    ['nothing, but has no first name', { firstname: '', zip: '27601' }],
  ])('takes for another person who differs in %s', async (_, difference) => {
    const { patient, form } = await standing();
    const { said, id } = await outcome(matching, { ...form, ...difference });
    expect(said).toBe('created');
    expect(id).not.toBe(patient.id);
  });

  it('takes part of a last name for another one', async () => {
    const { form } = await standing({ lastName: 'Smith-Jones' });
    expect((await outcome(matching, { ...form, lastname: 'jones', zip: '27601' })).said).toBe('created');
  });

  it('answers the one with the lowest id where several are the same', async () => {
    const { patient, form } = await standing();
    await standing({ lastName: patient.lastName });
    expect(await outcome(matching, { ...form, zip: '27601' })).toEqual({ said: 'matched', id: patient.id });
  });

  it('refuses an unknown department for someone who stands as for someone new', async () => {
    const { form } = await standing();
    const [known, unknown] = [
      { ...form, zip: '27601' },
      { ...form, zip: '99999' },
    ];
    const answers = await Promise.all([known, unknown].map((one) => send(matching, { ...one, departmentid })));
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(answers[0]?.text).toBe(answers[1]?.text);
  });

  it('does not tell of a deleted patient', async () => {
    const { patient, form } = await standing({ status: 'deleted' });
    expect((await outcome(matching, { ...form, zip: '27601' })).id).not.toBe(patient.id);
  });

  it.each(['record', 'blocked'] as const)('does not tell of a patient whose restriction is: %s', async (kind) => {
    const { patient, form } = await standing();
    const { organizationId } = matching;
    await rows().privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind } });
    const { said, id } = await outcome(matching, { ...form, zip: '27601' });
    expect(said).toBe('created');
    expect(id).not.toBe(patient.id);
  });

  it('finds nobody of another practice', async () => {
    const other = await practiceClient(test, { organization: { matchOnRegistration: true } });
    const { patient, form } = await standing({}, other);
    const { said, id } = await outcome(matching, { ...form, zip: '27601' });
    expect(said).toBe('created');
    expect(id).not.toBe(patient.id);
  });

  it('is on for a new practice, and off for one that does not want it', async () => {
    const usual = await practiceClient(test);
    const there = await standing({}, usual);
    expect(await outcome(usual, { ...there.form, zip: '27601' })).toEqual({ said: 'matched', id: there.patient.id });
    const open = await practiceClient(test, { organization: { matchOnRegistration: false } });
    const { form } = await standing({}, open);
    expect((await outcome(open, { ...form, zip: '27601' })).said).toBe('created');
  });

  it.each([
    ["O'Hara Smith-Jones", 'ohara smith jones'],
    ['De La Cruz', 'DELACRUZ'],
    ['O’Neil', "O'neil"],
    ['Núñez–Brontë', 'nunez bronte'],
    ['Mary-Anne', 'Mary Anne', 'firstname'],
    ['Seán Óg', 'Seanog', 'firstname'],
  ])('takes %s and %s for one name', async (known, sent, field = 'lastname') => {
    const { patient, form } = await standing(field === 'lastname' ? { lastName: known } : { firstName: known });
    expect(await outcome(matching, { ...form, [field]: sent, zip: '27601' })).toEqual({ said: 'matched', id: patient.id });
    await rows().patient.update({
      where: { organizationId_id: { organizationId: matching.organizationId, id: patient.id } },
      data: { status: 'deleted' },
    });
  });

  it('finds who has one name alone, and nobody by a missing name', async () => {
    const { patient } = await standing({ firstName: null, lastName: 'Suharto' });
    const form = { dob: '02/29/1980', zip: '27601' };
    expect(await outcome(matching, { ...form, lastname: 'suharto' })).toEqual({ said: 'matched', id: patient.id });
    expect((await outcome(matching, form)).said).toBe('created');
  });

  it('makes one patient of registrations of one person that come at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const form = { firstname: 'Twin', lastname: `Racer ${round}`, dob: '02/29/1980', zip: '27601' };
      const others = [
        { firstname: 'TWIN' },
        { lastname: `rácer ${round}` },
        { lastname: `Racer-${round}` },
        { lastname: `RAC'ER${round}` },
      ];
      const spellings = [form, ...others.map((other) => ({ ...form, ...other })), form];
      const outcomes = await Promise.all(spellings.map((one) => outcome(matching, one)));
      expect(new Set(outcomes.map(({ id }) => id)).size).toBe(1);
      expect(outcomes.map(({ said }) => said).toSorted()).toEqual(['created', ...Array.from({ length: 5 }, () => 'matched')]);
    }
  });

  it('says again under the same Idempotency-Key what it said first', async () => {
    const form = { firstname: 'Key', lastname: 'Holder', dob: '02/29/1980', zip: '27601' };
    const ask = () => send(matching, form).set('idempotency-key', 'match-1');
    const [first, again] = [await ask(), await ask()];
    expect(again.headers.registration).toBe('created');
    expect(again.text).toBe(first.text);
    expect(await outcome(matching, form)).toEqual({ said: 'matched', id: first.body[0].patientid });
  });
});
