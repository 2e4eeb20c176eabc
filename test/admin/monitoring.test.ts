import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOrganization, createPatient, createUser } from '../support/factories.ts';
import { Made, operatorOf } from './command-line.ts';

const Row = z.record(z.string(), z.unknown());

const test = await sharedTestApp();
const operator = operatorOf(test);
const practice = (await createOrganization(test.database.prisma)).id;
const other = (await createOrganization(test.database.prisma)).id;

const eventsOf = async (subjectType: string, subjectId: number) =>
  (await test.database.prisma.event.findMany({ where: { organizationId: practice, subjectType, subjectId }, orderBy: { id: 'asc' } })).map(
    ({ name }) => name,
  );

describe('a program', () => {
  it('is added with its steps, takes patients in, and is ended without moving those who are in it', async () => {
    const made = await operator.ask(Row, `programs add --organization ${practice} --step Consent --step Device --name`, 'Heart at home');
    expect(made).toMatchObject({ name: 'Heart at home', description: null, service: 'rpm', steps: ['Consent', 'Device'], active: true });
    const { id } = Made.parse(made);
    const person = await signedInUser(test, { organizationId: practice });
    const patients = [
      await createPatient(test.database.prisma, { organizationId: practice }),
      await createPatient(test.database.prisma, { organizationId: practice }),
    ];
    const add = (index: number) =>
      person.post('/remote-patient-monitoring/programs/add-patient').send({ program_uuid: id, patient_uuid: patients[index]?.id });
    const { body } = await add(0);
    expect(body.data).toMatchObject({ program: { name: 'Heart at home' }, step: { name: 'Consent' }, steps: 2 });
    expect(await operator.ask(Row, `programs end ${id} --organization ${practice}`)).toMatchObject({ id, active: false });
    await operator.ask(Row, `programs end ${id} --organization ${practice}`);
    expect(await eventsOf('program', id)).toEqual(['program.created', 'program.ended']);
    expect((await add(1)).body).toMatchObject({ status: 409, code: 'program_ended' });
    const { steps } = (await person.get(`/remote-patient-monitoring/programs/${id}`)).body.data;
    const moved = { program_uuid: id, patient_uuid: patients[0]?.id, step_uuid: steps[1].uuid };
    expect((await person.post('/remote-patient-monitoring/programs/events').send(moved)).status).toBe(201);
    const next = await operator.ask(Made, `programs add --organization ${practice} --step Consent,Training,Device --name`, 'HEART at home');
    expect(await operator.ask(z.array(Row), `programs list --organization ${practice}`)).toMatchObject([
      { id, active: false },
      { id: next.id, active: true, steps: ['Consent', 'Training', 'Device'] },
    ]);
  });

  it('has a care team, and times after which its alerts go further', async () => {
    const { id } = await operator.ask(Made, `programs add --organization ${practice} --step One --name`, 'Watched');
    const { user } = await createUser(test.database.prisma, { organizationId: practice, phone: '+13365550142' });
    const set = `programs set ${id} --organization ${practice}`;
    const changed = await operator.ask(Row, `${set} --alert-escalation-minutes 5 --missed-check-in-hours never`);
    expect(changed).toMatchObject({ alert_escalation_minutes: 5, missed_check_in_hours: null, members: [] });
    expect(await operator.say(`${set} --alert-escalation-minutes 0`)).toMatchObject({ code: 2 });
    const member = (verb: string, more = '') => `programs ${verb}-member ${id} --organization ${practice} --user ${user.id}${more}`;
    expect(await operator.ask(Row, member('add', ' --text'))).toMatchObject({ members: [user.id], texted_members: [user.id] });
    expect(await operator.ask(Row, member('add'))).toMatchObject({ members: [user.id], texted_members: [] });
    expect(await operator.ask(Row, member('remove'))).toMatchObject({ members: [] });
    expect(await operator.say(member('remove'))).toMatchObject({ code: 1, err: expect.stringContaining('There is no such member.') });
    expect(await eventsOf('program', id)).toEqual(['program.created', ...Array(4).fill('program.changed')]);
  });

  it('has a name of its own while it is not ended, and steps that differ', async () => {
    const line = (organization: number, step: string) => `programs add --organization ${organization} --step ${step} --name`;
    const { id } = await operator.ask(Made, line(practice, 'One'), 'Only');
    expect(await operator.say(line(practice, 'Two'), 'ONLY')).toMatchObject({
      code: 1,
      err: `Program ${id} has this name already. End it first.\n`,
    });
    await operator.ask(Made, line(other, 'One'), 'Only');
    expect(await operator.say(line(practice, 'One,one'), 'Another')).toMatchObject({ code: 1, err: expect.stringContaining('twice') });
    expect(await operator.say(`programs add --organization ${practice} --name None`)).toMatchObject({ code: 2 });
    expect(await operator.say(`programs end ${id} --organization ${other}`)).toEqual({
      code: 1,
      out: '',
      err: 'There is no such program.\n',
    });
  });
});

describe('an item', () => {
  it('is added to the catalogue with what is aimed at, and is gone from it once it is ended', async () => {
    const line = `items add --organization ${practice} --unit mmHg --min-target 90 --max-target 140.5 --danger-min 80 --danger-max 180 --name`;
    const made = await operator.ask(Row, line, 'Systolic pressure');
    expect(made).toMatchObject({ name: 'Systolic pressure', unit: 'mmHg', min_target: 90, max_target: 140.5, active: true });
    expect(made).toMatchObject({ danger_min: 80, danger_max: 180 });
    const { id } = Made.parse(made);
    const person = await signedInUser(test, { organizationId: practice });
    const listed = async () => (await person.get('/remote-patient-monitoring/items')).body.data.map(({ uuid }: { uuid: number }) => uuid);
    expect(await listed()).toContain(id);
    const change = (rest: string, ...words: string[]) => operator.say(`items set ${id} --organization ${practice} ${rest}`, ...words);
    expect(await change('--danger-max 175 --json --min-target', '')).toMatchObject({ code: 0 });
    const shown = (await person.get('/remote-patient-monitoring/items')).body.data.find(({ uuid }: { uuid: number }) => uuid === id);
    expect(shown).toMatchObject({ min_target: null, max_target: 140.5, danger_min: 80, danger_max: 175 });
    expect(await change('--danger-max 140')).toMatchObject({ code: 1, err: expect.stringContaining('danger limit') });
    expect(await change('')).toMatchObject({ code: 2 });
    expect((await operator.say(`items set ${id} --organization ${other} --danger-max 175`)).err).toBe('There is no such item.\n');
    expect(await operator.say(line, 'systolic PRESSURE')).toMatchObject({ code: 1, err: expect.stringContaining(`Item ${id}`) });
    await operator.ask(Row, `items end ${id} --organization ${practice}`);
    await operator.ask(Row, `items end ${id} --organization ${practice}`);
    expect(await eventsOf('item', id)).toEqual(['item.created', 'item.updated', 'item.ended']);
    expect(await listed()).not.toContain(id);
    const again = await operator.ask(Row, line, 'Systolic pressure');
    expect(await operator.ask(z.array(Row), `items list --organization ${practice}`)).toMatchObject([
      { id, active: false },
      { ...again, active: true },
    ]);
  });

  it('is refused with a range that is none, and with targets that are no numbers', async () => {
    const line = `items add --organization ${practice}`;
    expect(await operator.say(`${line} --min-target 5 --max-target 4 --name Wrong`)).toMatchObject({ code: 1, out: '' });
    expect(await operator.say(`${line} --max-target 5 --danger-max 4 --name Wrong`)).toMatchObject({ code: 1, out: '' });
    for (const target of ['low', '1e3', '0.0001']) {
      expect(await operator.say(`${line} --name Wrong --min-target ${target}`), target).toMatchObject({ code: 2, out: '' });
    }
    expect(await operator.ask(Row, `${line} --name Temperature --min-target -5`)).toMatchObject({
      min_target: -5,
      max_target: null,
      unit: null,
    });
    expect(await operator.say(`items end 2000000000 --organization ${practice}`)).toMatchObject({
      code: 1,
      err: 'There is no such item.\n',
    });
  });
});
