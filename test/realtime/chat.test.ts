import { describe, expect, it } from 'vitest';
import { practiceWithNumber } from '../jobs/outgoing.ts';
import { signedInUser } from '../support/actors.ts';
import { secondTestApp, sharedTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { type Browser, enter, findLink, type Message, meet, openMeeting } from './room.ts';

const test = await sharedTestApp();
/** A second process on the same database. */
const other = await secondTestApp();
const prisma = test.database.prisma;
const organizationId = await practiceWithNumber(test);
const host = await signedInUser(test, { organizationId, type: 'provider' });

const listTexts = ({ messages }: Message) => (Array.isArray(messages) ? messages.map(({ text }) => text) : []);
/** The next message of the chat with a text. */
const hears = (browser: Browser, text: string) => browser.next('chat', (message) => listTexts(message).includes(text));
const readChat = async (guid: string, reader = host) => (await reader.get(`/video-session/${guid}/chat`).expect(200)).body;

/** A patient with a link of their own to a session. */
async function invite(guid: string, data: object = {}) {
  const patient = await createPatient(prisma, { organizationId, firstName: 'Pia', mobilePhone: '+12125550123', ...data });
  const { uuid } = (await host.post(`/video-session/${guid}/invite`).send({ patient_id: patient.id }).expect(201)).body.data;
  return { patient, link: await findLink(test, organizationId, uuid) };
}

describe('the chat of a visit', () => {
  it('reaches everybody in the visit, on every process, and is kept with it', async () => {
    const session = await openMeeting(host);
    const leader = await enter(test, session.host);
    const visitor = await enter(other, session.guest, { name: 'Gus' });
    leader.send({ type: 'admit', guest: `participant:${visitor.answer.you.id}` });
    await visitor.next('admitted');
    visitor.send({ type: 'chat', text: '  I cannot hear you.\nCan you write? ' });
    const [written] = (await hears(leader, 'I cannot hear you.\nCan you write?')).messages as unknown[];
    expect(written).toMatchObject({ from: visitor.answer.you.id, name: 'Gus', text: 'I cannot hear you.\nCan you write?' });
    leader.send({ type: 'chat', text: 'Of course.', visit: 1 });
    await hears(visitor, 'Of course.');
    await hears(leader, 'Of course.');
    const { data, meta } = await readChat(session.guid);
    expect(meta.total).toBe(2);
    expect(data.map(({ visit, role, name, user_id }: Record<string, unknown>) => ({ visit, role, name, user_id }))).toEqual([
      { visit: 1, role: 'guest', name: 'Gus', user_id: null },
      { visit: 1, role: 'host', name: 'Una User', user_id: host.user.id },
    ]);
    const audited = await prisma.auditEntry.findMany({ where: { organizationId, resource: 'session_chat_message', action: 'create' } });
    expect(audited.map(({ actor }) => actor).sort()).toEqual(['link:video_guest', 'link:video_host']);
  });

  it('is there again after a reload, and not for the patient of the next visit', async () => {
    const session = await openMeeting(host);
    const { leader, visitor } = await meet(test, session, 'First');
    visitor.send({ type: 'chat', text: 'My secret' });
    await hears(leader, 'My secret');
    const again = await enter(other, session.guest, { name: 'First', resume: visitor.answer.resume });
    await hears(again, 'My secret');
    again.send({ type: 'leave' });
    await again.closed;
    const second = await enter(test, session.guest, { name: 'Second' });
    leader.send({ type: 'admit', guest: `participant:${second.answer.you.id}`, visit: 'new' });
    await second.next('admitted');
    leader.send({ type: 'chat', text: 'For the first one', visit: 1 });
    expect(await leader.next('problem')).toMatchObject({ code: 'visit_changed' });
    leader.send({ type: 'chat', text: 'Hello Second', visit: 2 });
    await hears(second, 'Hello Second');
    expect(JSON.stringify(second.heard)).not.toContain('My secret');
    expect((await readChat(session.guid)).data.map(({ visit, text }: Record<string, unknown>) => [visit, text])).toEqual([
      [1, 'My secret'],
      [2, 'Hello Second'],
    ]);
  });

  it('takes nothing from who waits, nothing empty or too long, and not a flood', async () => {
    const session = await openMeeting(host);
    const leader = await enter(test, session.host);
    const waiting = await enter(test, session.guest, { name: 'Gus' });
    waiting.send({ type: 'chat', text: 'Let me in' });
    expect(await waiting.next('problem')).toMatchObject({ code: 'not_admitted' });
    for (const text of ['', '   ', 'x'.repeat(2_001)]) {
      leader.send({ type: 'chat', text });
      expect(await leader.next('problem')).toMatchObject({ code: 'invalid_input' });
    }
    for (let count = 0; count < 21; count += 1) leader.send({ type: 'chat', text: `note ${count}` });
    expect(await leader.next('problem')).toMatchObject({ code: 'too_many_messages' });
    expect((await readChat(session.guid)).meta.total).toBe(20);
  });

  it('of a patient whose chart is restricted is shown to nobody who may not see it, and stays with the practice', async () => {
    const session = await openMeeting(host);
    const { patient, link } = await invite(session.guid);
    const { leader, visitor } = await meet(test, { host: session.host, guest: link }, 'Pia');
    visitor.send({ type: 'chat', text: 'About me' });
    await hears(leader, 'About me');
    expect((await readChat(session.guid)).data).toMatchObject([{ patient_uuid: patient.id, name: `Pia ${patient.lastName}` }]);
    const read = await prisma.auditEntry.findFirst({
      where: { organizationId, actor: `user:${host.user.id}`, patientIds: { has: patient.id }, resource: 'session_chat_message' },
    });
    expect(read?.action).toBe('search');
    await prisma.privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
    expect((await readChat(session.guid)).meta.total).toBe(0);
    const stranger = await signedInUser(test, { type: 'provider' });
    await stranger.get(`/video-session/${session.guid}/chat`).expect(404);
  });
});
