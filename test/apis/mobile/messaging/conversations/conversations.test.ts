import { beforeEach, describe, expect, it } from 'vitest';
import { sharedTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import { anyNumber } from '../../../../support/phone-numbers.ts';
import { quietNow } from '../../../../support/quiet-hours.ts';
import { type OnDuty, onDuty } from '../inbox/on-duty.ts';

const test = await sharedTestApp();
const rows = () => test.database.prisma;
let duty: OnDuty;
beforeEach(async () => {
  duty = await onDuty(test);
  const { organizationId: id } = duty;
  await rows().organization.update({ where: { id }, data: { quietHoursStart: '00:00', quietHoursEnd: '00:00' } });
});

const list = async (query = '') => (await duty.first.get(`/conversations${query}`).expect(200)).body;
const texts = async (number: string, query = '') =>
  (await duty.first.get(`/conversations/${encodeURIComponent(number)}/messages${query}`).expect(200)).body;
const answer = (number: string, body: object) => duty.first.post(`/conversations/${encodeURIComponent(number)}/messages`).send(body);
const words = (body: { data: { message: string }[] }) => body.data.map(({ message }) => message);
const chart = (data: object = {}) => createPatient(rows(), { organizationId: duty.organizationId, mobilePhone: duty.phone, ...data });
const restrict = (patientId: number) =>
  rows().privacyRestriction.create({ data: { organizationId: duty.organizationId, patientId, kind: 'record' } });

describe('a conversation', () => {
  it('is one list of both directions, whoever it was with, by a number that is written in any way', async () => {
    await duty.text('Where do I park?');
    const sent = await answer(duty.phone, { message: 'Behind the house.' });
    expect(sent.status, sent.text).toBe(201);
    expect(sent.body.data).toMatchObject({
      direction: 'outbound',
      patient: { uuid: duty.patient.id },
      from_number: duty.plain.slice(2),
      language: null,
    });
    await duty.text('Thanks');
    const all = ['Thanks', 'Behind the house.', 'Where do I park?'];
    for (const written of [duty.phone, duty.phone.slice(2)]) expect(words(await texts(written))).toEqual(all);
    const unescaped = await duty.first.get(`/conversations/${duty.phone}/messages`);
    expect([unescaped.status, words(unescaped.body)]).toEqual([200, all]);
    const { data } = await list();
    expect(data).toMatchObject([
      {
        number: duty.phone.slice(2),
        contact_uuid: duty.patient.id,
        patients: [{ uuid: duty.patient.id, firstname: 'Rosa', lastname: 'Diaz' }],
        latest: { message: 'Thanks' },
        inbox: [{ state: 'waiting', urgency: 'normal' }],
        can_text: { ok: true },
      },
    ]);
  });

  it('is read from page to page while more is written', async () => {
    for (const body of ['a', 'b', 'c', 'd']) await duty.text(body);
    const first = await texts(duty.phone, '?limit=2');
    await duty.text('e');
    const next = await duty.first.get(first.links.next.replace(/^https?:\/\/[^/]+/, ''));
    expect([words(first), words(next.body), next.body.links.next]).toEqual([['d', 'c'], ['b', 'a'], null]);
    const others = [anyNumber(), anyNumber()];
    for (const from of others) await duty.text('Hello', { from });
    const page = await list('?limit=2');
    await duty.text('f', { from: anyNumber() });
    const rest = await duty.first.get(page.links.next.replace(/^https?:\/\/[^/]+/, ''));
    const numbers = [...page.data, ...rest.body.data].map(({ number }: { number: string }) => `+1${number}`);
    expect([numbers, page.meta.total]).toEqual([[others[1], others[0], duty.phone], 3]);
  });

  it('of a number that several patients have says whose each text is, and can be filed with another, with its place in the inbox', async () => {
    const child = await chart({ firstName: 'Ada', lastName: 'Diaz' });
    await duty.text('Her fever is back');
    const [text] = (await texts(duty.phone)).data;
    expect([text.patient.uuid, text.other_patients]).toEqual([duty.patient.id, [{ uuid: child.id, firstname: 'Ada', lastname: 'Diaz' }]]);
    expect(await duty.inbox()).toMatchObject([{ patient: { uuid: duty.patient.id }, other_patients: [{ uuid: child.id }] }]);
    expect((await list('')).data).toMatchObject([{ shared_with: [{ uuid: child.id, firstname: 'Ada', lastname: 'Diaz' }] }]);
    const path = `/conversations/${duty.phone}/messages/${text.uuid}`;
    const filed = await duty.first.put(path).send({ patient_uuid: child.id });
    expect(filed.status, filed.text).toBe(200);
    expect(filed.body.data).toMatchObject({ patient: { uuid: child.id }, other_patients: [{ uuid: duty.patient.id }] });
    expect(await duty.inbox('?open=1')).toMatchObject([{ patient: { uuid: child.id }, kinds: ['text'], entry_count: 1 }]);
    expect(words(await texts(duty.phone, `?patient=${duty.patient.id}`))).toEqual([]);
    expect(words(await texts(duty.phone, `?patient=${child.id}`))).toEqual(['Her fever is back']);
    expect((await answer(duty.phone, { message: 'Bring {{first name}} in' })).body.data).toMatchObject({
      message: 'Bring Ada in',
      patient: { uuid: child.id },
    });
    expect((await answer(duty.phone, { message: 'And you', patient_uuid: duty.patient.id })).body.data.patient.uuid).toBe(duty.patient.id);
    await duty.first.put(path).send({ patient_uuid: null }).expect(200);
    expect((await duty.first.put(path).send({ patient_uuid: 1_999_999_999 })).status).toBe(404);
    expect((await duty.first.put(path).send({})).status).toBe(400);
  });

  it('is found by patient, by contact, and by what waits in the inbox', async () => {
    const stranger = anyNumber();
    await duty.text('Hello?', { from: stranger });
    await duty.text('Mine', { to: duty.bare });
    const [unknown, known] = [stranger.slice(2), duty.phone.slice(2)];
    const numbers = async (query: string) => (await list(query)).data.map(({ number }: { number: string }) => number);
    const contact = (await list()).data.find(({ number }: { number: string }) => number === unknown).contact_uuid;
    expect(await numbers(`?patient=${duty.patient.id}`)).toEqual([known]);
    expect(await numbers(`?contact_uuid=${duty.patient.id}`)).toEqual([known]);
    expect(await numbers(`?contact=${contact}`)).toEqual([unknown]);
    expect(words(await texts(stranger, `?contact=${contact}`))).toEqual(['Hello?']);
    expect(words(await texts(stranger, `?contact_uuid=${duty.patient.id}`))).toEqual([]);
    expect(await numbers('?open=1')).toEqual([known, unknown]);
    const [item] = await duty.inbox(`?patient=${duty.patient.id}`);
    await duty.first.post(`/inbox/${item.uuid}/assign`).send({ user_uuid: duty.second.user.id }).expect(200);
    expect([await numbers('?mine=1'), await numbers('?mine=1&open=0')]).toEqual([[unknown], []]);
    await duty.second.post(`/inbox/${item.uuid}/close`).send({}).expect(200);
    expect([await numbers('?open=1'), await numbers('?open=0')]).toEqual([[unknown], [known]]);
  });

  it('does not show what is a restricted patient’s, nor that there is anything', async () => {
    await duty.text('My secret');
    await restrict(duty.patient.id);
    const never = anyNumber();
    const said = async (number: string) => {
      const read = await duty.first.get(`/conversations/${number}/messages`);
      return [read.status, read.body.code, (await answer(number, { message: 'Hi' })).status];
    };
    expect(await said(duty.phone)).toEqual(await said(never));
    expect([await said(never), (await list()).data, (await list(`?patient=${duty.patient.id}`)).data]).toEqual([
      [404, 'conversation_not_found', 404],
      [],
      [],
    ]);
    const wife = await chart({ firstName: 'Ana' });
    expect((await answer(duty.phone, { message: 'Dear Ana' })).status).toBe(201);
    expect(words(await texts(duty.phone))).toEqual(['Dear Ana']);
    expect((await list()).data[0].patients).toMatchObject([{ uuid: wife.id }]);
    const { organizationId } = duty;
    await rows().inboxItem.updateMany({ where: { organizationId }, data: { patientId: null, number: duty.phone } });
    expect((await list()).data[0].inbox).toEqual([]);
    expect([(await list('?open=1')).data, (await list('?open=0')).data.length]).toEqual([[], 1]);
  });
});

describe('an answer', () => {
  it('takes the words of a canned reply or a template, and one kind of them', async () => {
    await duty.text('¿A qué hora?');
    const { uuid: canned_reply_id } = (await duty.first.post('/canned-replies').send({ message: 'We call you back.' }).expect(201)).body
      .data;
    const { uuid: template_id } = (
      await duty.admin
        .post('/sms-message-template')
        .send({ category: 'answers', name: 'A', body: 'Hello {{first name}}', tracks_response: 0 })
        .expect(201)
    ).body.data;
    expect((await answer(duty.phone, { canned_reply_id })).body.data.message).toBe('We call you back.');
    expect((await answer(duty.phone, { template_id })).body.data).toMatchObject({ message: 'Hello Rosa', template_id, language: 'en' });
    const refused = [{}, { message: ' ' }, { message: 'Hi', canned_reply_id }, { message: '{{nonsense}}' }, { message: 'x'.repeat(1_601) }];
    for (const body of refused) expect((await answer(duty.phone, body)).status, JSON.stringify(body)).toBe(400);
    expect((await answer(duty.phone, { message: 'You have {{appointment time}}' })).body.code).toBe('missing_values');
    expect((await answer(duty.phone, { canned_reply_id: 1_999_999_999 })).status).toBe(404);
    await duty.admin.put(`/sms-message-template/${template_id}/`).send({ tracks_response: 1 }).expect(200);
    expect((await answer(duty.phone, { template_id })).body.code).toBe('no_appointment');
  });

  it('reaches a number that is no patient’s, once for a key, and from the number that was written to', async () => {
    const stranger = anyNumber();
    await duty.text('Do you take new patients?', { from: stranger, to: duty.bare });
    const send = () => answer(stranger, { message: 'We do.' }).set('idempotency-key', 'answer-1');
    const [first, again] = [await send(), await send()];
    expect([first.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true']);
    expect(first.body.data).toMatchObject({ patient: null, to_number: stranger.slice(2), from_number: duty.bare.slice(2) });
    expect(words(await texts(stranger))).toEqual(['We do.', 'Do you take new patients?']);
  });

  it('is not written to who wants no texts, and waits for the end of quiet hours; a dry run says so and writes nothing', async () => {
    await duty.text('Hello?');
    const { organizationId: id } = duty;
    await rows().organization.update({ where: { id }, data: { timeZone: 'UTC', ...quietNow('UTC') } });
    const trial = await answer(duty.phone, { message: 'Soon 👋', dry_run: true });
    expect([trial.status, trial.body.data]).toMatchObject([200, { dry_run: true, message: 'Soon 👋', encoding: 'UCS-2' }]);
    expect(Date.parse(trial.body.data.sends_at)).toBeGreaterThan(Date.now());
    expect(words(await texts(duty.phone))).toEqual(['Hello?']);
    const { not_before } = (await answer(duty.phone, { message: 'Soon' })).body.data;
    expect(not_before).toBe(trial.body.data.sends_at);
    await duty.text('STOP');
    expect((await answer(duty.phone, { message: 'But' })).body.code).toBe('opted_out');
    expect((await list()).data[0].can_text).toMatchObject({ ok: false, reason: 'opted_out' });
    const other = await chart({ mobilePhone: anyNumber(), doNotSms: true });
    const number = String(other.mobilePhone);
    expect((await answer(number, { message: 'Hi' })).body.code).toBe('do_not_sms');
    expect(words(await texts(number))).toEqual([]);
  });

  it('is of a whole number', async () => {
    for (const number of ['12', 'abc', '+1', '555-0100-0100-0100'])
      expect((await duty.first.get(`/conversations/${number}/messages`)).status).toBe(400);
  });
});
