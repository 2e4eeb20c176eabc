import { describe, expect, it } from 'vitest';
import { practiceWithNumber } from '../jobs/outgoing.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { enter, findLink, openMeeting } from './room.ts';

const test = await sharedTestApp();
const prisma = test.database.prisma;
const organizationId = await practiceWithNumber(test);
const host = await signedInUser(test, { organizationId, type: 'provider' });
const desk = await signedInUser(test, { organizationId });
const away = await signedInUser(test, { organizationId, user: { telehealthAvailability: false } });
const otherProvider = await signedInUser(test, { organizationId, type: 'provider' });

/** What a user was notified of, about one record. */
async function knocksFor(user: typeof host, type: string, uuid: number) {
  const { data } = (await user.get('/notifications').expect(200)).body;
  return data.filter(
    ({ kind, subject }: { kind: string; subject: { type: string; uuid: number } }) =>
      kind === 'visit.knocked' && subject.type === type && subject.uuid === uuid,
  );
}

describe('a knock', () => {
  it('reaches the provider and the staff who are available, once, and names nobody', async () => {
    const session = await openMeeting(host);
    const visitor = await enter(test, session.guest, { name: 'Gus Guest' });
    for (const user of [host, desk]) expect(await knocksFor(user, 'video_session', session.uuid)).toHaveLength(1);
    for (const user of [away, otherProvider]) expect(await knocksFor(user, 'video_session', session.uuid)).toEqual([]);
    expect(JSON.stringify((await host.get('/notifications')).body)).not.toContain('Gus');
    const events = await prisma.event.count({ where: { organizationId, name: 'notification.created' } });
    expect(events).toBeGreaterThanOrEqual(2);

    const again = await enter(test, session.guest, { name: 'Gus Guest', resume: visitor.answer.resume });
    expect(again.answer.you.id).toBe(visitor.answer.you.id);
    expect(await knocksFor(host, 'video_session', session.uuid)).toHaveLength(1);
    await enter(test, session.guest, { name: 'Nora' });
    expect(await knocksFor(host, 'video_session', session.uuid)).toHaveLength(2);
  });

  it('at a waiting room of nobody reaches every provider who is available', async () => {
    const room = await prisma.waitingRoom.create({ data: { organizationId, name: 'Video desk' } });
    const patient = await createPatient(prisma, { organizationId, mobilePhone: '+12125550123' });
    const { uuid } = (await host.post(`/waiting-rooms/${room.id}/invite/${patient.id}`).send({}).expect(201)).body.data;
    const link = await findLink(test, organizationId, uuid);
    const waiting = await enter(test, link);
    const { id } = waiting.answer.you;
    for (const user of [host, otherProvider, desk]) expect(await knocksFor(user, 'waiting_room_visit', id)).toHaveLength(1);
    expect(await knocksFor(away, 'waiting_room_visit', id)).toEqual([]);
    await enter(test, link);
    expect(await knocksFor(host, 'waiting_room_visit', id)).toHaveLength(1);
  });
});
