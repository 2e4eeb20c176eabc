import type { Response } from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { sendMails } from '../../../../../src/jobs/sending/send-mails.ts';
import { sendTexts } from '../../../../../src/jobs/sending/send-texts.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { arrivedTexts } from '../../../../support/arrived.ts';
import { createSurvey } from '../../../../support/check-ins.ts';
import { anyNumber } from '../../../../support/phone-numbers.ts';
import { quietNow } from '../../../../support/quiet-hours.ts';
import { textingPractice } from './consenting.ts';

const test = await sharedTestApp();
const { person, organizationId, chart, book } = await textingPractice(test);
const rows = () => test.database.prisma;
const HOUR = 3_600_000;
const inHours = (hours: number) => `${new Date(Date.now() + hours * HOUR).toISOString().slice(0, 19)}Z`;
let survey: number;
beforeAll(async () => {
  await rows().organization.update({ where: { id: organizationId }, data: { quietHoursStart: '00:00', quietHoursEnd: '00:00' } });
  survey = (await createSurvey(test, organizationId)).id;
});

const job = () => {
  const { unitOfWork, gateways } = test.services;
  return sendTexts({ unitOfWork, keyring: test.keyring, carrier: gateways.carrier, statusUrl: null });
};
const findNewest = (patientId: number) =>
  rows().smsMessage.findFirstOrThrow({ where: { organizationId, patientId, direction: 'outbound' }, orderBy: { id: 'desc' } });
/** The time of a text comes, and its job runs. */
async function timeComes(id: number): Promise<void> {
  await rows().smsMessage.update({ where: { organizationId_id: { organizationId, id } }, data: { queuedAt: new Date(), notBefore: null } });
  await job().run(organizationId, id);
}
const at = async (number: string) => (await arrivedTexts(rows(), test.keyring, { toNumber: number })).map(({ body }) => body);

/** Every way in which a text to a patient is sent at a chosen time. */
const DOORS: Record<string, (id: number, body: object) => Promise<Response>> = {
  'send-sms': async (id, body) => person.post(`/appointments/${await book(id)}/send-sms`).send({ message: 'See you.', ...body }),
  'a check-in': async (id, body) =>
    person.post('/checkin/send').send({ recipient_id: id, survey_type_id: survey, sms_email: 'sms', ...body }),
  'an external message': async (id, body) => person.post('/external-messages').send({ message: 'Result: 7.1', Contact: id, ...body }),
  'an answer': async (id, body) => {
    const { mobilePhone } = await rows().patient.findFirstOrThrow({ where: { organizationId, id } });
    return person.post(`/conversations/${mobilePhone}/messages`).send({ message: 'We call.', ...body });
  },
};

describe.each(Object.keys(DOORS))('%s with send_at', (door) => {
  const send = async (id: number, body: object) => {
    const answer = await DOORS[door]?.(id, body);
    if (!answer) throw new Error('there is no such door');
    return answer;
  };

  it('leaves at that time, and not before', async () => {
    const { id, number } = await chart();
    const send_at = inHours(26);
    expect((await send(id, { send_at, dry_run: true })).body.data.sends_at).toBe(send_at);
    const answer = await send(id, { send_at });
    expect(answer.status, answer.text).toBe(201);
    const text = await findNewest(id);
    const shown = (await person.get(`/sms-messages/${text.id}`).expect(200)).body.data;
    expect(shown).toMatchObject({ state: 'queued', send_at, not_before: send_at, reason_code: 'scheduled' });
    expect(Date.parse(shown.created_at)).toBeLessThan(Date.now() + 1_000);
    await job().run(organizationId, text.id);
    expect([await at(number), (await findNewest(id)).state]).toEqual([[], 'queued']);
    await timeComes(text.id);
    expect(await at(number)).toHaveLength(1);
  });

  it.each([
    ['a past time', inHours(-1), 400],
    ['a time of more than a year away', inHours(24 * 370), 400],
    ['no time', 'tomorrow', 400],
    ['a time within the year', inHours(24 * 360), 201],
  ])('is answered %s', async (_, send_at, status) => {
    const answer = await send((await chart()).id, { send_at });
    expect([answer.status, ...(status === 400 ? [answer.body.errors[0].pointer] : [])]).toEqual([
      status,
      ...(status === 400 ? ['/send_at'] : []),
    ]);
  });
});

describe('a text that waits', () => {
  const scheduled = async (body: object = {}) => {
    const one = await chart();
    await DOORS['send-sms']?.(one.id, { send_at: inHours(48), ...body });
    return { ...one, text: (await findNewest(one.id)).id };
  };

  it('is changed, and leaves as it was changed last', async () => {
    const { text, number } = await scheduled();
    const send_at = inHours(30);
    const changed = await person.put(`/sms-messages/${text}`).send({ message: 'See you at nine 👋', send_at });
    expect([changed.status, changed.body.data]).toMatchObject([200, { message: 'See you at nine 👋', send_at, not_before: send_at }]);
    expect((await person.put(`/sms-messages/${text}`).set('if-match', '"other"').send({ send_at: null })).status).toBe(412);
    expect((await person.put(`/sms-messages/${text}`).send({ send_at: null })).body.data).toMatchObject({
      send_at: null,
      not_before: null,
    });
    await job().run(organizationId, text);
    expect(await at(number)).toEqual(['See you at nine 👋']);
    for (const late of [await person.put(`/sms-messages/${text}`).send({ message: 'No' }), await person.delete(`/sms-messages/${text}`)])
      expect([late.status, late.body.code]).toEqual([409, 'text_left']);
  });

  it.each([{ message: '' }, { message: '{{first name}}' }, { message: 'x'.repeat(1_601) }, { send_at: inHours(-1) }, { send_at: 'x' }])(
    'is not changed to %j',
    async (body) => {
      const { text } = await scheduled();
      expect((await person.put(`/sms-messages/${text}`).send(body)).status).toBe(400);
    },
  );

  it('keeps the link that it has', async () => {
    const { id, number } = await chart();
    await DOORS['a check-in']?.(id, { send_at: inHours(3) });
    const { id: text } = await findNewest(id);
    const changed = await person.put(`/sms-messages/${text}`).send({ message: 'Please answer: ' });
    expect(changed.body.data.message).toBe('Please answer: {{url}}');
    await timeComes(text);
    expect(await at(number)).toEqual([expect.stringMatching(/^Please answer: http\S+\/c\/\S+$/)]);
  });

  it('is withdrawn once, and never leaves', async () => {
    const { text, number } = await scheduled();
    for (const _ of ['first', 'again']) await person.delete(`/sms-messages/${text}`).expect(204);
    await timeComes(text);
    expect([await at(number), (await person.get(`/sms-messages/${text}`)).body.data.reason_code]).toEqual([[], 'withdrawn']);
    expect((await person.get('/inbox?kind=text_withdrawn')).body.data).toEqual([]);
  });

  it('goes to the number that its patient has by then, and in nobody’s quiet hours', async () => {
    const { id, text } = await scheduled();
    const next = anyNumber();
    await rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data: { mobilePhone: next } });
    const [before] = await rows().organization.findMany({ where: { id: organizationId } });
    const where = { id: organizationId };
    await rows().organization.update({ where, data: { timeZone: 'UTC', ...quietNow('UTC') } });
    await timeComes(text);
    expect([await at(next), (await findNewest(id)).notBefore?.getTime()]).toMatchObject([[], expect.any(Number)]);
    const { timeZone, quietHoursStart, quietHoursEnd } = before ?? { timeZone: 'UTC', quietHoursStart: '00:00', quietHoursEnd: '00:00' };
    await rows().organization.update({ where, data: { timeZone, quietHoursStart, quietHoursEnd } });
    await timeComes(text);
    expect(await at(next)).toEqual(['See you.']);
  });
});

describe('a mail that waits', () => {
  const mails = () => sendMails({ unitOfWork: test.services.unitOfWork, mailer: test.services.gateways.mailer, keyring: test.keyring });
  const findMail = (patientId: number) =>
    rows().mailMessage.findFirstOrThrow({ where: { organizationId, patientId }, orderBy: { id: 'desc' } });
  const set = (id: number, email: string | null) =>
    rows().patient.update({ where: { organizationId_id: { organizationId, id } }, data: { email } });

  it('leaves at its time to the address that its patient has then, and to none where there is none', async () => {
    const [moved, lost] = [await chart(), await chart()];
    for (const { id } of [moved, lost]) {
      await set(id, 'old@example.com');
      const body = { recipient_id: id, survey_type_id: survey, sms_email: 'email', send_at: inHours(5) };
      const sent = await person.post('/checkin/send').send(body);
      expect([sent.status, sent.body.data.delivery.not_before]).toEqual([201, body.send_at]);
    }
    await set(moved.id, 'new@example.com');
    await set(lost.id, null);
    await mails().run(organizationId, (await findMail(moved.id)).id);
    expect((await findMail(moved.id)).state).toBe('queued');
    await rows().mailMessage.updateMany({ where: { organizationId }, data: { notBefore: null } });
    for (const { id } of [moved, lost]) await mails().run(organizationId, (await findMail(id)).id);
    expect(await findMail(moved.id)).toMatchObject({ state: 'sent', toAddress: 'new@example.com' });
    expect(await findMail(lost.id)).toMatchObject({ state: 'suppressed', reason: 'address_changed' });
    expect((await person.get('/inbox?kind=address_changed')).body.data).toMatchObject([{ patient: { uuid: lost.id } }]);
  });
});
