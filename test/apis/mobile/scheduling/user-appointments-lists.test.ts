import { beforeAll, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp } from '../../../support/app.ts';
import { createAppointmentType, createPatient, createUser } from '../../../support/factories.ts';
import { type Person, shownPatients, uuids } from '../people/people.ts';

const test = await sharedTestApp();
/** Two who work together, in New York. */
const ann: Person = await signedInUser(test);
let bo: Person;
/** Appointments that take place, in order of start; then those that no list shows. */
const ids: number[] = [];
/** Of the assignments, in order of start and user: user and place in ids. */
const all = [
  ['ann', 0],
  ['ann', 1],
  ['bo', 1],
  ['bo', 2],
  ['ann', 3],
] as const;
const assignments: number[] = [];
let types: { visit: number; call: number };
let patient: number;

beforeAll(async () => {
  const { organizationId } = ann;
  bo = await signedInUser(test, { organizationId });
  types = {
    visit: (await createAppointmentType(test.database.prisma, { organizationId, name: 'Visit' })).id,
    call: (await createAppointmentType(test.database.prisma, { organizationId, name: 'càll' })).id,
  };
  patient = (await createPatient(test.database.prisma, { organizationId })).id;
  // New York is five hours behind in winter, four from 9 March 2031 on.
  ids.push(
    await book('2031-03-03T14:00:00Z', { typeId: types.visit, patientId: patient }),
    await book('2031-03-03T18:00:00Z', { typeId: types.call, showOnTasks: false }),
    await book('2031-03-04T04:30:00Z', { typeId: types.visit }),
    await book('2031-03-10T13:00:00Z', {}),
  );
  for (const [who, index] of all) await join(who, ids[index] ?? 0);
  const hidden = [await book('2031-03-03T15:00:00Z', { status: 'cancelled' }), await book(null, {})];
  for (const id of hidden) await join('ann', id);
  const stranger = await signedInUser(test);
  const theirs = await test.database.prisma.appointment.create({
    data: { organizationId: stranger.organizationId, timeZone: 'UTC', durationMinutes: 30, ...toTimes('2031-03-03T14:00:00Z') },
  });
  await test.database.prisma.userAppointment.create({
    data: { organizationId: stranger.organizationId, appointmentId: theirs.id, userId: stranger.user.id },
  });
});

function toTimes(date: string | null) {
  if (date === null) return {};
  const startsAt = new Date(date);
  return { startsAt, localStart: startsAt, endsAt: new Date(startsAt.getTime() + 1_800_000) };
}

async function book(date: string | null, { typeId, ...data }: { typeId?: number; [field: string]: unknown }) {
  const { organizationId } = ann;
  const type = typeId === undefined ? {} : { typeId, typeOrganizationId: organizationId };
  const row = { organizationId, timeZone: 'America/New_York', durationMinutes: 30, ...toTimes(date), ...type, ...data };
  return (await test.database.prisma.appointment.create({ data: row })).id;
}

async function join(who: 'ann' | 'bo', appointmentId: number) {
  const { organizationId, user } = who === 'ann' ? ann : bo;
  const { id } = await test.database.prisma.userAppointment.create({ data: { organizationId, appointmentId, userId: user.id } });
  if (ids.includes(appointmentId)) assignments.push(id);
}

/** Which of all assignments a list shows, in its order. */
async function listed(path: string) {
  const words: Record<string, number> = { ann: ann.user.id, bo: bo.user.id, visit: types.visit, call: types.call };
  const answer = await ann.get(path.replaceAll(/\{(\w+)\}/g, (_, word: string) => String(words[word])));
  expect(answer.status, answer.text).toBe(200);
  expect(answer.body.meta.total).toBe(answer.body.data.length);
  return uuids(answer).map((uuid) => assignments.indexOf(uuid));
}

describe('an assignment in a list', () => {
  it('has its user and the whole appointment, as that is read by itself', async () => {
    const answer = await ann.get('/user-appointments?limit=1');
    expect(answer.body.data).toEqual([
      {
        uuid: assignments[0],
        user_id: ann.user.id,
        appointment_id: ids[0],
        user: expect.objectContaining({ uuid: ann.user.id, firstname: 'Una', lastname: 'User' }),
        appointment: (await ann.get(`/appointments/${ids[0]}`)).body.data,
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    expect(answer.body.meta).toEqual({ current_page: 1, per_page: 1, from: 1, to: 1, total: 5, last_page: 5 });
    expect(answer.body.data[0].appointment.patient.uuid).toBe(patient);
  });

  it('is audited with the appointments and the charts that were shown', async () => {
    const before = (await shownPatients(test, bo, 'search')).length;
    await bo.get('/user-appointments/search?user[]=1888888');
    await bo.get(`/user-appointments/${ann.user.id}`);
    expect((await shownPatients(test, bo, 'search')).slice(before)).toEqual([[patient]]);
    const where = { organizationId: bo.organizationId, actor: `user:${bo.user.id}`, resource: 'appointment', action: 'search' };
    const [entry] = await test.database.prisma.auditEntry.findMany({ where, orderBy: { id: 'desc' }, take: 1 });
    expect(entry?.resourceIds.toSorted()).toEqual([ids[0], ids[1], ids[3]]);
  });
});

describe('lists of assignments', () => {
  it.each([
    ['/user-appointments', [0, 1, 2, 3, 4]],
    ['/user-appointments/', [0, 1, 2, 3, 4]],
    ['/user-appointments?sort=uuid&order=DESC', [4, 3, 2, 1, 0]],
    ['/user-appointments?sort=user_id', [0, 1, 4, 2, 3]],
    ['/user-appointments?sort=user_id&order=DESC', [3, 2, 4, 1, 0]],
    ['/user-appointments?sort=appointment_id', [0, 1, 2, 3, 4]],
    ['/user-appointments?sort=appointment_date&order=desc', [4, 3, 2, 1, 0]],
    ['/user-appointments?sort=created_at', [0, 1, 2, 3, 4]],
    ['/user-appointments?sort=title', [1, 2, 0, 3, 4]],
    ['/user-appointments?sort=title&order=DESC', [3, 0, 2, 1, 4]],
    ['/user-appointments/self', [0, 1, 4]],
    ['/user-appointments/{bo}', [2, 3]],
    ['/user-appointments/{ann}/', [0, 1, 4]],
    ['/user-appointments/search', [0, 1, 2, 3, 4]],
    ['/user-appointments/search?user[]={bo}', [2, 3]],
    ['/user-appointments/search?user[]={ann}&user[]={bo}', [0, 1, 2, 3, 4]],
    ['/user-appointments/search?user%5B%5D=1888888', []],
    ['/user-appointments/search?appointment_type[]={visit}', [0, 3]],
    ['/user-appointments/search?appointment_type[]={visit}&appointment_type[]={call}', [0, 1, 2, 3]],
    ['/user-appointments/search?appointment_type[]=1888888', []],
    ['/user-appointments/search?appointment_type[]={visit}&user[]={bo}', [3]],
    // TASKS
    ['/user-appointments/self?show_on_tasks=0', [1]],
    ['/user-appointments/self?show_on_tasks=1', [0, 4]],
    ['/user-appointments/{bo}?show_on_tasks=0', [2]],
    ['/user-appointments/search?show_on_tasks=0', [1, 2]],
    // DATE: a day and a time without an offset are New York's.
    ['/user-appointments/search?min_appointment_date=2031-03-04', [4]],
    ['/user-appointments/search?max_appointment_date=2031-03-03', [0, 1, 2, 3]],
    ['/user-appointments/search?min_appointment_date=2031-03-03T13:00:00&max_appointment_date=2031-03-03T23:30', [1, 2, 3]],
    ['/user-appointments/search?min_appointment_date=2031-03-10T09:00:00', [4]],
    ['/user-appointments/search?min_appointment_date=2031-03-10T09:00:01', []],
    ['/user-appointments/self?min_appointment_date=2031-03-03T14:00:00Z&max_appointment_date=2031-03-03T14:00:00Z', [0]],
    ['/user-appointments/self?min_appointment_date=2031-03-03T14:00:01Z', [1, 4]],
    ['/user-appointments/self?min_appointment_date=2031-03-03T15:00:00%2B01:00&max_appointment_date=2031-03-03T15:00:00+01:00', [0]],
    ['/user-appointments/{bo}?max_appointment_date=2031-03-03T20:00:00Z', [2]],
    ['/user-appointments/{bo}?min_appointment_date=2040-01-01', []],
  ])('%s shows %j', async (path, expected) => {
    expect(await listed(path)).toEqual(expected);
  });

  it.each([
    ['/user-appointments?sort=shoe_size', '/sort'],
    ['/user-appointments?order=up', '/order'],
    ['/user-appointments?limit=1001', '/limit'],
    ['/user-appointments/search?user[]=x', '/user[]/0'],
    ['/user-appointments/search?appointment_type[]=0', '/appointment_type[]/0'],
    ['/user-appointments/search?show_on_tasks=maybe', '/show_on_tasks'],
    ['/user-appointments/self?min_appointment_date=yesterday', '/min_appointment_date'],
    ['/user-appointments/self?max_appointment_date=2031-02-30', '/max_appointment_date'],
    ['/user-appointments/self?min_appointment_date=2031-03-04&max_appointment_date=2031-03-03', '/min_appointment_date'],
    ['/user-appointments/x', '/uuid'],
  ])('%s is refused', async (path, pointer) => {
    const answer = await ann.get(path);
    expect([answer.status, answer.body.errors[0].pointer]).toEqual([400, pointer]);
  });

  it('name the fields they can be sorted by when asked for another', async () => {
    const { detail } = (await ann.get('/user-appointments?sort=shoe_size')).body.errors[0];
    for (const field of ['id', 'user_id', 'appointment_id', 'appointment_date', 'created_at']) expect(detail).toContain(field);
  });

  it.each(['/user-appointments?sort=user_id&order=DESC&', '/user-appointments/search?', '/user-appointments/self?'])(
    '%s are walked page by page over their links, none missed and none twice',
    async (path) => {
      const seen: number[] = [];
      let next = `${path}limit=2`;
      for (let pages = 0; next !== '' && pages < 5; pages += 1) {
        const answer = await ann.get(next);
        seen.push(...uuids(answer));
        next = answer.body.links.next === null ? '' : answer.body.links.next.slice(test.address.length);
      }
      expect(seen.map((uuid) => assignments.indexOf(uuid))).toEqual(await listed(path));
    },
  );

  it('of a user of another organization are not found', async () => {
    const stranger = await signedInUser(test);
    const { user: machine } = await createUser(test.database.prisma, { organizationId: ann.organizationId, type: 'interface' });
    for (const id of [stranger.user.id, machine.id, 1888888]) {
      const answer = await ann.get(`/user-appointments/${id}`);
      expect([answer.status, answer.body.code]).toEqual([404, 'user_not_found']);
    }
    expect((await stranger.get(`/user-appointments/search?user[]=${ann.user.id}`)).body.data).toEqual([]);
    expect((await stranger.get('/user-appointments')).body.data).toEqual([]);
  });
});
