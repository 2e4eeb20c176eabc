import { beforeAll, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { type Person, uuids } from '../../people/people.ts';
import { audited, createAppointment, createRoom, createSession, createVisit, createWait, newPatient } from '../telehealth.ts';

const test = await sharedTestApp();

const db = () => test.database.prisma;
const at = (time: string) => new Date(`2031-03-10T${time}Z`);

describe('a visit by video', () => {
  it('tells with whom, when on whose clocks, how long and for which appointment', async () => {
    const who = await signedInUser(test);
    const patient = await newPatient(test, who, { firstName: 'Mo', lastName: 'Bile' });
    const appointment = await createAppointment(test, who, patient.id);
    const session = await createSession(test, who);
    const visit = await createVisit(test, who, { patientId: patient.id, appointmentId: appointment.id, videoSessionId: session.id });
    const answer = await who.get(`/telehealth-visits/${visit.id}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.etag).toBeDefined();
    expect(answer.body.data).toEqual({
      kind: 'telehealth',
      uuid: visit.id,
      patient: { uuid: patient.id, firstname: 'Mo', lastname: 'Bile' },
      user: { uuid: who.user.id, firstname: 'Una', lastname: 'User' },
      video_session_uuid: session.id,
      video_session_guid: session.guid,
      appointment: { uuid: appointment.id, type: 'Follow-up', appointment_date: '2031-03-10T15:00:00Z' },
      timezone: 'America/New_York',
      started_at: '2031-03-10T15:02:00Z',
      started_at_local: '2031-03-10T11:02:00',
      ended_at: '2031-03-10T15:27:00Z',
      ended_at_local: '2031-03-10T11:27:00',
      minutes: 25,
    });
    expect(await audited(test, who)).toEqual([['read', 'telehealth_visit', [visit.id], [patient.id]]]);
  });

  it.each([
    ['15:02:00', '15:02:29', 0],
    ['15:02:00', '15:02:30', 1],
    ['15:02:00', '15:11:29', 9],
    ['15:02:00', '15:11:31', 10],
  ])('from %s to %s counts %i minutes', async (from, to, minutes) => {
    const who = await signedInUser(test);
    const { id } = await createVisit(test, who, { startedAt: at(from), endedAt: at(to) });
    expect((await who.get(`/telehealth-visits/${id}`)).body.data).toMatchObject({ patient: null, minutes });
  });

  it('that still goes on has neither an end nor minutes', async () => {
    const who = await signedInUser(test);
    const { id } = await createVisit(test, who, { endedAt: null });
    expect((await who.get(`/telehealth-visits/${id}`)).body.data).toMatchObject({ ended_at: null, ended_at_local: null, minutes: null });
  });

  it('through both clock changes shows what the clocks showed', async () => {
    const who = await signedInUser(test);
    const local = async (startedAt: string, endedAt: string) => {
      const { id } = await createVisit(test, who, { startedAt: new Date(startedAt), endedAt: new Date(endedAt) });
      const { data } = (await who.get(`/telehealth-visits/${id}`)).body;
      return [data.started_at_local.slice(11), data.ended_at_local.slice(11), data.minutes];
    };
    expect(await local('2031-03-09T06:50:00Z', '2031-03-09T07:10:00Z')).toEqual(['01:50:00', '03:10:00', 20]);
    expect(await local('2031-11-02T05:50:00Z', '2031-11-02T06:10:00Z')).toEqual(['01:50:00', '01:10:00', 20]);
  });
});

describe('a visit in a waiting room', () => {
  it('tells who waited where, for whom and how long', async () => {
    const who = await signedInUser(test);
    const patient = await newPatient(test, who, { firstName: 'Mo', lastName: 'Bile' });
    const room = await createRoom(test, who.organizationId, { userId: who.user.id });
    const wait = await createWait(test, who.organizationId, {
      patientId: patient.id,
      waitingRoomId: room.id,
      leftAt: at('15:01:40'),
      admittedAt: at('15:00:00'),
    });
    expect((await who.get(`/waiting-room-visits/${wait.id}`)).body.data).toEqual({
      kind: 'waiting_room',
      uuid: wait.id,
      patient: { uuid: patient.id, firstname: 'Mo', lastname: 'Bile' },
      user: { uuid: who.user.id, firstname: 'Una', lastname: 'User' },
      waiting_room: { uuid: room.id, name: 'Video desk' },
      video_session_uuid: null,
      video_session_guid: null,
      appointment: null,
      timezone: 'America/New_York',
      entered_at: '2031-03-10T14:50:00Z',
      entered_at_local: '2031-03-10T10:50:00',
      admitted_at: '2031-03-10T15:00:00Z',
      admitted_at_local: '2031-03-10T11:00:00',
      left_at: '2031-03-10T15:01:40Z',
      left_at_local: '2031-03-10T11:01:40',
      waited_minutes: 10,
    });
    expect(await audited(test, who)).toEqual([['read', 'waiting_room_visit', [wait.id], [patient.id]]]);
  });

  it('of who left unadmitted counts until then, and of who still waits not yet; the session’s host goes before the room’s', async () => {
    const who = await signedInUser(test);
    const [one, two] = [await newPatient(test, who), await newPatient(test, who)];
    const { id: videoSessionId } = await createSession(test, who);
    const left = await createWait(test, who.organizationId, {
      patientId: one.id,
      admittedAt: null,
      leftAt: at('15:05:00'),
      videoSessionId,
    });
    const waits = await createWait(test, who.organizationId, { patientId: two.id, admittedAt: null, leftAt: null });
    expect((await who.get(`/waiting-room-visits/${left.id}`)).body.data).toMatchObject({
      waited_minutes: 15,
      admitted_at: null,
      user: { uuid: who.user.id },
      video_session_uuid: videoSessionId,
    });
    expect((await who.get(`/waiting-room-visits/${waits.id}`)).body.data).toMatchObject({
      waited_minutes: null,
      left_at: null,
      user: null,
    });
  });
});

describe('the visits of a patient', () => {
  let who: Person;
  let patientId: number;
  let visits: number[];
  let waits: number[];
  beforeAll(async () => {
    who = await signedInUser(test);
    patientId = (await newPatient(test, who)).id;
    const waitingRoomId = (await createRoom(test, who.organizationId)).id;
    const span = (hour: number, shift = 0) => [at(`${hour}:0${shift}:00`), at(`${hour}:0${shift + 1}:00`)] as const;
    visits = [];
    waits = [];
    for (const hour of [13, 11, 12]) {
      const [startedAt, endedAt] = span(hour);
      visits.push((await createVisit(test, who, { patientId, startedAt, endedAt })).id);
    }
    // One of them begins in the same moment as a visit.
    for (const [hour, shift] of [
      [12, 0],
      [10, 5],
      [13, 5],
    ] as const) {
      const [enteredAt, leftAt] = span(hour, shift);
      waits.push((await createWait(test, who.organizationId, { patientId, waitingRoomId, enteredAt, leftAt, admittedAt: leftAt })).id);
    }
    await createVisit(test, who, { patientId: (await newPatient(test, who)).id });
  });

  const merged = (answers: { body: { data: { kind: string; uuid: number }[] } }[]) =>
    answers.flatMap(({ body }) => body.data.map(({ kind, uuid }) => `${kind} ${uuid}`));
  const expected = () => [
    `waiting_room ${waits[2]}`,
    `telehealth ${visits[0]}`,
    `waiting_room ${waits[0]}`,
    `telehealth ${visits[2]}`,
    `telehealth ${visits[1]}`,
    `waiting_room ${waits[1]}`,
  ];

  it('of each kind are in the order in which they began, the newest first or last', async () => {
    const { body } = await who.get(`/patients/${patientId}/telehealth-visits`);
    expect(uuids({ body })).toEqual([visits[0], visits[2], visits[1]]);
    expect(uuids(await who.get(`/patients/${patientId}/telehealth-visits?order=asc`))).toEqual([visits[1], visits[2], visits[0]]);
    expect(uuids(await who.get(`/patients/${patientId}/waiting-room-visits`))).toEqual([waits[2], waits[0], waits[1]]);
    expect(await audited(test, who)).toContainEqual(['search', 'telehealth_visit', [visits[0], visits[2], visits[1]], [patientId]]);
  });

  it('of both kinds are in one order, also where they begin at once', async () => {
    const path = `/patients/${patientId}/telehealth-and-waiting-room-visits`;
    expect(merged([await who.get(path)])).toEqual(expected());
    expect(merged([await who.get(`${path}?order=ASC`)])).toEqual(expected().toReversed());
  });

  it.each([1, 2, 4])('of both kinds in pages of %i neither repeat nor skip', async (limit) => {
    const path = `/patients/${patientId}/telehealth-and-waiting-room-visits?limit=${limit}`;
    const count = Math.ceil(6 / limit);
    const pages = await Promise.all(Array.from({ length: count + 1 }, (_, index) => who.get(`${path}&page=${index + 1}`)));
    expect(merged(pages)).toEqual(expected());
    expect(pages.map(({ body }) => [body.meta.total, body.meta.last_page])).toEqual(pages.map(() => [6, count]));
  });
});

describe('visits are not there', () => {
  const LISTS = ['telehealth-visits', 'waiting-room-visits', 'telehealth-and-waiting-room-visits'];

  it('for a chart that is deleted or restricted', async () => {
    const who = await signedInUser(test);
    const { organizationId } = who;
    const [gone, hidden] = [await newPatient(test, who), await newPatient(test, who)];
    const paths: string[] = [];
    for (const { id: patientId } of [gone, hidden]) {
      const visit = await createVisit(test, who, { patientId });
      const wait = await createWait(test, organizationId, { patientId });
      paths.push(
        `/telehealth-visits/${visit.id}`,
        `/waiting-room-visits/${wait.id}`,
        ...LISTS.map((list) => `/patients/${patientId}/${list}`),
      );
    }
    for (const path of paths) expect([path, (await who.get(path)).status]).toEqual([path, 200]);
    await db().patient.update({ where: { organizationId_id: { organizationId, id: gone.id } }, data: { status: 'deleted' } });
    await db().privacyRestriction.create({ data: { organizationId, patientId: hidden.id, kind: 'record' } });
    for (const path of paths) expect([path, (await who.get(path)).status]).toEqual([path, 404]);
  });

  it.each([
    '/telehealth-visits/x',
    '/waiting-room-visits/0',
    '/patients/x/telehealth-visits',
    '/patients/1/telehealth-and-waiting-room-visits?order=up',
  ])('at %s, which is refused', async (path) => {
    expect((await (await signedInUser(test)).get(path)).status).toBe(400);
  });
});
