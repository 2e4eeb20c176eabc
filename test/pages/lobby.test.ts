import { beforeAll, describe, expect, it } from 'vitest';
import { practiceWithNumber } from '../jobs/outgoing.ts';
import { enter, findLink, openMeeting } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { createPatient, createUser } from '../support/factories.ts';
import { eventually } from '../support/server-process.ts';
import { staffPages } from '../support/staff-pages.ts';

const test = await ownTestApp({ SIGN_IN_FAILURES_ACCOUNT: '3' });
const prisma = test.database.prisma;
const organizationId = await practiceWithNumber(test, { name: 'Harbor Clinic' });
const provider = await signedInUser(test, { organizationId, type: 'provider', user: { firstName: 'Maria', lastName: 'Chen' } });
const desk = await signedInUser(test, { organizationId, user: { firstName: 'Dana', lastName: 'Desk' } });
const stranger = await signedInUser(test, { organizationId: await practiceWithNumber(test, { name: 'Elsewhere' }), type: 'provider' });

const { http, send, browse } = staffPages(test);

const readLobby = async (headers: Record<string, string>) => (await http.get('/lobby').set(headers).expect(200)).text;
const rowsIn = (page: string) =>
  [...page.matchAll(/<li data-guest="([^"]+)" data-name="([^"]+)">/g)].map(([, guest, name]) => ({ guest, name }));
/** The row of one guest, without markup. */
const findGuestWords = (page: string, guest: string) =>
  (page.split(`data-guest="${guest}"`)[1] ?? '')
    .split('</li>')[0]
    ?.replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ') ?? '';

/** A patient who waits in a waiting room of the provider. */
async function waitInRoom(data: object = {}) {
  const patient = await createPatient(prisma, {
    organizationId,
    firstName: 'Pia',
    lastName: 'Waits',
    mobilePhone: '+12125550123',
    ...data,
  });
  const room = await prisma.waitingRoom.create({ data: { organizationId, userId: provider.user.id, name: 'Video desk' } });
  const { uuid } = (await provider.post(`/waiting-rooms/${room.id}/invite/${patient.id}`).send({ emailOrSms: 'sms' }).expect(201)).body
    .data;
  const link = await findLink(test, organizationId, uuid);
  const browser = await enter(test, link);
  return { patient, browser, link, guest: `visit:${browser.answer.you.id}` };
}

/** A guest who waits at the link of a session of the provider. */
async function waitAtLink(name: string) {
  const session = await openMeeting(provider);
  const browser = await enter(test, session.guest, { name });
  return { session, browser, guest: `participant:${browser.answer.you.id}` };
}

describe('signing in to the pages of staff', () => {
  it('takes the accounts of the mobile API, and gives a cookie that no script and no other site can use', async () => {
    await http.get('/lobby').redirects(0).expect(303).expect('location', '/sign-in?to=%2Flobby');
    expect((await http.get('/sign-in').expect(200)).text).toContain('<h1>Sign in</h1>');
    const answer = await send('/sign-in', { email: desk.email.toUpperCase(), password: desk.password }).expect(303);
    expect(answer.headers.location).toBe('/lobby');
    const [cookie = ''] = [answer.headers['set-cookie']].flat().filter((one) => one?.startsWith('staff='));
    expect(cookie).toMatch(/^staff=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    const page = await test.http
      .get('/lobby')
      .set('cookie', cookie.split(';')[0] ?? '')
      .expect(200);
    expect(page.text).toContain('Harbor Clinic');
    expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'same-origin' });
  });

  it('refuses a wrong password in the page, counts it with those of the mobile API, and audits it', async () => {
    const { user, email, password } = await createUser(prisma, { organizationId, type: 'staff' });
    const refused = await send('/sign-in', { email, password: 'wrong' }).expect(401);
    expect(refused.text).toContain('The email or the password is wrong.');
    expect(refused.headers).not.toHaveProperty('set-cookie');
    for (let failures = 1; failures < 3; failures += 1) await send('/sign-in', { email, password: 'wrong' }).expect(401);
    const locked = await send('/sign-in', { email, password }).expect(429);
    expect(Number(locked.headers['retry-after'])).toBeGreaterThan(0);
    await http.post('/login').send({ email, password }).expect(429);
    const details = async () => {
      const where = { organizationId, action: 'sign_in_refused', resourceIds: { has: user.id } };
      return (await prisma.auditEntry.findMany({ where })).map(({ detail }) => detail ?? 'the password was wrong').toSorted();
    };
    const all = ['the account was locked', ...Array(3).fill('the password was wrong')];
    await eventually('the refusals are audited', async () => String(await details()) === String(all));
  });

  it('ends with sign-out, with an ended session, and with an account that is closed', async () => {
    const { email, password, user } = await createUser(prisma, { organizationId, type: 'provider' });
    const headers = await browse({ email, password });
    await readLobby(headers);
    const out = await send('/sign-out', {}, headers).expect(303);
    expect(out.headers['set-cookie']?.[0]).toContain('Max-Age=0');
    expect(out.headers['clear-site-data']).toBe('"cache", "storage"');
    await http.get('/lobby').set(headers).redirects(0).expect(303);
    const former = await browse({ email, password });
    const { headers: renewed } = await send('/sign-in', { email, password }, former).expect(303);
    await http.get('/lobby').set(former).redirects(0).expect(303);
    const again = { cookie: renewed['set-cookie']?.[0]?.split(';')[0] ?? '' };
    await readLobby(again);
    await prisma.user.update({ where: { organizationId_id: { organizationId, id: user.id } }, data: { active: false } });
    await http.get('/lobby').set(again).redirects(0).expect(303);
    const forged = { cookie: again.cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) };
    await http.get('/lobby').set(forged).redirects(0).expect(303);
  });

  it('takes no form of another site, with or without a cookie', async () => {
    const headers = await browse(desk);
    const { guest } = await waitAtLink('Gus');
    for (const foreign of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'null' }]) {
      await send('/sign-in', desk, { ...foreign }).expect(403);
      await send('/lobby/late', { guest, minutes: 5 }, { cookie: headers.cookie, ...foreign }).expect(403);
      await send('/sign-out', {}, { cookie: headers.cookie, ...foreign }).expect(403);
    }
    await send('/lobby/late', { guest, minutes: 5 }, { cookie: headers.cookie }).expect(403);
    await readLobby(headers);
  });
});

describe('the lobby', () => {
  let staff: Awaited<ReturnType<typeof browse>>;
  beforeAll(async () => {
    staff = await browse(desk);
  });

  it('opens nothing to somebody who is not signed in', async () => {
    await http.get('/lobby').redirects(0).expect(303).expect('location', '/sign-in?to=%2Flobby');
    await http.get('/lobby/waiting').redirects(0).expect(303).expect('location', '/sign-in');
    for (const path of ['/lobby/late', '/lobby/visit']) {
      const answer = await send(path, { guest: 'visit:1', minutes: 5 }).expect(303);
      expect(answer.headers.location).toBe('/sign-in');
    }
  });

  it('shows who waits at links and in waiting rooms, since when, for whom, and whether their devices work', async () => {
    const [inRoom, atLink] = [await waitInRoom(), await waitAtLink('Gus Guest')];
    const { id } = atLink.browser.answer.you;
    await prisma.sessionParticipant.updateMany({ where: { organizationId, id }, data: { camera: false, microphone: true } });
    const page = await readLobby(staff);
    expect(rowsIn(page)).toEqual(
      expect.arrayContaining([
        { guest: inRoom.guest, name: 'Pia Waits' },
        { guest: atLink.guest, name: 'Gus Guest' },
      ]),
    );
    expect(findGuestWords(page, inRoom.guest)).toMatch(/Waiting since \d+:\d\d [AP]M For Maria Chen · Video desk .*devices not checked/);
    expect(findGuestWords(page, atLink.guest)).toMatch(/guest, no chart .*For Maria Chen .*no camera/);
    const theirs = await readLobby(await browse(stranger));
    expect(rowsIn(theirs)).toEqual([]);
    inRoom.browser.close();
    atLink.browser.send({ type: 'leave' });
    await eventually('who left is gone', async () => !(await readLobby(staff)).includes(atLink.guest));
  });

  it('says only what is new when it is asked again, and audits what it shows', async () => {
    const { patient } = await waitInRoom();
    const countReads = () => prisma.auditEntry.count({ where: { organizationId, resource: 'lobby', patientIds: { has: patient.id } } });
    const first = await http.get('/lobby/waiting').set(staff).expect(200);
    expect(await countReads()).toBe(1);
    const etag = String(first.headers.etag);
    await test.http
      .get('/lobby/waiting')
      .set({ ...staff, 'if-none-match': etag })
      .expect(304);
    expect(await countReads()).toBe(1);
    const { guest } = await waitAtLink('Nora New');
    const next = await test.http
      .get('/lobby/waiting')
      .set({ ...staff, 'if-none-match': etag })
      .expect(200);
    expect(rowsIn(next.text)).toContainEqual({ guest, name: 'Nora New' });
  });

  it('names no patient whose chart is restricted, and writes to none', async () => {
    const { patient, guest } = await waitInRoom({ firstName: 'Vera', lastName: 'Hidden' });
    await prisma.privacyRestriction.create({ data: { organizationId, patientId: patient.id, kind: 'record' } });
    const page = await readLobby(staff);
    expect(page).not.toContain('Vera');
    expect(rowsIn(page)).toContainEqual({ guest, name: 'Patient' });
    const texts = () => prisma.smsMessage.count({ where: { organizationId, patientId: patient.id, body: { contains: 'minutes late' } } });
    await send('/lobby/late', { guest, minutes: 10 }, staff).expect(303);
    expect(await texts()).toBe(0);
    expect(findGuestWords(await readLobby(staff), guest)).toMatch(/told \d+:\d\d [AP]M: 10 minutes late/);
  });

  it('offers a visit with a restricted patient to its host alone', async () => {
    const { session, guest } = await waitAtLink('Gus');
    const hidden = await createPatient(prisma, { organizationId, firstName: 'Vera', lastName: 'Hidden' });
    await prisma.privacyRestriction.create({ data: { organizationId, patientId: hidden.id, kind: 'record' } });
    const { id: videoSessionId } = await prisma.videoSession.findFirstOrThrow({ where: { organizationId, guid: session.guid } });
    await prisma.sessionParticipant.create({
      data: { organizationId, videoSessionId, role: 'guest', patientId: hidden.id, lastSeenAt: new Date(), leftAt: new Date() },
    });
    expect(findGuestWords(await readLobby(staff), guest)).toContain('Only the host can open this visit');
    expect(findGuestWords(await readLobby(await browse(provider)), guest)).toContain('Go to the visit');
  });

  it('tells with one tap that the practice runs late: by text and on the page, once however often it is tapped', async () => {
    const { patient, browser, guest, link } = await waitInRoom();
    const tap = { guest, minutes: 15, seen: '' };
    await Promise.all([send('/lobby/late', tap, staff).expect(303), send('/lobby/late', tap, staff).expect(303)]);
    expect(await browser.next('late')).toMatchObject({ minutes: 15 });
    const noticed = { organizationId, resource: 'late_notice', patientIds: { has: patient.id } };
    expect(await prisma.auditEntry.count({ where: noticed })).toBe(1);
    const texts = () =>
      prisma.smsMessage.findMany({ where: { organizationId, patientId: patient.id, body: { contains: 'minutes late' } } });
    expect((await texts()).map(({ body, toNumber, urgent }) => ({ body, toNumber, urgent }))).toEqual([
      {
        body: 'Harbor Clinic is running about 15 minutes late for your video visit. Please keep the page open; your place is kept.',
        toNumber: '+12125550123',
        urgent: true,
      },
    ]);
    const page = await readLobby(staff);
    const seen = /name="seen" value="([^"]+)"/.exec(page.split(`data-guest="${guest}"`)[1] ?? '')?.[1];
    await send('/lobby/late', { ...tap, seen }, staff).expect(303);
    expect(await texts()).toHaveLength(2);
    const again = await enter(test, link);
    expect(await again.next('late')).toMatchObject({ minutes: 15 });
    const audited = await prisma.auditEntry.count({
      where: { organizationId, actor: `user:${desk.user.id}`, resource: 'late_notice', action: 'create' },
    });
    expect(audited).toBeGreaterThanOrEqual(2);
    await send('/lobby/late', { guest, minutes: 7 }, staff).expect(400);
    await send('/lobby/late', { guest: 'visit:999999', minutes: 5 }, staff).expect(409);
  });

  it('lets nobody reach the people of another practice', async () => {
    const { guest } = await waitInRoom();
    const theirs = await browse(stranger);
    await send('/lobby/late', { guest, minutes: 5 }, theirs).expect(409);
    await send('/lobby/visit', { guest }, theirs).expect(404);
  });

  it('opens the visit as its host, who then admits', async () => {
    const { session, browser, guest } = await waitAtLink('Gus');
    const doctor = await browse(provider);
    const opened = await send('/lobby/visit', { guest }, doctor).expect(303);
    expect(opened.headers.location).toMatch(/^\/v\/[\w-]{32}$/);
    const leader = await enter(test, String(opened.headers.location));
    expect(leader.answer).toMatchObject({ you: { role: 'host', name: 'Maria Chen' }, session: { guid: session.guid } });
    leader.send({ type: 'admit', guest });
    await browser.next('admitted');
    await send('/lobby/visit', { guest }, doctor)
      .expect(303)
      .expect('location', /^\/v\//);
    const { headers } = await send('/lobby/visit', { guest: (await waitInRoom()).guest }, staff).expect(303);
    const delegate = await enter(test, String(headers.location));
    expect(delegate.answer).toMatchObject({ you: { role: 'host', name: 'Dana Desk' }, session: { guid: session.guid } });
  });
});
