import { describe, expect, it } from 'vitest';
import { upload } from '../apis/mobile/messaging/attachments/uploading.ts';
import { findLink, join as joinVisit, openMeeting } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { sentCheckIn, surveyingPractice } from '../support/check-ins.ts';
import { messagePages, sendLink, sendLocked } from '../support/external-messages.ts';
import { createPatient } from '../support/factories.ts';

const test = await sharedTestApp();
const practice = await surveyingPractice(test);
const { organizationId, person } = practice;
const { prisma } = test.database;
const { page } = messagePages(test, person);
const key = (id: number) => ({ organizationId_id: { organizationId, id } });

const LANGUAGES = ['en', 'es'] as const;

const speaks = (id: number, languageCode: string | null) => prisma.patient.update({ where: key(id), data: { languageCode } });
const findLang = (text: string) => /<html lang="(\w+)">/.exec(text)?.[1];
const opened = async (path: string, headers: Record<string, string> = {}) => findLang((await page(path, { headers })).text);
const form = (fields: Record<string, string>): RequestInit => ({ method: 'POST', body: new URLSearchParams(fields) });

/** A check-in of a patient whose chart names a language. */
async function checkInIn(languageCode: string | null) {
  const sent = await sentCheckIn(test, practice);
  await speaks(sent.recipient.id, languageCode);
  return sent;
}

/** A visit, and the link of a patient whose chart names a language. */
async function invited(languageCode: string | null) {
  const session = await openMeeting(person);
  const patient = await createPatient(prisma, { organizationId, firstName: 'Pia', mobilePhone: '+12125550123', languageCode });
  const { uuid } = (await person.post(`/video-session/${session.guid}/invite`).send({ patient_id: patient.id }).expect(201)).body.data;
  return { session, patient, uuid: Number(uuid), link: await findLink(test, organizationId, Number(uuid)) };
}

async function waitingRoom(languageCode: string | null) {
  const patient = await createPatient(prisma, { organizationId, mobilePhone: '+12125550123', languageCode });
  const room = await prisma.waitingRoom.create({ data: { organizationId, name: 'Lobby' } });
  const { uuid } = (await person.post(`/waiting-rooms/${room.id}/invite/${patient.id}`).send({}).expect(201)).body.data;
  return findLink(test, organizationId, uuid);
}

describe('the language of a page', () => {
  it('is the chart’s, else the browser’s, else the practice’s', async () => {
    const { path, recipient } = await checkInIn('spa');
    expect(await opened(path, { 'accept-language': 'en-US,en;q=0.9' })).toBe('es');
    for (const code of [null, 'declined', 'vie']) {
      await speaks(recipient.id, code);
      expect(await opened(path, { 'accept-language': 'vi;q=1, en;q=0.3, es-MX;q=0.8' })).toBe('es');
      expect(await opened(path, { 'accept-language': 'es;q=0, *' })).toBe('en');
    }
    await prisma.organization.update({ where: { id: organizationId }, data: { languageId: 'es' } });
    expect(await opened(path)).toBe('es');
    expect(await opened(path, { 'accept-language': 'en' })).toBe('en');
    await prisma.organization.update({ where: { id: organizationId }, data: { languageId: 'en' } });
    expect(await opened(path)).toBe('en');
  });

  it('is changed by a link on each page, and stays so in this browser', async () => {
    const { path } = await checkInIn('spa');
    const { text } = await page(path);
    expect(text).toContain(
      `<a class="language-switch" href="${path}?lang&#61;en" hreflang="en" lang="en"><span class="language-name">English</span>`,
    );
    const changed = await page(`${path}?lang=en`);
    expect(findLang(changed.text)).toBe('en');
    const [cookie = ''] = changed.headers.getSetCookie();
    expect(cookie).toBe('lang=en; Path=/; HttpOnly; SameSite=Lax');
    const other = await checkInIn('spa');
    expect(await opened(other.path, { cookie: 'lang=en' })).toBe('en');
    expect(await opened(other.path, { cookie: 'lang=tlh' })).toBe('es');
    expect(await opened(`${other.path}?lang=de`)).toBe('es');
  });

  it('of a visit is the chart’s for a patient, the user’s for a host, and the browser’s for a guest', async () => {
    const { session, link } = await invited('spa');
    expect(await opened(link)).toBe('es');
    expect(await opened(await waitingRoom('es'))).toBe('es');
    expect(await opened(session.guest, { 'accept-language': 'es' })).toBe('es');
    expect(await opened(session.guest)).toBe('en');
    expect(await opened(session.host, { 'accept-language': 'es' })).toBe('en');
    const host = await signedInUser(test, { organizationId, type: 'provider' });
    await prisma.user.update({ where: key(host.user.id), data: { languageId: 'es' } });
    expect(await opened((await openMeeting(host)).host)).toBe('es');
  });

  it('is that of the times on it, with their zone', async () => {
    const { path, id } = await checkInIn('spa');
    await prisma.checkIn.update({ where: key(id), data: { expiresAt: new Date('2025-12-01T04:59:00Z') } });
    const { text } = await page(path);
    expect(text).toMatch(
      /Se pudo usar hasta el 30 de noviembre de 2025(,| a las) 11:59\sp\.\sm\. EST\.|30 de noviembre de 2025(,| a las) 11:59 p\.m\. EST\./,
    );
    const { session, link, uuid } = await invited('spa');
    const [startsAt, endsAt] = [new Date('2031-03-10T14:00:00Z'), new Date('2031-03-10T14:30:00Z')];
    const localStart = new Date('2031-03-10T10:00:00Z');
    const { id: appointmentId } = await prisma.appointment.create({
      data: { organizationId, startsAt, localStart, endsAt, timeZone: 'America/New_York', durationMinutes: 30 },
    });
    await prisma.sessionInvite.update({ where: key(uuid), data: { appointmentId } });
    expect(await joinVisit(test, link)).toMatchObject({
      appointment: { text: expect.stringMatching(/^lunes, 10 de marzo, 10:00\sa.\s?m. EDT$/) },
    });
    expect(await joinVisit(test, session.guest, { name: 'Sam' })).toMatchObject({ appointment: null });
  });
});

/** The texts of a page that a person reads or hears. */
function visibleTexts(text: string): string[] {
  const [, body = ''] = /<title>([\s\S]*)<\/body>/.exec(text) ?? [];
  const attributes = [...body.matchAll(/ (?:aria-label|alt|placeholder|title)="([^"]*)"/g)].flatMap(([, value = '']) => value);
  return [...body.split(/<[^>]*>/), ...attributes].map((part) => part.trim()).filter((part) => /\p{L}{2}/u.test(part));
}

/** The same in both languages: names, and what the practice has written. */
const SAME = [
  ...[
    'Hudson Family Practice',
    'How are you? · Hudson Family Practice',
    'HP',
    'Rosa',
    'Una User',
    'English',
    'Español',
    'No',
    'How are you?',
    'The upper number',
    'The upper number:',
    '120 mmHg',
    'None',
    'Headache',
    'All is well.',
  ],
  ...['Do you feel any of these?', 'How do you feel today?', 'Did you sleep well?', 'Anything that we should know?', 'scan.pdf'],
];

/** Opens a page in both languages: each has its `lang`, and no text of one stands in the other. */
async function expectBoth(path: string, status: number, init: RequestInit = {}): Promise<void> {
  const texts = await Promise.all(
    LANGUAGES.map(async (language) => {
      const answer = await page(`${path}?lang=${language}`, init);
      expect([path, answer.status, findLang(answer.text)]).toEqual([path, status, language]);
      return visibleTexts(answer.text);
    }),
  );
  const [english = [], spanish = []] = texts;
  expect(english.length).toBeGreaterThan(3);
  expect(
    spanish.filter((text) => english.includes(text) && !SAME.includes(text)),
    path,
  ).toEqual([]);
}

describe('no English is left on a Spanish page', () => {
  it('of a check-in, whatever its state', async () => {
    const { id, path, recipient } = await checkInIn('spa');
    await expectBoth(path, 200);
    await expectBoth(path, 422, form({ answer_systolic: '12 kg', answer_feeling: '9' }));
    await expectBoth(path, 422, form({ answer_systolic: '1,200' }));
    await expectBoth(path, 422, form({ answer_systolic: '500', answer_note: '7'.repeat(5_000) }));
    const good = form({ answer_systolic: '120', answer_symptom: 'None', answer_feeling: '4', answer_slept: 'no' });
    expect((await page(path, good)).status).toBe(303);
    await expectBoth(path, 200);
    await expectBoth(path, 409, form({ answer_systolic: '130', answer_symptom: 'None', answer_feeling: '4', answer_slept: 'no' }));
    await prisma.checkIn.update({ where: key(id), data: { answeredAt: null, expiresAt: new Date() } });
    await expectBoth(path, 410);
    await prisma.patient.update({ where: key(recipient.id), data: { status: 'deleted' } });
    await expectBoth(path, 410);
  });

  it('of a message and its code', async () => {
    const file = await upload(test, person, '%PDF-1.7', 'scan.pdf');
    const { path, uuid } = await sendLink(test, person, { attachments: [file.body.data.uuid] });
    await expectBoth(path, 200);
    await prisma.externalMessage.update({ where: key(uuid), data: { expiresAt: new Date() } });
    await expectBoth(path, 410);
    const locked = await sendLocked(test, person);
    await expectBoth(locked.path, 200);
    for (let round = 0; round < 5; round += 1) {
      await page(`${locked.path}/code`, { method: 'POST' });
      await expectBoth(locked.path, 200);
      await expectBoth(locked.path, 400, form({ code: '12' }));
      await page(locked.path, form({ code: '000000' }));
    }
    await expectBoth(locked.path, 200);
  });

  it('of a visit, for hosts, guests and who waits, nor of a link that is closed', async () => {
    const { session, link, uuid } = await invited('spa');
    const room = await waitingRoom(null);
    for (const path of [session.host, session.guest, link, room]) await expectBoth(path, 200);
    await prisma.sessionInvite.update({ where: key(uuid), data: { expiresAt: new Date() } });
    await expectBoth(link, 410);
    await prisma.sessionInvite.update({ where: key(uuid), data: { withdrawnAt: new Date() } });
    await expectBoth(link, 410);
    await prisma.videoSession.updateMany({ where: { guid: session.guid }, data: { endedAt: new Date() } });
    await expectBoth(session.guest, 410);
  });

  it('that fails', async () => {
    for (const path of ['/c/x', '/m/x', '/v/x', '/w/x']) await expectBoth(path, 404);
    const { path } = await checkInIn('spa');
    const unreadable = { method: 'POST', body: 'answer_note=%FA', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    await expectBoth(path, 400, unreadable);
    await expectBoth(path, 413, form({ answer_note: 'x'.repeat(16_384) }));
    await expectBoth(path, 415, { method: 'POST', body: 'x', headers: { 'content-type': 'image/png' } });
    expect(await opened('/nowhere', { accept: 'text/html', 'accept-language': 'es' })).toBe('es');
  });

  it('while the join of a visit is refused: the link says why in the language of the page', async () => {
    const { uuid, link } = await invited('spa');
    await prisma.sessionInvite.update({ where: key(uuid), data: { withdrawnAt: new Date() } });
    const refused = await page(`${link}/join`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(refused.text)).toEqual({ error: { code: 'link_withdrawn', message: 'Su consultorio retiró este enlace.' } });
  });
});
