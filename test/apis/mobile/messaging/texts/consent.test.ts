import { beforeAll, describe, expect, it } from 'vitest';
import { openMeeting } from '../../../../realtime/room.ts';
import { integrationClient, signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { createSurvey } from '../../../../support/check-ins.ts';
import { anyNumber } from '../../../../support/phone-numbers.ts';
import { type Chart, textingPractice } from './consenting.ts';

const test = await sharedTestApp();
const { person, organizationId, chart, ledger, book } = await textingPractice(test);
const client = await integrationClient(test, { organizationId });
const put = async (id: number, body: object) => (await client.put(`/patients/${id}`).send(body).expect(200)).body.data;
const rows = () => test.database.prisma;
let survey: number;
let room: number;
let meeting: string;
beforeAll(async () => {
  survey = (await createSurvey(test, organizationId)).id;
  room = (await rows().waitingRoom.create({ data: { organizationId, name: 'Hall' } })).id;
  meeting = (await openMeeting(person)).guid;
});

/** Every way in which staff send somebody a text. */
const DOORS: Record<string, (chart: Chart) => Promise<{ status: number; body: { code?: string } }>> = {
  'send-sms': async ({ id }) => person.post(`/appointments/${await book(id)}/send-sms`).send({ message: 'See you.' }),
  'a check-in': async ({ id }) => person.post('/checkin/send').send({ recipient_id: id, survey_type_id: survey, sms_email: 'sms' }),
  'an external message': async ({ id }) => person.post('/external-messages').send({ message: 'Hi', Contact: id }),
  'an external message to the number': async ({ number }) => person.post('/external-messages').send({ message: 'Hi', sent_to: number }),
  'an invite to a visit': async ({ id }) => person.post(`/video-session/${meeting}/invite`).send({ patient_id: id, emailOrSms: 'sms' }),
  'an invite of the number': async ({ number }) => person.post(`/video-session/${meeting}/invite`).send({ phone: number }),
  'an invite to a waiting room': async ({ id }) => person.post(`/waiting-rooms/${room}/invite/${id}`).send({ emailOrSms: 'sms' }),
};

describe('a text to somebody who asked for none', () => {
  it.each(Object.keys(DOORS))('is refused by %s with the reason and leaves nothing, and goes after START', async (door) => {
    const patient = await chart();
    await ledger(patient.number, 'STOP');
    expect(await DOORS[door]?.(patient)).toMatchObject({ status: 409, body: { code: 'opted_out' } });
    expect(await rows().smsMessage.count({ where: { organizationId, toNumber: patient.number } })).toBe(0);
    await ledger(patient.number, 'START');
    expect(await DOORS[door]?.(patient)).toMatchObject({ status: 201 });
  });

  it.each([
    ['do_not_sms', { doNotSms: true }],
    ['do_not_call', { doNotCall: true }],
    ['deceased', { deceasedDate: new Date('2024-02-02') }],
  ])('is refused for %s, which the chart says', async (code, data) => {
    const patient = await chart(data);
    const named = Object.keys(DOORS).filter((door) => !door.includes('number'));
    for (const door of named) expect([door, await DOORS[door]?.(patient)]).toMatchObject([door, { status: 409, body: { code } }]);
    expect(await rows().smsMessage.count({ where: { organizationId, toNumber: patient.number } })).toBe(0);
  });
});

describe('do_not_sms after STOP', () => {
  const readConsents = async (id: number): Promise<unknown[]> => {
    const appointment = await book(id);
    const recordNumber = `consent-${id}`;
    await rows().patient.update({
      where: { organizationId_id: { organizationId, id } },
      data: { medicalRecordNo: recordNumber },
      select: { id: true },
    });
    const [mobile, integration, visit, ...charts] = await Promise.all([
      person.get(`/patients/${id}`).expect(200),
      client.get(`/appointments?limit=100`).expect(200),
      person.get(`/appointments/${appointment}`).expect(200),
      client.get(`/patients/${id}`).expect(200),
      client.get(`/patients/mrn/${recordNumber}`).expect(200),
      client.put(`/patients/${id}`).send({ med_rec_no: recordNumber }).expect(200),
    ]);
    const inCharts = new Set(charts.map(({ body }) => body.data.do_not_sms));
    expect(inCharts.size).toBe(1);
    const found = integration.body.data.find(({ uuid }: { uuid: number }) => uuid === appointment);
    return [mobile.body.data.do_not_sms, found.patient.do_not_sms, visit.body.data.patient.do_not_sms, ...inCharts];
  };

  it('is true everywhere, for each chart that has the number, and false again after START, unless the chart itself says so', async () => {
    const { id, number } = await chart();
    const family = await chart({ mobilePhone: number, doNotSms: true });
    expect([await readConsents(id), await readConsents(family.id)]).toEqual([
      [false, '0', false, '0'],
      [true, '1', true, '1'],
    ]);
    await ledger(number, 'STOP');
    expect([await readConsents(id), await readConsents(family.id)]).toEqual([
      [true, '1', true, '1'],
      [true, '1', true, '1'],
    ]);
    await ledger(number, 'START');
    expect([await readConsents(id), await readConsents(family.id)]).toEqual([
      [false, '0', false, '0'],
      [true, '1', true, '1'],
    ]);
  });

  it('is part of the entity tag, so that a chart as it was read can be changed', async () => {
    const { id, number } = await chart();
    await ledger(number, 'STOP');
    const { headers } = await client.get(`/patients/${id}`).expect(200);
    const written = await client.put(`/patients/${id}`).set('If-Match', `${headers.etag}`).send({ fname: 'Rosario' }).expect(200);
    await client.get(`/patients/${id}`).set('If-None-Match', `${written.headers.etag}`).expect(304);
    await ledger(number, 'START');
    await client.put(`/patients/${id}`).set('If-Match', `${written.headers.etag}`).send({ fname: 'Rosa' }).expect(412);
  });

  it('follows the number to a chart that gets it, and leaves one that loses it', async () => {
    const number = anyNumber();
    await ledger(number, 'STOP');
    const { body } = await client.post('/patients').send({ firstname: 'Ida', phone_no: number }).expect(200);
    expect(body.data.do_not_sms).toBe('1');
    const { uuid } = body.data;
    expect((await put(uuid, { phone_no: anyNumber() })).do_not_sms).toBe('0');
    expect((await put(uuid, { phone_no: number })).do_not_sms).toBe('1');
    expect((await put(uuid, { phone_no: null })).do_not_sms).toBe('0');
  });

  it('sent back as it was read makes nothing of the chart’s own, and does not take STOP back', async () => {
    const { id, number } = await chart();
    await ledger(number, 'STOP');
    for (const body of [
      { do_not_sms: '1' },
      { do_not_sms: '1', firstname: 'Rosalía' },
      { do_not_sms: '0' },
      { do_not_sms: '0', lastname: 'Vega' },
    ])
      expect((await put(id, body)).do_not_sms).toBe('1');
    await ledger(number, 'START');
    expect((await put(id, { firstname: 'Rosa' })).do_not_sms).toBe('0');
    expect((await put(id, { do_not_sms: '1' })).do_not_sms).toBe('1');
    await ledger(number, 'STOP');
    await ledger(number, 'START');
    expect((await put(id, { firstname: 'Rosa M' })).do_not_sms).toBe('1');
  });
});

describe('the history of consent', () => {
  it('takes what a person said to staff, with a note, and shows all of it, newest first', async () => {
    const patient = await chart();
    await ledger(patient.number, 'STOP');
    const path = `/contacts/${patient.id}/consent`;
    expect((await person.post(path).send({ texts: 1 }).expect(400)).body.errors[0].pointer).toBe('/note');
    const { body } = await person.post(path).send({ texts: 1, note: 'She called: the text was meant for her son.' }).expect(201);
    expect(body.data).toMatchObject({
      texts: true,
      source: 'user',
      note: 'She called: the text was meant for her son.',
      user_id: person.user.id,
    });
    expect(await DOORS['send-sms']?.(patient)).toMatchObject({ status: 201 });
    const { data, meta } = (await person.get(`${path}?limit=1`).expect(200)).body;
    expect([data, meta.total]).toEqual([[body.data], 2]);
    await person.post(path).send({ texts: false, note: 'At the desk' }).expect(201);
    expect(await DOORS['send-sms']?.(patient)).toMatchObject({ status: 409, body: { code: 'opted_out' } });
    const audited = await rows().auditEntry.findMany({ where: { organizationId, resource: 'consent', action: 'create' } });
    expect(audited.filter(({ patientIds }) => patientIds.includes(patient.id))).toHaveLength(2);
  });

  it('is nobody else’s, and needs a number', async () => {
    const stranger = await signedInUser(test);
    const { id } = await chart({ mobilePhone: null });
    await stranger.get(`/contacts/${id}/consent`).expect(404);
    await stranger.post(`/contacts/${id}/consent`).send({ texts: true, note: 'x' }).expect(404);
    expect((await person.get(`/contacts/${id}/consent`).expect(200)).body.data).toEqual([]);
    const answer = await person.post(`/contacts/${id}/consent`).send({ texts: true, note: 'x' }).expect(422);
    expect(answer.body.code).toBe('no_mobile_number');
  });
});
