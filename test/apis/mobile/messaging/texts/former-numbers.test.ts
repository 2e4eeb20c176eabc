import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { sendMails } from '../../../../../src/jobs/sending/send-mails.ts';
import { sendTexts } from '../../../../../src/jobs/sending/send-texts.ts';
import { sendWebhook } from '../../../../callbacks/signing.ts';
import { openMeeting } from '../../../../realtime/room.ts';
import { integrationClient, practiceClient } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { arrivedMails, arrivedTexts } from '../../../../support/arrived.ts';
import { createSurvey } from '../../../../support/check-ins.ts';
import { anyNumber } from '../../../../support/phone-numbers.ts';
import { type Chart, textingPractice } from './consenting.ts';

const test = await sharedTestApp();
const { person, organizationId, chart, ledger, book } = await textingPractice(test);
const client = await integrationClient(test, { organizationId });
const practice = await practiceClient(test, { organizationId });
const rows = () => test.database.prisma;
let survey: number;
let room: number;
let meeting: string;
let ours: string;
beforeAll(async () => {
  survey = (await createSurvey(test, organizationId)).id;
  room = (await rows().waitingRoom.create({ data: { organizationId, name: 'Hall' } })).id;
  meeting = (await openMeeting(person)).guid;
  ours = (await rows().phoneNumber.findFirstOrThrow({ where: { organizationId } })).number;
});

/** Every way in which a text to a patient comes to wait. */
const DOORS: Record<string, (id: number) => Promise<{ status: number }>> = {
  'send-sms': async (id) => person.post(`/appointments/${await book(id)}/send-sms`).send({ message: 'See you.' }),
  'a check-in': async (id) => person.post('/checkin/send').send({ recipient_id: id, survey_type_id: survey, sms_email: 'sms' }),
  'an external message': async (id) => person.post('/external-messages').send({ message: 'Your result: 7.1', Contact: id }),
  'an invite to a visit': async (id) => person.post(`/video-session/${meeting}/invite`).send({ patient_id: id, emailOrSms: 'sms' }),
  'an invite to a waiting room': async (id) => person.post(`/waiting-rooms/${room}/invite/${id}`).send({ emailOrSms: 'sms' }),
};
const queue = async (door: string, id: number) => expect((await DOORS[door]?.(id))?.status).toBe(201);

/** Whoever changes the number of a chart. A practice system cannot clear one. */
const CHANGES: Record<string, (id: number, number: string) => Promise<unknown>> = {
  integration: async (id, number) => client.put(`/patients/${id}`).send({ phone_no: number }).expect(200),
  practice: async (id, number) => practice.put(`/patients/${id}`).type('form').send({ mobilephone: number }).expect(200),
};
const clear = async (id: number) => client.put(`/patients/${id}`).send({ phone_no: null }).expect(200);

/** All texts of the practice that wait leave, but for those that may not. */
async function leave({ broken = false } = {}): Promise<void> {
  const { unitOfWork, gateways, keyring } = { ...test.services, keyring: test.keyring };
  const carrier = broken ? { ...gateways.carrier, sendText: () => Promise.reject(new Error('down')) } : gateways.carrier;
  const job = sendTexts({ unitOfWork, keyring, carrier, statusUrl: null, ignoreQuietHours: true });
  for (const { id } of await rows().smsMessage.findMany({ where: { organizationId, state: 'queued' }, orderBy: { id: 'asc' } }))
    await job.run(organizationId, id);
}
const at = async (number: string) => (await arrivedTexts(rows(), test.keyring, { toNumber: number })).map(({ body }) => body);
const findNewest = (patientId: number) =>
  rows().smsMessage.findFirstOrThrow({ where: { organizationId, patientId, direction: 'outbound' }, orderBy: { id: 'desc' } });
const readKinds = async (patientId: number) =>
  (await person.get('/inbox?limit=100').expect(200)).body.data.find(
    (item: { patient: { uuid: number } | null }) => item.patient?.uuid === patientId,
  )?.kinds;
const readPage = async (body: string) => {
  const path = /https?:\/\/[^/]+(\/\w\/\S+)/.exec(body)?.[1];
  return { path, text: await (await fetch(`${test.address}${path}`, { redirect: 'manual' })).text() };
};
const say = async (from: string, body: string) => {
  const form = { kind: 'text', id: `SM-${randomUUID()}`, from, to: ours, body, at: new Date().toISOString() };
  expect((await sendWebhook(test, form)).status).toBe(200);
  await leave();
};

describe('a text that waits while its patient gets another number', () => {
  it.each(Object.keys(DOORS))('of %s leaves to the new one, or to none, and never to the former', async (door) => {
    for (const change of Object.keys(CHANGES)) {
      const [moved, lost, stopped] = [await chart(), await chart(), await chart()];
      const [next, silent] = [anyNumber(), anyNumber()];
      await ledger(silent, 'STOP');
      for (const { id } of [moved, lost, stopped]) await queue(door, id);
      await CHANGES[change]?.(moved.id, next);
      await clear(lost.id);
      await CHANGES[change]?.(stopped.id, silent);
      await leave();
      for (const number of [moved.number, lost.number, stopped.number, silent]) expect([change, await at(number)]).toEqual([change, []]);
      expect(await at(next)).toHaveLength(1);
      expect(await findNewest(moved.id)).toMatchObject({ toNumber: next, state: 'sent' });
      for (const { id } of [lost, stopped]) {
        expect(await findNewest(id)).toMatchObject({ state: 'suppressed', reason: 'number_changed' });
        expect(await readKinds(id)).toEqual(['number_changed']);
      }
      expect(await readKinds(moved.id)).toBeUndefined();
    }
  });

  it('goes to neither where an attempt may have arrived at the former one', async () => {
    const { id, number } = await chart();
    const next = anyNumber();
    await queue('send-sms', id);
    await leave({ broken: true });
    await CHANGES.integration?.(id, next);
    await leave();
    expect([await at(number), await at(next)]).toEqual([[], []]);
    expect(await findNewest(id)).toMatchObject({ state: 'suppressed', reason: 'number_changed', attempts: 1 });
  });

  it('goes where it was sent, if that was another number than the patient’s', async () => {
    const [{ id }, daughter] = [await chart(), anyNumber()];
    await person.post('/external-messages').send({ message: 'Hi', Contact: id, sent_to: daughter }).expect(201);
    await CHANGES.integration?.(id, anyNumber());
    await leave();
    expect(await at(daughter)).toHaveLength(1);
  });
});

describe('a link that left to a number that is no longer the patient’s', () => {
  it('asks for a code, which goes to the patient, before it shows a message or its files', async () => {
    const { id, number } = await chart();
    await queue('an external message', id);
    await leave();
    const [notice = ''] = await at(number);
    expect((await readPage(notice)).text).toContain('Your result: 7.1');
    const next = anyNumber();
    await CHANGES.integration?.(id, next);
    const { path, text } = await readPage(notice);
    expect(text).not.toContain('Your result: 7.1');
    await rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data: { email: null } });
    await fetch(`${test.address}${path}/code`, { method: 'POST', redirect: 'manual', body: new URLSearchParams() });
    await leave();
    expect(await at(number)).toHaveLength(1);
    expect(await at(next)).toEqual([expect.stringMatching(/^\d{6} is your code/)]);
  });

  it('asks for a code where the message names the number or the address alone', async () => {
    const { id, number } = await chart({ email: `${randomUUID()}@example.com` });
    const { email } = await rows().patient.findFirstOrThrow({ where: { organizationId, id } });
    const send = (fields: object) =>
      person
        .post('/external-messages')
        .send({ message: 'Your result: 7.1', ...fields })
        .expect(201);
    await send({ sent_to: number });
    await send({ sent_to: email?.toUpperCase() });
    await leave();
    const mails = sendMails({ unitOfWork: test.services.unitOfWork, keyring: test.keyring, mailer: test.services.gateways.mailer });
    const waiting = await rows().mailMessage.findMany({ where: { organizationId, toAddress: email ?? '', state: 'queued' } });
    for (const mail of waiting) await mails.run(organizationId, mail.id);
    const [mail] = await arrivedMails(rows(), test.keyring, { toAddress: email ?? '' });
    const links = [(await at(number)).at(-1) ?? '', mail?.body ?? ''];
    for (const link of links) expect((await readPage(link)).text).toContain('Your result: 7.1');
    const next = anyNumber();
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const held = (await send({ sent_to: number, send_at: later })).body.data.uuid;
    await CHANGES.integration?.(id, next);
    await client.put(`/patients/${id}`).send({ email: 'other@example.com' }).expect(200);
    for (const link of links) expect((await readPage(link)).text).not.toContain('Your result: 7.1');
    const waits = await rows().smsMessage.findFirstOrThrow({ where: { organizationId, externalMessages: { some: { id: held } } } });
    await rows().smsMessage.updateMany({ where: { organizationId, id: waits.id }, data: { queuedAt: new Date(), scheduledAt: null } });
    await leave();
    expect([(await at(number)).length, (await at(next)).length]).toEqual([1, 1]);
  });

  it.each(['a check-in', 'an invite to a visit', 'an invite to a waiting room'])('of %s asks for a code first', async (door) => {
    const { id, number } = await chart();
    await queue(door, id);
    await leave();
    const [words = ''] = await at(number);
    const { path, text: before } = await readPage(words);
    expect(before.includes('<form') || before.includes('<script')).toBe(true);
    const next = anyNumber();
    await CHANGES.practice?.(id, next);
    await rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data: { email: null } });
    const page = (at: string, init: RequestInit = {}) => fetch(`${test.address}${path}${at}`, { redirect: 'manual', ...init });
    const post = (to: string, form: Record<string, string> = {}) => page(to, { method: 'POST', body: new URLSearchParams(form) });
    for (const closed of [await page(''), await post('', { answer_feeling: 'Fine' })])
      if (closed.status !== 404 && closed.status !== 405)
        expect([closed.status, closed.headers.get('location')]).toEqual([303, `${path}/open`]);
    const joined = await page('/join', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    expect([403, 404]).toContain(joined.status);
    const locked = await (await page('/open')).text();
    expect([locked.includes(`•••-•••-${next.slice(-4)}`), locked.includes('Rosa')]).toEqual([true, false]);
    await post('/open/code');
    await leave();
    expect(await at(number)).toHaveLength(1);
    const [code = ''] = (await at(next)).map((text) => text.slice(0, 6));
    const wrong = code === '000000' ? '000001' : '000000';
    expect((await post('/open', { code: wrong })).headers.get('set-cookie')).toBeNull();
    const right = await post('/open', { code });
    const cookie = String(right.headers.get('set-cookie')).split(';')[0] ?? '';
    const opened = await page('', { headers: { cookie } });
    expect([opened.status, await opened.text()]).toEqual([200, before]);
    expect((await page('')).status).toBe(303);
    expect((await post('/open', { code })).headers.get('set-cookie')).toBeNull();
  });
});

describe('a question at a number that is no longer the patient’s', () => {
  const readVisitStatus = async (id: number): Promise<string> =>
    (await person.get(`/appointments/${id}`).expect(200)).body.data.confirmation.status;
  const ask = async ({ id }: Chart): Promise<number> => {
    const { id: template } = await rows().smsTemplate.create({
      data: {
        organizationId,
        category: randomUUID(),
        name: 'Question',
        body: 'On {{appointment date}}? Reply Y or N.',
        tracksResponse: true,
      },
    });
    const visit = await book(id);
    expect((await person.post(`/appointments/${visit}/send-sms`).send({ template_id: template })).status).toBe(201);
    await leave();
    return visit;
  };

  it('is void: an answer changes nothing, says nothing, and waits for staff', async () => {
    const ann = await chart();
    const visit = await ask(ann);
    await clear(ann.id);
    await say(ann.number, 'Y');
    expect([await readVisitStatus(visit), await at(ann.number)]).toEqual(['Pending', [expect.any(String)]]);
    const { data } = (await person.get('/sms-messages?direction=inbound').expect(200)).body;
    expect(data[0]).toMatchObject({ patient: null, message: 'Y' });
  });

  it('stays void where the number comes back: an answer is asked about again', async () => {
    const ann = await chart();
    const visit = await ask(ann);
    await CHANGES.integration?.(ann.id, anyNumber());
    await CHANGES.practice?.(ann.id, ann.number);
    await say(ann.number, 'Y');
    expect([await readVisitStatus(visit), (await at(ann.number)).at(-1)]).toEqual(['Pending', expect.stringContaining('Reply Y or N')]);
    await say(ann.number, 'Y');
    expect(await readVisitStatus(visit)).toBe('Yes');
  });

  it('is none of the patient’s who has the number now, whose conversation is their own', async () => {
    const [ann, ben] = [await chart(), await chart()];
    const first = await ask(ann);
    await CHANGES.practice?.(ann.id, anyNumber());
    await CHANGES.practice?.(ben.id, ann.number);
    await say(ann.number, 'Y');
    expect(await readVisitStatus(first)).toBe('Pending');
    const second = await ask({ id: ben.id, number: ann.number });
    await say(ann.number, '1');
    expect([await readVisitStatus(first), await readVisitStatus(second)]).toEqual(['Pending', 'Yes']);
    const inbound = await rows().smsMessage.findMany({ where: { organizationId, fromNumber: ann.number } });
    expect(inbound.map(({ patientId }) => patientId)).toEqual([ben.id, ben.id]);
  });
});
