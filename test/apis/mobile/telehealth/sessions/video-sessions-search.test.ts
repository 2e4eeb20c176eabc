import { beforeAll, describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { type Person, uuids } from '../../people/people.ts';
import { createAppointment, createSession, createVisit, enterSession, inviteTo, newPatient } from '../telehealth.ts';

const test = await sharedTestApp();

const db = () => test.database.prisma;

describe('searching sessions', () => {
  let who: Person;
  let ids: Record<'byPresence' | 'byInvite' | 'byVisit' | 'byAppointment' | 'other', number>;
  let query: Record<string, string>;
  beforeAll(async () => {
    who = await signedInUser(test);
    const { organizationId } = who;
    const ada = await newPatient(test, who, { firstName: 'Ada', lastName: 'Núñez-Quill', mobilePhone: '+19195550177' });
    const appointment = await createAppointment(test, who, ada.id);
    const host = await db().user.create({ data: { organizationId, type: 'provider', firstName: 'Hedda', lastName: 'Gabler' } });
    // Opened a month before they took place.
    const startSession = async ({ startedAt, ...data }: { startedAt: Date; [field: string]: unknown }) =>
      (await createSession(test, who, { startedAt, createdAt: new Date(startedAt.getTime() - 30 * 86_400_000), ...data })).id;
    ids = {
      byPresence: await startSession({ startedAt: new Date('2031-03-01T12:00:00Z') }),
      byInvite: await startSession({ startedAt: new Date('2031-03-02T12:00:00Z') }),
      byVisit: await startSession({ startedAt: new Date('2031-03-03T12:00:00Z') }),
      byAppointment: await startSession({ startedAt: new Date('2031-03-04T12:00:00Z'), appointmentId: appointment.id }),
      other: await startSession({ startedAt: new Date('2031-03-05T04:30:00Z'), hostUserId: host.id, kind: 'meet' }),
    };
    await enterSession(test, who, ids.byPresence, { patientId: ada.id });
    await inviteTo(test, who, ids.byInvite, { patientId: ada.id });
    await createVisit(test, who, { videoSessionId: ids.byVisit, patientId: ada.id });
    query = { patient: String(ada.id), host: String(host.id), appointment: String(appointment.id) };
  });

  const OF_ADA = ['byPresence', 'byInvite', 'byVisit', 'byAppointment'] as const;
  it.each<[string, readonly (keyof typeof ids)[]]>([
    ['search=nunez', OF_ADA],
    ['keyword=QUILL', OF_ADA],
    ['search=ada nu', OF_ADA],
    ['search=quill, ada', OF_ADA],
    ['search=(919) 555-01', OF_ADA],
    ['search=hed', ['other']],
    ['search=gabler hedda', ['other']],
    ['search=nobody', []],
    ['patient_id={patient}', OF_ADA],
    ['patient_id={patient}&search=ada&limit=1&page=4', ['byPresence']],
    ['patient_id=2000000001', []],
    ['user_id={host}', ['other']],
    ['appointment_id={appointment}', ['byAppointment']],
    ['kind=meet', ['other']],
    ['kind=telehealth', OF_ADA],
    ['state=ended&kind=meet', ['other']],
    ['state=running', []],
    // New York: 04:30 UTC is the evening before.
    ['min-date=2031-03-04', ['byAppointment', 'other']],
    ['min-date=2031-03-04T20:00:00&max-date=2031-03-04', ['other']],
    ['min_date=2031-03-04&max_date=2031-03-04', ['byAppointment', 'other']],
    ['max-date=2031-03-02', ['byPresence', 'byInvite']],
    ['min-date=2031-03-05T04:30:00Z', ['other']],
    ['', [...OF_ADA, 'other']],
  ])('by %s finds %j', async (written, expected) => {
    const filled = written.replaceAll(/\{(\w+)\}/g, (_, name: string) => query[name] ?? '');
    const answer = await who.get(`/video-session/search?${new URLSearchParams(filled)}`);
    expect(answer.status, answer.text).toBe(200);
    expect(uuids(answer)).toEqual(expected.map((name) => ids[name]).toReversed());
    expect(answer.body.meta.total).toBe(written.includes('page=4') ? 4 : expected.length);
  });

  it.each([
    ['search=a&keyword=b', 'search', 'keyword'],
    ['search=12', 'search'],
    ['keyword=12', 'keyword'],
    ['min-date=2031-03-05&max-date=2031-03-04', 'min-date'],
    ['max-date=tomorrow', 'max-date'],
    ['state=over', 'state'],
    ['kind=call', 'kind'],
    ['patient_id=x', 'patient_id'],
    ['limit=1001', 'limit'],
  ])('with %s is refused and names %s', async (written, ...fields) => {
    const { status, body } = await who.get(`/video-session/search?${written}`);
    expect(status).toBe(400);
    expect(body.errors).toMatchObject(fields.map((field) => ({ pointer: `/${field}` })));
  });

  it('by a name finds no session of another organization', async () => {
    const other = await signedInUser(test);
    for (const written of ['search=nunez', 'search=gabler', `patient_id=${query.patient}`, `appointment_id=${query.appointment}`])
      expect((await other.get(`/video-session/search?${written}`)).body.meta.total).toBe(0);
  });
});
