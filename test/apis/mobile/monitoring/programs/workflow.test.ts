import { beforeAll, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import type { Person } from '../../people/people.ts';
import { createProgram } from '../care.ts';

const RPM = '/remote-patient-monitoring';

const test = await sharedTestApp();
const own: Person = await signedInUser(test);
let organizationId: number;
beforeAll(async () => {
  ({ organizationId } = own);
});

const rows = () => test.database.prisma;
const toStepRequest = (program: number, patient: number, step: number) => ({
  program_uuid: program,
  patient_uuid: patient,
  step_uuid: step,
});
let named = 0;

/** A patient who was put into a new program, and how to bring the patient to its first, second … step. */
async function enrolled(person = own) {
  named += 1;
  const program = await createProgram(rows(), { organizationId: person.organizationId, name: `Program ${named}` });
  const { id } = await createPatient(rows(), { organizationId: person.organizationId });
  const answer = await person.post(`${RPM}/programs/add-patient`).send({ program_uuid: program.id, patient_uuid: id });
  expect(answer.status, answer.text).toBe(201);
  const move = (step: number, by = person) =>
    by.post(`${RPM}/programs/events`).send(toStepRequest(program.id, id, program.steps[step - 1] ?? 0));
  return { program, id, enrolment: answer.body.data, move };
}

const toHistory = ({ history }: { history: { step: { position: number }; user: { uuid: number } | null }[] }) =>
  history.map(({ step, user }) => [step.position, user?.uuid]);

describe('a workflow event', () => {
  it('brings a patient to the step that follows, or back to any before, and keeps who and when', async () => {
    const { id, enrolment, move } = await enrolled();
    const colleague = await signedInUser(test, { organizationId, type: 'provider' });
    expect((await move(2)).status).toBe(201);
    expect((await move(3, colleague)).body.data).toMatchObject({ uuid: enrolment.uuid, step: { position: 3 }, percent: 75 });
    await move(1).expect(201);
    const answer = await move(2, colleague);
    expect(answer.body.data).toMatchObject({ step: { position: 2 }, steps: 4, percent: 50, removed_at: null });
    const [me, other] = [own.user.id, colleague.user.id];
    expect(toHistory(answer.body.data)).toEqual([
      [1, me],
      [2, me],
      [3, other],
      [1, me],
      [2, other],
    ]);
    expect(answer.body.data.since).toBe(answer.body.data.history.at(-1).at);
    expect((await own.get(`${RPM}/programs/patients/${id}`)).body.data).toEqual([answer.body.data]);
    const events = await rows().event.findMany({
      where: { organizationId, name: 'program_patient.moved', subjectId: enrolment.uuid },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ actor }) => actor)).toEqual([me, other, me, other].map((user) => `user:${user}`));
  });

  it('skips no step: the refusal names those that are allowed', async () => {
    const { program, move } = await enrolled();
    const [first = 0, second = 0, third = 0] = program.steps;
    const ahead = await move(3);
    expect(ahead.body).toMatchObject({ status: 409, code: 'step_not_allowed', errors: [{ pointer: '/step_uuid' }] });
    expect(ahead.body.detail).toContain(`move to ${second} (Device).`);
    await move(2).expect(201);
    await move(3).expect(201);
    await move(2).expect(201);
    const again = await move(4);
    expect(again.body.detail).toContain(`move to ${third} (Training), and back to ${first} (Consent).`);
  });

  it('brings who has not begun yet to the first step alone', async () => {
    const { enrolment, move } = await enrolled();
    await rows().workflowEvent.deleteMany({ where: { organizationId, programPatientId: enrolment.uuid } });
    await rows().programPatient.update({ where: { organizationId_id: { organizationId, id: enrolment.uuid } }, data: { stepId: null } });
    const [waiting] = (await own.get(`${RPM}/programs/patients/${enrolment.patient_uuid}`)).body.data;
    expect(waiting).toMatchObject({ step: null, percent: 0, since: waiting.added_at, history: [] });
    expect((await move(2)).body).toMatchObject({ status: 409, code: 'step_not_allowed' });
    expect((await move(1)).body.data).toMatchObject({ step: { position: 1 }, percent: 25 });
  });

  it('to the step where the patient stands is refused, also at the last', async () => {
    const { move } = await enrolled();
    expect((await move(1)).body).toMatchObject({ status: 409, code: 'already_at_step' });
    for (const step of [2, 3, 4]) await move(step).expect(201);
    expect((await move(4)).body).toMatchObject({ status: 409, code: 'already_at_step' });
  });

  it('leaves one state where two come at once: the second is held against what the first left', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { id, move } = await enrolled();
      await move(2).expect(201);
      const answers = await Promise.all([move(3), move(3), move(3), move(1)]);
      const { body } = await own.get(`${RPM}/programs/patients/${id}`);
      const [{ step, history }] = body.data;
      const done = answers.filter(({ status }) => status === 201).length;
      expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
      // In whichever order they came, each that was done was allowed where the patient stood then.
      const places = history.map((entry: { step: { position: number } }) => entry.step.position);
      expect(places).toHaveLength(2 + done);
      expect(places.at(-1)).toBe(step.position);
      for (const [index, place] of places.entries()) if (index > 0) expect(place - places[index - 1]).toSatisfy((by) => by === 1 || by < 0);
      expect(places.filter((place: number) => place === 3)).toHaveLength(answers.slice(0, 3).filter(({ status }) => status === 201).length);
    }
  });

  it('and a removal at once leave the patient out of the program', async () => {
    const { program, id, move } = await enrolled();
    const [moved, removed] = await Promise.all([move(2), own.delete(`${RPM}/programs/${program.id}/patients/${id}`)]);
    expect(removed.status).toBe(204);
    expect([201, 409]).toContain(moved.status);
    const [left] = (await own.get(`${RPM}/programs/patients/${id}`)).body.data;
    expect(left.removed_at).toEqual(expect.any(String));
    expect(left.step.position).toBe(moved.status === 201 ? 2 : 1);
    expect((await move(2)).body).toMatchObject({ status: 409, code: 'not_in_program', errors: [{ pointer: '/patient_uuid' }] });
  });

  it('of who was never in the program, or with a step of another program, is refused', async () => {
    const { program, id } = await enrolled();
    const other = await enrolled();
    const send = (body: object) => own.post(`${RPM}/programs/events`).send(body);
    const [first = 0] = program.steps;
    expect((await send(toStepRequest(program.id, other.id, first))).body).toMatchObject({ status: 409, code: 'not_in_program' });
    expect((await send(toStepRequest(program.id, id, other.program.steps[1] ?? 0))).body).toMatchObject({
      status: 404,
      code: 'step_not_found',
      errors: [{ pointer: '/step_uuid' }],
    });
    expect((await send(toStepRequest(2_000_000_000, id, first))).body).toMatchObject({ status: 404, code: 'program_not_found' });
    expect((await send(toStepRequest(program.id, 2_000_000_000, first))).body).toMatchObject({ status: 404, code: 'patient_not_found' });
    for (const body of [{}, { ...toStepRequest(program.id, id, first), step_uuid: 'next' }, { program_uuid: program.id, patient_uuid: id }])
      expect((await send(body)).status).toBe(400);
  });

  it('sent again with its key moves the patient once', async () => {
    const { program, id, move } = await enrolled();
    const send = () =>
      own
        .post(`${RPM}/programs/events`)
        .set('idempotency-key', `step-${id}`)
        .send(toStepRequest(program.id, id, program.steps[1] ?? 0));
    const [first, again] = [await send(), await send()];
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect((await move(3)).body.data.history).toHaveLength(3);
  });
});

describe('the workflow', () => {
  it('shows everyone who is in a program, sorted as asked, and is audited with the patients shown', async () => {
    const clinic = await signedInUser(test);
    const of = { organizationId: clinic.organizationId };
    const [one, two] = [await createProgram(rows(), { ...of, name: 'Zeta' }), await createProgram(rows(), { ...of, name: 'eta' })];
    const people = [
      ['Cy', 'Adams'],
      ['Al', 'Brown'],
      ['Bo', 'Clark'],
    ];
    const ids: number[] = [];
    for (const [index, [firstName, lastName]] of people.entries()) {
      const { id } = await createPatient(rows(), { ...of, firstName: firstName ?? '', lastName: lastName ?? '' });
      const program = index === 1 ? two : one;
      await clinic.post(`${RPM}/programs/add-patient`).send({ program_uuid: program.id, patient_uuid: id }).expect(201);
      ids.push(id);
    }
    await clinic
      .post(`${RPM}/programs/events`)
      .send(toStepRequest(one.id, ids[2] ?? 0, one.steps[1] ?? 0))
      .expect(201);
    const gone = await createPatient(rows(), of);
    await clinic.post(`${RPM}/programs/add-patient`).send({ program_uuid: one.id, patient_uuid: gone.id }).expect(201);
    await clinic.delete(`${RPM}/programs/${one.id}/patients/${gone.id}`).expect(204);
    const order = async (query: string) =>
      (await clinic.get(`${RPM}/workflow?${query}`)).body.data.map(({ patient }: { patient: { firstname: string } }) => patient.firstname);
    expect(await order('')).toEqual(['Cy', 'Al', 'Bo']);
    expect(await order('order=DESC')).toEqual(['Bo', 'Al', 'Cy']);
    expect(await order('sort=firstname')).toEqual(['Al', 'Bo', 'Cy']);
    expect(await order('sort=program')).toEqual(['Al', 'Cy', 'Bo']);
    expect(await order('sort=step&order=DESC')).toEqual(['Bo', 'Al', 'Cy']);
    expect(await order('sort=added_at&order=DESC')).toEqual(['Bo', 'Al', 'Cy']);
    expect(await order('sort=since&limit=2')).toEqual(['Cy', 'Al']);
    expect(await order('sort=uuid&limit=1&page=3')).toEqual(['Bo']);
    expect((await clinic.get(`${RPM}/workflow?sort=color`)).status).toBe(400);
    const { body } = await clinic.get(`${RPM}/workflow?limit=2`);
    expect(body.meta).toMatchObject({ total: 3, last_page: 2 });
    expect(body.links.next).toContain('page=2');
    const audits = await rows().auditEntry.findMany({
      where: { ...of, resource: 'program_patient', action: 'search' },
      orderBy: { id: 'asc' },
    });
    expect(audits[0]?.patientIds.toSorted((a, b) => a - b)).toEqual(ids);
    await rows().privacyRestriction.create({ data: { ...of, patientId: ids[0] ?? 0, kind: 'record' } });
    expect(await order('')).toEqual(['Al', 'Bo']);
  });
});
