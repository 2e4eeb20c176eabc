import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createUser } from '../../../../support/factories.ts';
import { uuids } from '../../people/people.ts';
import { audited, createAppointment, createSession, createVisit, enterSession, inviteTo, newPatient } from '../telehealth.ts';

const test = await sharedTestApp();

const db = () => test.database.prisma;
const minutes = (count: number) => new Date(Date.now() + count * 60_000);

describe('a video session', () => {
  it('shows who was there and when, who is invited, what became of that, and no link', async () => {
    const who = await signedInUser(test);
    const { organizationId } = who;
    const patient = await newPatient(test, who, { firstName: 'Mo', lastName: 'Bile' });
    const appointment = await createAppointment(test, who, patient.id);
    const session = await createSession(test, who, { appointmentId: appointment.id });
    await enterSession(test, who, session.id, { role: 'host', userId: who.user.id, joinedAt: new Date('2031-03-10T14:59:00Z') });
    const times = { waitingSince: new Date('2031-03-10T14:59:30Z'), admittedAt: new Date('2031-03-10T15:00:00Z') };
    await enterSession(test, who, session.id, {
      patientId: patient.id,
      displayName: 'Mo',
      joinedAt: new Date('2031-03-10T15:00:10Z'),
      ...times,
    });
    const text = await db().smsMessage.create({
      data: { organizationId, direction: 'outbound', toNumber: '+19195550123', body: '{{url}}', state: 'suppressed', reason: 'opted_out' },
    });
    const sent = await inviteTo(test, who, session.id, { patientId: patient.id, smsMessageId: text.id });
    const answer = await who.get(`/video-session/${session.id}`);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body.data).toEqual({
      uuid: session.id,
      guid: session.guid,
      kind: 'telehealth',
      state: 'ended',
      user: { uuid: who.user.id, firstname: 'Una', lastname: 'User' },
      appointment: { uuid: appointment.id, type: 'Follow-up', appointment_date: '2031-03-10T15:00:00Z' },
      patients: [{ uuid: patient.id, firstname: 'Mo', lastname: 'Bile' }],
      patient_restricted: false,
      participants: [
        {
          uuid: expect.any(Number),
          role: 'host',
          user_id: who.user.id,
          patient_uuid: null,
          patient_restricted: false,
          name: 'Una User',
          waiting_since: null,
          admitted_at: null,
          joined_at: '2031-03-10T14:59:00Z',
          left_at: null,
          recording_consent: null,
        },
        {
          uuid: expect.any(Number),
          role: 'guest',
          user_id: null,
          patient_uuid: patient.id,
          patient_restricted: false,
          name: 'Mo Bile',
          waiting_since: '2031-03-10T14:59:30Z',
          admitted_at: '2031-03-10T15:00:00Z',
          joined_at: '2031-03-10T15:00:10Z',
          left_at: null,
          recording_consent: null,
        },
      ],
      invites: [
        {
          uuid: sent.id,
          patient_uuid: patient.id,
          patient_restricted: false,
          channel: 'sms',
          sent_to: '9195550123',
          created_at: '2031-03-09T15:00:00Z',
          expires_at: '2031-03-10T18:00:00Z',
          withdrawn_at: null,
          delivery: { state: 'suppressed', reason: 'opted_out' },
        },
      ],
      image_count: 0,
      video_count: 0,
      minutes: 30,
      created_at: '2031-03-10T14:00:00Z',
      started_at: '2031-03-10T15:00:00Z',
      ended_at: '2031-03-10T15:30:00Z',
      expires_at: '2031-03-10T18:00:00Z',
    });
    expect(await audited(test, who)).toEqual([['read', 'video_session', [session.id], [patient.id]]]);
  });

  it('is found by its GUID as well, in whatever case', async () => {
    const who = await signedInUser(test);
    const { id, guid } = await createSession(test, who);
    for (const key of [guid, guid.toUpperCase()]) expect((await who.get(`/video-session/${key}`)).body.data.uuid).toBe(id);
  });

  it.each([
    ['open', { startedAt: null, endedAt: null, expiresAt: minutes(60) }],
    ['running', { endedAt: null, startedAt: minutes(-5), expiresAt: minutes(-1) }],
    ['ended', {}],
    ['ended', { startedAt: null, endedAt: minutes(-90), expiresAt: minutes(-60) }],
    ['expired', { startedAt: null, endedAt: null, expiresAt: minutes(-1) }],
    ['expired', { startedAt: null, endedAt: minutes(-1), expiresAt: minutes(-2) }],
  ])('is %s', async (state, data) => {
    const who = await signedInUser(test);
    const { id } = await createSession(test, who, data);
    expect((await who.get(`/video-session/${id}`)).body.data).toMatchObject({
      state,
      minutes: 'endedAt' in data || 'startedAt' in data ? null : 30,
    });
    expect(uuids(await who.get(`/video-session/search?state=${state}`))).toEqual([id]);
  });

  it('with a patient whose chart is restricted stands without that patient, who finds it no more, while the other one does', async () => {
    const who = await signedInUser(test);
    const { organizationId } = who;
    const patient = await newPatient(test, who, { mobilePhone: '+19195550123' });
    const other = await newPatient(test, who);
    const colleague = await signedInUser(test, { organizationId });
    const { id, guid } = await createSession(test, who, { endedAt: null });
    await enterSession(test, who, id, { patientId: patient.id, displayName: 'Secret' });
    const { id: invite } = await inviteTo(test, who, id, { patientId: patient.id });
    await db().privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
    const shown = expect.objectContaining({
      uuid: id,
      patients: [],
      patient_restricted: true,
      participants: [expect.objectContaining({ patient_uuid: null, name: null, patient_restricted: true })],
      invites: [expect.objectContaining({ uuid: invite, patient_uuid: null, sent_to: null, patient_restricted: true })],
    });
    for (const key of [id, guid]) expect((await colleague.get(`/video-session/${key}`)).body.data).toEqual(shown);
    for (const path of ['', '/search']) expect((await who.get(`/video-session${path}`)).body.data).toEqual([shown]);
    for (const query of [`patient_id=${patient.id}`, 'search=919555012'])
      expect(uuids(await who.get(`/video-session/search?${query}`))).toEqual([]);
    await colleague.post(`/video-session/${guid}/host-link`).expect(403);
    await who.post(`/video-session/${guid}/host-link`).expect(201);
    await who.post(`/video-session/${guid}/invite`).send({ patient_id: patient.id }).expect(404);
    await who.delete(`/video-session/${guid}/invite/${invite}`).expect(204);
    await enterSession(test, who, id, { patientId: other.id, displayName: 'Open' });
    const found = (await who.get(`/video-session/search?patient_id=${other.id}`)).body.data;
    expect(found).toMatchObject([{ uuid: id, patients: [{ uuid: other.id }], patient_restricted: true }]);
    expect(JSON.stringify(found)).not.toMatch(/Secret|9195550123/);
  });

  it.each(['0', 'x', '9007199254740992', '00000000-0000-0000-0000-00000000000g'])('is never called %s', async (key) => {
    const answer = await (await signedInUser(test)).get(`/video-session/${key}`);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer: '/uuid' }]);
  });
});

describe('the lists of sessions', () => {
  it('show the newest first, in pages that neither repeat nor skip, and note whom they showed', async () => {
    const who = await signedInUser(test);
    const made: number[] = [];
    for (const day of ['02', '04', '03', '04'])
      made.push((await createSession(test, who, { createdAt: new Date(`2031-03-${day}T15:00:00Z`) })).id);
    const [a, b, c, d] = made;
    const patient = await newPatient(test, who);
    await createVisit(test, who, { videoSessionId: d ?? 0, patientId: patient.id });
    const pages = await Promise.all([1, 2].map((page) => who.get(`/video-session?limit=2&page=${page}`)));
    expect(pages.map(uuids)).toEqual([
      [d, b],
      [c, a],
    ]);
    expect(pages[1]?.body.meta).toMatchObject({ total: 4, last_page: 2 });
    expect(await audited(test, who)).toContainEqual(['search', 'video_session', [d, b], [patient.id]]);
  });

  it('of telehealth leave meetings out and are sorted as asked', async () => {
    const who = await signedInUser(test);
    const at = (hour: number) => ({
      createdAt: new Date(`2031-03-10T1${hour}:00:00Z`),
      startedAt: new Date(`2031-03-11T1${9 - hour}:00:00Z`),
    });
    const [one, two] = [await createSession(test, who, at(1)), await createSession(test, who, at(2))];
    await createSession(test, who, { kind: 'meet', ...at(3) });
    const list = async (query: string) => uuids(await who.get(`/video-session/telehealth-sessions?${query}`));
    expect(await list('')).toEqual([one.id, two.id]);
    expect(await list('order=desc')).toEqual([two.id, one.id]);
    for (const sort of ['started_at', 'ended_at', 'expires_at', 'user_id', 'uuid', 'id', 'created_at'])
      expect(await list(`sort=${sort}`), sort).toEqual(sort === 'started_at' ? [two.id, one.id] : [one.id, two.id]);
    const other = await createUser(test.database.prisma, { organizationId: who.organizationId, lastName: 'Aárons' });
    const third = await createSession(test, who, { hostUserId: other.user.id });
    expect(await list('sort=title')).toEqual([third.id, one.id, two.id]);
    expect(await list('sort=title&order=DESC')).toEqual([two.id, one.id, third.id]);
    const unknown = await who.get('/video-session/telehealth-sessions?sort=guid');
    expect(unknown.status).toBe(400);
    expect(unknown.body.errors).toMatchObject([{ pointer: '/sort', detail: expect.stringContaining('created_at') }]);
    expect(uuids(await who.get('/video-session'))).toHaveLength(4);
  });

  it('of telehealth have the meetings in which a patient was, and empty dates last in both directions', async () => {
    const who = await signedInUser(test);
    const [met, empty] = [
      await createSession(test, who, { kind: 'meet' }),
      await createSession(test, who, { startedAt: null, endedAt: null }),
    ];
    await enterSession(test, who, met.id, { patientId: (await newPatient(test, who)).id });
    for (const sort of ['started_at', 'ended_at'])
      for (const order of ['ASC', 'DESC'])
        expect(uuids(await who.get(`/video-session/telehealth-sessions?sort=${sort}&order=${order}`))).toEqual([met.id, empty.id]);
  });
});
