import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createOffice, createOrganization, createPatient } from '../support/factories.ts';
import { Made, operatorOf } from './command-line.ts';

const Rows = z.array(z.object({ id: z.int(), office_id: z.int(), user_id: z.int().nullable(), name: z.string() }));

const test = await sharedTestApp();
const operator = operatorOf(test);
const user = await signedInUser(test);
const organization = user.organizationId;
const office = (await createOffice(test.database.prisma, { organizationId: organization })).id;

describe('waiting-rooms', () => {
  it('opens, lists and closes rooms to which patients are invited, and leaves traces', async () => {
    const { ask } = operator;
    const patient = await createPatient(test.database.prisma, { organizationId: organization, email: 'pia@example.com' });
    const own = await ask(
      Made,
      `waiting-rooms add --organization ${organization} --office ${office} --user ${user.user.id} --name`,
      'Desk',
    );
    const shared = await ask(Made, `waiting-rooms add --organization ${organization} --office ${office} --name`, 'Front desk');
    expect(await ask(Rows, `waiting-rooms list --organization ${organization}`)).toEqual([
      { id: own.id, office_id: office, user_id: user.user.id, name: 'Desk' },
      { id: shared.id, office_id: office, user_id: null, name: 'Front desk' },
    ]);
    const { waiting_rooms } = (await user.get(`/office/${office}`).expect(200)).body.data;
    expect(waiting_rooms).toEqual([
      { uuid: own.id, name: 'Desk', user_id: user.user.id },
      { uuid: shared.id, name: 'Front desk', user_id: null },
    ]);
    const invite = (room: number) => user.post(`/waiting-rooms/${room}/invite/${patient.id}`).send({ emailOrSms: 'email' });
    await invite(own.id).expect(201);
    await ask(Made, `waiting-rooms close ${own.id} --organization ${organization}`);
    await invite(own.id).expect(404);
    expect((await ask(Rows, `waiting-rooms list --organization ${organization}`)).map(({ id }) => id)).toEqual([shared.id]);
    const where = { organizationId: organization, subjectType: 'waiting_room' };
    const events = await test.database.prisma.event.findMany({ where, orderBy: { id: 'asc' } });
    expect(events.map(({ name, subjectId, actor }) => [name, subjectId, actor])).toEqual([
      ['waiting_room.added', own.id, 'operator:tester'],
      ['waiting_room.added', shared.id, 'operator:tester'],
      ['waiting_room.closed', own.id, 'operator:tester'],
    ]);
  });

  it('refuses an office, a user or a room of another practice, and one that is closed already', async () => {
    const { say, ask } = operator;
    const other = (await createOrganization(test.database.prisma)).id;
    const theirs = (await createOffice(test.database.prisma, { organizationId: other })).id;
    for (const words of [
      `add --organization ${organization} --office ${theirs}`,
      `add --organization ${other} --office ${theirs} --user ${user.user.id}`,
    ])
      expect((await say(`waiting-rooms ${words} --name`, 'Room')).code).toBe(1);
    const { id } = await ask(Made, `waiting-rooms add --organization ${organization} --office ${office} --name`, 'Room');
    expect((await say(`waiting-rooms close ${id} --organization ${other}`)).code).toBe(1);
    expect((await say(`waiting-rooms close ${id} --organization ${organization}`)).code).toBe(0);
    expect((await say(`waiting-rooms close ${id} --organization ${organization}`)).code).toBe(1);
  });
});
