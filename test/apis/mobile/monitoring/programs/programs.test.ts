import { beforeAll, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import type { Person } from '../../people/people.ts';
import { createProgram } from '../care.ts';

const RPM = '/remote-patient-monitoring';

const test = await sharedTestApp();
const own: Person = await signedInUser(test, { type: 'provider' });
let organizationId: number;
beforeAll(async () => {
  ({ organizationId } = own);
});

const rows = () => test.database.prisma;
const newPatient = (data: object = {}) => createPatient(rows(), { organizationId, ...data });
const add = (program: number, patient: number) =>
  own.post(`${RPM}/programs/add-patient`).send({ program_uuid: program, patient_uuid: patient });
const restrict = (patientId: number) => rows().privacyRestriction.create({ data: { organizationId, patientId, kind: 'record' } });

describe('a patient', () => {
  it('is put into a program at its first step, and has the flag RPM from then on', async () => {
    const program = await createProgram(rows(), { organizationId, name: 'First steps' });
    const patient = await newPatient({ firstName: 'Rosa', lastName: 'Diaz', flags: ['Diabetes'] });
    const answer = await add(program.id, patient.id);
    expect(answer.status, answer.text).toBe(201);
    const person = { uuid: own.user.id, firstname: own.user.firstName, lastname: own.user.lastName };
    const step = { uuid: program.steps[0], name: 'Consent', position: 1 };
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(answer.body.data).toEqual({
      uuid: expect.any(Number),
      patient_uuid: patient.id,
      patient: { uuid: patient.id, firstname: 'Rosa', lastname: 'Diaz' },
      program_uuid: program.id,
      program: { uuid: program.id, name: 'First steps' },
      step,
      steps: 4,
      percent: 25,
      since: at,
      added_at: at,
      removed_at: null,
      history: [{ uuid: expect.any(Number), step, user: person, at }],
    });
    const { flags } = await rows().patient.findFirstOrThrow({ where: { organizationId, id: patient.id } });
    expect(flags).toEqual(['Diabetes', 'RPM']);
    const events = await rows().event.findMany({
      where: { organizationId, subjectId: { in: [patient.id, answer.body.data.uuid] } },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ name, changed }) => [name, changed])).toEqual([
      ['patient.updated', ['flags']],
      ['program_patient.added', []],
    ]);
  });

  it('with the flag in another case keeps it as it is', async () => {
    const program = await createProgram(rows(), { organizationId, name: 'Flagged' });
    const patient = await newPatient({ flags: ['rpm'] });
    await add(program.id, patient.id).expect(201);
    const kept = await rows().patient.findFirstOrThrow({ where: { organizationId, id: patient.id } });
    expect([kept.flags, kept.updatedAt]).toEqual([['rpm'], patient.updatedAt]);
  });

  it('is in a program once: the second time is told the enrolment', async () => {
    const program = await createProgram(rows(), { organizationId, name: 'Once' });
    const { id } = await newPatient();
    const first = await add(program.id, id);
    const second = await add(program.id, id);
    expect(second.body).toMatchObject({
      status: 409,
      code: 'already_in_program',
      detail: expect.stringContaining(`enrolment ${first.body.data.uuid}`),
      errors: [{ pointer: '/patient_uuid' }],
    });
    const other = await createProgram(rows(), { organizationId, name: 'Beside' });
    await add(other.id, id).expect(201);
  });

  it('is put into it once by ten who try at once', async () => {
    const program = await createProgram(rows(), { organizationId, name: 'Raced' });
    const { id } = await newPatient();
    const answers = await Promise.all(Array.from({ length: 10 }, () => add(program.id, id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    expect(await rows().workflowEvent.count({ where: { organizationId, enrolment: { programId: program.id } } })).toBe(1);
    const { flags } = await rows().patient.findFirstOrThrow({ where: { organizationId, id } });
    expect(flags).toEqual(['RPM']);
  });

  it.each([
    ['with the slash', (program: number, patient: number) => `${RPM}/programs/${program}/patients/${patient}`],
    ['as the list spells it', (program: number, patient: number) => `${RPM}/programs${program}/patients/${patient}`],
    ['with a slash at the end', (program: number, patient: number) => `${RPM}/programs${program}/patients/${patient}/`],
  ])('is taken out of a program, %s, and keeps the history', async (spelling, path) => {
    const program = await createProgram(rows(), { organizationId, name: `Left ${spelling}` });
    const { id } = await newPatient();
    const before = (await add(program.id, id)).body.data;
    await own.delete(path(program.id, id)).expect(204);
    expect((await own.delete(path(program.id, id))).body).toMatchObject({ status: 404, code: 'enrolment_not_found' });
    const again = (await add(program.id, id)).body.data;
    expect(again.uuid).not.toBe(before.uuid);
    const { body } = await own.get(`${RPM}/programs/patients/${id}`);
    const audits = await rows().auditEntry.findMany({
      where: { organizationId, action: 'delete', resource: 'program_patient' },
      orderBy: { id: 'asc' },
    });
    expect(audits.filter(({ patientIds }) => patientIds.includes(id)).map(({ resourceIds }) => resourceIds)).toEqual([[before.uuid]]);
    const left = { ...before, removed_at: expect.stringMatching(/Z$/) };
    expect(body.data).toEqual([again, left]);
    expect(body.meta.total).toBe(2);
    const { flags } = await rows().patient.findFirstOrThrow({ where: { organizationId, id } });
    expect(flags).toEqual(['RPM']);
  });

  it('is not put into a program that was ended', async () => {
    const program = await createProgram(rows(), { organizationId, name: 'Ended', active: false });
    const { id } = await newPatient();
    expect((await add(program.id, id)).body).toMatchObject({ status: 409, code: 'program_ended' });
  });

  it('or a program that is not there is not found, and neither is a restricted or deleted chart', async () => {
    const program = await createProgram(rows(), { organizationId, name: 'Here' });
    const [present, restricted, deleted] = [await newPatient(), await newPatient(), await newPatient({ status: 'deleted' })];
    await restrict(restricted.id);
    const refused = async (one: number, other: number) => {
      const { body } = await add(one, other);
      return [body.status, body.code, body.errors[0].pointer];
    };
    expect(await refused(2_000_000_000, present.id)).toEqual([404, 'program_not_found', '/program_uuid']);
    for (const id of [2_000_000_000, restricted.id, deleted.id])
      expect(await refused(program.id, id)).toEqual([404, 'patient_not_found', '/patient_uuid']);
    for (const body of [
      {},
      { program_uuid: 'x', patient_uuid: 1 },
      { program_uuid: program.id },
      { program_uuid: 1, patient_uuid: 2 ** 31 },
    ])
      expect((await own.post(`${RPM}/programs/add-patient`).send(body)).status).toBe(400);
  });
});

describe('programs', () => {
  it('are listed with their steps in order and how many are in them, and one that was ended is found only by its id', async () => {
    const clinic = await signedInUser(test);
    const of = { organizationId: clinic.organizationId };
    const names = ['beta', 'Álpha', 'gamma'];
    for (const name of names) await createProgram(rows(), { ...of, name, steps: ['One', 'Two'] });
    const ended = await createProgram(rows(), { ...of, name: 'Over', active: false });
    const listed = async (query = '') => (await clinic.get(`${RPM}/programs?${query}`)).body.data.map(({ name }: { name: string }) => name);
    expect(await listed()).toEqual(['Álpha', 'beta', 'gamma']);
    expect(await listed('sort=title&order=DESC')).toEqual(['gamma', 'beta', 'Álpha']);
    expect(await listed('sort=id')).toEqual(['beta', 'Álpha', 'gamma']);
    expect(await listed('sort=created_at&order=desc&limit=1&page=2')).toEqual(['Álpha']);
    const { body } = await clinic.get(`${RPM}/programs?limit=2`);
    expect(body.meta).toMatchObject({ total: 3, last_page: 2 });
    const [first] = body.data;
    expect(first).toEqual({
      uuid: expect.any(Number),
      name: 'Álpha',
      service: 'rpm',
      description: null,
      active: true,
      steps: [
        { uuid: expect.any(Number), name: 'One', position: 1 },
        { uuid: expect.any(Number), name: 'Two', position: 2 },
      ],
      patients: 0,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const [stays, hidden] = [await createPatient(rows(), of), await createPatient(rows(), of)];
    for (const patient of [stays, hidden])
      await clinic.post(`${RPM}/programs/add-patient`).send({ program_uuid: first.uuid, patient_uuid: patient.id }).expect(201);
    await rows().privacyRestriction.create({ data: { ...of, patientId: hidden.id, kind: 'blocked' } });
    expect((await clinic.get(`${RPM}/programs/${first.uuid}`)).body.data).toEqual({ ...first, patients: 1 });
    expect((await clinic.get(`${RPM}/programs/${ended.id}`)).body.data).toMatchObject({ uuid: ended.id, active: false });
    const wrong = await clinic.get(`${RPM}/programs?sort=color`);
    expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringContaining('name or title or uuid')]);
  });
});

describe('the programs of a patient', () => {
  it('are sorted as asked, and audited as shown', async () => {
    const { id } = await newPatient();
    for (const name of ['B', 'C', 'A']) {
      const program = await createProgram(rows(), { organizationId, name: `Sorted ${name}` });
      await add(program.id, id).expect(201);
    }
    const path = `${RPM}/programs/patients/${id}`;
    const names = async (query: string) =>
      (await own.get(`${path}?${query}`)).body.data.map(({ program }: { program: { name: string } }) => program.name.slice(-1)).join('');
    expect(await names('')).toBe('ACB');
    expect(await names('sort=program')).toBe('ABC');
    expect(await names('sort=title&order=DESC')).toBe('CBA');
    expect(await names('sort=added_at')).toBe('BCA');
    expect(await names('sort=id&order=DESC&limit=2')).toBe('AC');
    expect(await names('sort=step')).toBe('BCA');
    expect((await own.get(`${path}?sort=lastname`)).status).toBe(400);
    const { body } = await own.get(`${path}?limit=2&page=2`);
    expect(body.meta).toMatchObject({ total: 3, from: 3, to: 3 });
    const audit = await rows().auditEntry.findFirstOrThrow({
      where: { organizationId, resource: 'program_patient', action: 'search', patientIds: { has: id } },
      orderBy: { id: 'asc' },
    });
    expect([audit.actor, audit.patientIds, audit.resourceIds.length]).toEqual([`user:${own.user.id}`, [id], 3]);
    await restrict(id);
    expect((await own.get(path)).status).toBe(404);
    expect((await own.delete(`${RPM}/programs/1/patients/${id}`)).status).toBe(404);
  });
});
