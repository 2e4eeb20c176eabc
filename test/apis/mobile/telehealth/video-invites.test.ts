import { describe, expect, it } from 'vitest';
import { practiceWithNumber } from '../../../jobs/outgoing.ts';
import { enter, findLink, join, openMeeting, toPath } from '../../../realtime/room.ts';
import { signedInUser } from '../../../support/actors.ts';
import { sharedTestApp, startTestApp } from '../../../support/app.ts';
import { createPatient } from '../../../support/factories.ts';

const test = await sharedTestApp();
const organizationId = await practiceWithNumber(test, { name: 'Harbor Clinic' });
const host = await signedInUser(test, { organizationId, type: 'provider' });
const stranger = await signedInUser(test, { organizationId: await practiceWithNumber(test) });

const writeName = ({ user }: typeof host) => `${user.firstName} ${user.lastName}`;
const inviteTo = (guid: string, body: object, who = host) => who.post(`/video-session/${guid}/invite`).send(body);
const pia = () =>
  createPatient(test.database.prisma, { organizationId, firstName: 'Pia', mobilePhone: '+12125550123', email: 'pia@example.com' });

describe('an invite to a session', () => {
  it('goes to the patient’s own number or address, or to the one that is given', async () => {
    const { guid } = await openMeeting(host);
    const patient_id = (await pia()).id;
    const sentTo = async (body: object) => {
      const { channel, sent_to } = (await inviteTo(guid, body).expect(201)).body.data;
      return [channel, sent_to];
    };
    expect(await sentTo({ patient_id })).toEqual(['sms', '2125550123']);
    expect(await sentTo({ patient_id, channel: 'Email' })).toEqual(['email', 'pia@example.com']);
    expect(await sentTo({ patient_id, emailOrSms: 'sms', phone: 2125550199, orgOrServiceNumber: 'org' })).toEqual(['sms', '2125550199']);
    expect(await sentTo({ patient_id, email: 'mum@example.com' })).toEqual(['email', 'mum@example.com']);
    expect(await sentTo({ phone: '(212) 555-0177' })).toEqual(['sms', '2125550177']);
    expect(await sentTo({ email: 'else@example.com', patient_id: null })).toEqual(['email', 'else@example.com']);
  });

  it('names the practice, and keeps its link in no answer and no row', async () => {
    const { guid } = await openMeeting(host);
    const { body } = await inviteTo(guid, { patient_id: (await pia()).id }).expect(201);
    expect(body.data).toMatchObject({ session_guid: guid, waiting_room_id: null, withdrawn_at: null, delivery: { state: 'queued' } });
    const link = await findLink(test, organizationId, body.data.uuid);
    const { text } = await test.database.prisma.sessionInvite.findUniqueOrThrow({
      where: { organizationId_id: { organizationId, id: body.data.uuid } },
      include: { text: true },
    });
    expect(text?.body).toContain('Harbor Clinic');
    for (const shown of [JSON.stringify(body), JSON.stringify(text), test.logs.join('')]) expect(shown).not.toContain(link.slice(3));
  });

  it('has the words of the practice’s active template, where that names the link', async () => {
    const { guid } = await openMeeting(host);
    const readInviteWords = async (): Promise<string | undefined> => {
      const { uuid } = (await inviteTo(guid, { patient_id: (await pia()).id }).expect(201)).body.data;
      const { text } = await test.database.prisma.sessionInvite.findUniqueOrThrow({
        where: { organizationId_id: { organizationId, id: uuid } },
        select: { text: { select: { body: true } } },
      });
      return text?.body;
    };
    const data = { organizationId, category: 'telehealth', name: 'Visit', active: true, body: 'Hi {{first name}}: {{url}}' };
    const template = await test.database.prisma.smsTemplate.create({ data });
    expect(await readInviteWords()).toBe('Hi Pia: {{url}}');
    const where = { organizationId_id: { organizationId, id: template.id } };
    await test.database.prisma.smsTemplate.update({ where, data: { body: 'Hi {{first name}}!' } });
    expect(await readInviteWords()).toContain('{{url}}');
    await test.database.prisma.smsTemplate.update({ where, data: { active: false } });
  });

  it('is refused without anybody to invite, by an unknown way, or where the patient cannot be reached so', async () => {
    const { guid } = await openMeeting(host);
    const nobody = await inviteTo(guid, {}).expect(400);
    expect(nobody.body.errors[0].pointer).toBe('/patient_id');
    await inviteTo(guid, { email: 'x@example.com', emailOrSms: 'sms' }).expect(400);
    for (const body of [{ email: 'no' }, { phone: '12' }, { patient_id: 0 }, { patient_id: 1, emailOrSms: 'fax' }])
      await inviteTo(guid, body).expect(400);
    for (const phone of ['911', '988', '(900) 555-0123', '212-976-1234', 9115550123])
      expect((await inviteTo(guid, { phone }).expect(400)).body.errors).toMatchObject([{ pointer: '/phone' }]);
    const shared = await inviteTo(guid, { email: 'x@example.com', orgOrServiceNumber: 'service' }).expect(400);
    expect(shared.body.errors).toMatchObject([{ pointer: '/orgOrServiceNumber' }]);
    const bare = await createPatient(test.database.prisma, { organizationId });
    expect((await inviteTo(guid, { patient_id: bare.id, emailOrSms: 'email' }).expect(422)).body.code).toBe('no_email');
  });

  it('does not leave any more once it was withdrawn, by text or by mail', async () => {
    const { guid } = await openMeeting(host);
    for (const emailOrSms of ['sms', 'email']) {
      const { uuid } = (await inviteTo(guid, { patient_id: (await pia()).id, emailOrSms }).expect(201)).body.data;
      await host.delete(`/video-session/${guid}/invite/${uuid}`).expect(204);
      const { text, mail } = await test.database.prisma.sessionInvite.findUniqueOrThrow({
        where: { organizationId_id: { organizationId, id: uuid } },
        include: { text: true, mail: true },
      });
      expect(text ?? mail).toMatchObject({ state: 'suppressed', reason: 'withdrawn', sealed: null });
    }
  });

  it('that was withdrawn before anybody joined leaves its patient in no session and no picture', async () => {
    const { guid } = await openMeeting(host);
    const [gone, kept] = [await pia(), await pia()];
    const invited = async (patient_id: number) => (await inviteTo(guid, { patient_id }).expect(201)).body.data.uuid;
    const [withdrawn] = [await invited(gone.id), await invited(kept.id)];
    await host.delete(`/video-session/${guid}/invite/${withdrawn}`).expect(204);
    const { patients } = (await host.get(`/video-session/${guid}`).expect(200)).body.data;
    expect(patients).toMatchObject([{ uuid: kept.id }]);
    for (const path of ['/video-session', '/video-session-image', '/video-session-video'])
      expect((await host.get(`${path}/search?patient_id=${gone.id}`).expect(200)).body.data).toEqual([]);
  });

  it('leaves at any hour, since the visit that it is about is now', async () => {
    const { guid } = await openMeeting(host);
    const { uuid } = (await inviteTo(guid, { patient_id: (await pia()).id, emailOrSms: 'sms' }).expect(201)).body.data;
    const { text } = await test.database.prisma.sessionInvite.findUniqueOrThrow({
      where: { organizationId_id: { organizationId, id: uuid } },
      include: { text: true },
    });
    expect(text).toMatchObject({ urgent: true, isReply: false });
  });

  it('is one person’s: another invited person does not become them', async () => {
    const { guid } = await openMeeting(host);
    const linkOfNew = async () => {
      const { uuid } = (await inviteTo(guid, { patient_id: (await pia()).id }).expect(201)).body.data;
      return findLink(test, organizationId, uuid);
    };
    const [mine, theirs] = [await join(test, await linkOfNew()), await linkOfNew()];
    const answer = await join(test, theirs, { resume: mine.resume });
    expect(answer.you.id).not.toBe(mine.you.id);
    expect((await join(test, theirs, { resume: answer.resume })).you.id).toBe(answer.you.id);
  });

  it('opens nothing once it was withdrawn, or has expired; the page says so', async () => {
    const { guid } = await openMeeting(host);
    const invited = async () => {
      const { uuid } = (await inviteTo(guid, { patient_id: (await pia()).id }).expect(201)).body.data;
      return { uuid, link: await findLink(test, organizationId, uuid) };
    };
    const withdrawn = await invited();
    await stranger.delete(`/video-session/${guid}/invite/${withdrawn.uuid}`).expect(404);
    await host.delete(`/video-session/${guid}/invite/${withdrawn.uuid}`).expect(204);
    await host.delete(`/video-session/${guid}/invite/${withdrawn.uuid}`).expect(204);
    const expired = await invited();
    await test.database.prisma.sessionInvite.updateMany({ where: { id: expired.uuid }, data: { expiresAt: new Date() } });
    for (const [link, code, words] of [
      [withdrawn.link, 'link_withdrawn', 'was withdrawn'],
      [expired.link, 'link_expired', 'has expired'],
    ] as const) {
      const answer = await test.http.post(`${link}/join`).send({});
      expect([answer.status, answer.body.error.code]).toEqual([410, code]);
      const page = await test.http.get(link);
      expect([page.status, page.text.includes(words)]).toEqual([410, true]);
    }
    for (const unknown of ['/v/nothing', `${expired.link.slice(0, -4)}AAAA`]) {
      expect((await test.http.get(unknown)).status).toBe(404);
      expect((await test.http.post(`${unknown}/join`).send({})).body.error.code).toBe('link_unknown');
    }
  });

  it('is refused for a session that is over', async () => {
    const session = await openMeeting(host);
    const leader = await enter(test, session.host);
    leader.send({ type: 'end' });
    await leader.closed;
    expect((await inviteTo(session.guid, { email: 'x@example.com' }).expect(409)).body.code).toBe('session_over');
  });
});

describe('a new host link', () => {
  const linkTo = async (guid: string, user: typeof host) =>
    toPath((await user.post(`/video-session/${guid}/host-link`).expect(201)).body.data.host_link);

  it('opens the session as its host, and ends no earlier one', async () => {
    const session = await openMeeting(host);
    await stranger.post(`/video-session/${session.guid}/host-link`).expect(404);
    for (const link of [await linkTo(session.guid, host), session.host]) {
      const { role, name } = (await enter(test, link)).answer.you;
      expect([role, name]).toEqual(['host', writeName(host)]);
    }
  });

  it('of a colleague lets the colleague lead under their own name, whatever name is given', async () => {
    const session = await openMeeting(host);
    const colleague = await signedInUser(test, { organizationId, user: { firstName: 'Cora', lastName: 'Colleague' } });
    const { you } = (await enter(test, await linkTo(session.guid, colleague), { name: writeName(host) })).answer;
    expect([you.role, you.name]).toEqual(['host', writeName(colleague)]);
    const { participants } = (await host.get(`/video-session/${session.guid}`).expect(200)).body.data;
    expect(participants).toMatchObject([{ role: 'host', user_id: colleague.user.id, name: writeName(colleague) }]);
  });

  it('can be withdrawn by whose it is, and goes with their account', async () => {
    const session = await openMeeting(host);
    const colleague = await signedInUser(test, { organizationId, user: { firstName: 'Cora', lastName: 'Colleague' } });
    const theirs = await linkTo(session.guid, colleague);
    await stranger.delete(`/video-session/${session.guid}/host-link`).expect(404);
    await host.delete(`/video-session/${session.guid}/host-link`).expect(204);
    expect((await test.http.get(session.host)).status).toBe(410);
    expect((await test.http.get(theirs)).status).toBe(200);
    const key = { organizationId_id: { organizationId, id: colleague.user.id } };
    await test.database.prisma.user.update({ where: key, data: { active: false } });
    expect((await test.http.post(`${theirs}/join`).send({})).body.error.code).toBe('link_withdrawn');
  });
});

describe('what a page is told when it joins', () => {
  it('names servers that help to connect, with credentials of TURN that run out', async () => {
    const turned = await startTestApp(
      {
        ICE_SERVERS: 'stun:stun.example.org:3478,turn:turn.example.org,turns:turn.example.org?transport=tcp',
        TURN_SECRET: 'a secret of two servers',
      },
      { databaseUrl: test.databaseUrl },
    );
    const session = await openMeeting(host);
    const answer = (await turned.http.post(`${session.guest}/join`).send({ name: 'Gus' })).body;
    const [stun, turn] = answer.ice_servers;
    expect(stun).toEqual({ urls: ['stun:stun.example.org:3478'] });
    expect(turn.urls).toEqual(['turn:turn.example.org', 'turns:turn.example.org?transport=tcp']);
    const [until, who] = turn.username.split(':');
    expect(Number(until) - Date.now() / 1000).toBeGreaterThan(11 * 3_600);
    expect(Number(who)).toBe(answer.you.id);
    expect(turn.credential).toMatch(/^[A-Za-z0-9+/]{27}=$/);
    await turned.close();
    expect((await test.http.post(`${session.guest}/join`).send({ name: 'Gus' })).body.ice_servers).toEqual([]);
  });

  it('asks a guest for a name, and bounds how many may wait', async () => {
    const session = await openMeeting(host);
    for (const body of [{}, { name: '  ' }, { name: 'x'.repeat(81) }]) {
      const answer = await test.http.post(`${session.guest}/join`).send(body);
      expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_input']);
    }
    for (let n = 0; n < 20; n += 1) expect((await test.http.post(`${session.guest}/join`).send({ name: `G${n}` })).status).toBe(200);
    const crowd = await test.http.post(`${session.guest}/join`).send({ name: 'One more' });
    expect([crowd.status, crowd.body.error.code]).toEqual([429, 'too_many_waiting']);
  });

  it('lets one invite fill three places of the queue, and leaves the others to others', async () => {
    const session = await openMeeting(host);
    const { uuid } = (await inviteTo(session.guid, { patient_id: (await pia()).id }).expect(201)).body.data;
    const link = await findLink(test, organizationId, uuid);
    for (let n = 0; n < 3; n += 1) await join(test, link);
    const fourth = await test.http.post(`${link}/join`).send({});
    expect([fourth.status, fourth.body.error.code]).toEqual([429, 'too_many_waiting']);
    expect((await test.http.post(`${session.guest}/join`).send({ name: 'Another' })).status).toBe(200);
  });
});
