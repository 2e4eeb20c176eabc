import { expect, it } from 'vitest';
import { sendMails } from '../../../../../src/jobs/sending/send-mails.ts';
import { sendTexts } from '../../../../../src/jobs/sending/send-texts.ts';
import { integrationClient } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { arrivedMails, arrivedTexts } from '../../../../support/arrived.ts';
import { textingPractice } from './consenting.ts';

const test = await sharedTestApp();
const { person, organizationId, chart, ledger, book } = await textingPractice(test);
const client = await integrationClient(test, { organizationId });
const rows = () => test.database.prisma;
const NEW_DATE = '2031-03-04T15:30:00Z';
const CHANGES: Record<string, (visit: number) => PromiseLike<{ status: number }>> = {
  'cancelled by staff': (visit) => person.delete(`/appointments/${visit}`),
  'cancelled by a program': (visit) => client.delete(`/appointments/${visit}`),
  'moved by staff': (visit) => person.post(`/appointments/${visit}`).send({ appointment_date: NEW_DATE }),
  'moved by a program': (visit) => client.put(`/appointments/${visit}`).send({ appointment_date: NEW_DATE }),
};

async function leave(): Promise<void> {
  const { unitOfWork, gateways } = test.services;
  const texts = sendTexts({ unitOfWork, keyring: test.keyring, carrier: gateways.carrier, statusUrl: null, ignoreQuietHours: true });
  const mails = sendMails({ unitOfWork, keyring: test.keyring, mailer: gateways.mailer });
  const waiting = { where: { organizationId, state: 'queued' } } as const;
  for (const { id } of await rows().smsMessage.findMany(waiting)) await texts.run(organizationId, id);
  for (const { id } of await rows().mailMessage.findMany(waiting)) await mails.run(organizationId, id);
}
const at = async (number: string) => (await arrivedTexts(rows(), test.keyring, { toNumber: number })).map(({ body }) => body);
const template = async (tracksResponse: boolean) => {
  const data = {
    organizationId,
    category: `visits ${tracksResponse}`,
    name: 'Visit',
    body: 'On {{appointment date}}. Y or N?',
    tracksResponse,
  };
  return (await rows().smsTemplate.create({ data })).id;
};
const send = async (visit: number, body: object): Promise<number> => {
  const sent = await person.post(`/appointments/${visit}/send-sms`).send(body);
  expect([sent.status, sent.text]).toEqual([201, sent.text]);
  return sent.body.data.uuid;
};
const listWithdrawn = async (): Promise<number[]> =>
  (await person.get('/notifications?limit=100').expect(200)).body.data
    .filter(({ kind }: { kind: string }) => kind === 'text.withdrawn')
    .map(({ subject }: { subject: { uuid: number } }) => subject.uuid);

it.each(Object.keys(CHANGES))(
  'the words of a person arrive though the visit was %s; questions and texts that name it do not',
  async (change) => {
    const { id, number } = await chart();
    const visit = await book(id);
    await send(visit, { message: 'Dear {{first name}}, the doctor is ill.' });
    const [asks, tells] = [await template(true), await template(false)];
    const untrue = [
      await send(visit, { template_id: tells }),
      await send(visit, { template_id: asks, message: 'Will you come?' }),
      await send(visit, { message: 'See you on {{appointment date}}.' }),
    ];
    expect([200, 204]).toContain((await CHANGES[change]?.(visit))?.status);
    await leave();
    expect(await at(number)).toEqual(['Dear Rosa, the doctor is ill.']);
    expect((await listWithdrawn()).filter((text) => untrue.includes(text)).toSorted((a, b) => a - b)).toEqual(untrue);
  },
);

it('whoever wrote a text hears that its patient ended texts before it left, and not of one that left', async () => {
  const [stopped, reached] = [await chart(), await chart()];
  const texts = [await send(await book(stopped.id), { message: 'Call us.' }), await send(await book(reached.id), { message: 'Call us.' })];
  await ledger(stopped.number, 'STOP');
  await leave();
  expect((await listWithdrawn()).filter((text) => texts.includes(text))).toEqual([texts[0]]);
});

it('a patient is told of a cancelled or moved visit where that is asked for, in the patient’s language', async () => {
  const [ann, luz, quiet] = [await chart(), await chart({ languageCode: 'spa', email: 'luz@example.com' }), await chart()];
  await person.delete(`/appointments/${await book(ann.id)}?notify=text`).expect(204);
  const visit = await book(luz.id);
  await client.put(`/appointments/${visit}`).send({ appointment_date: NEW_DATE, notify: 'text' }).expect(200);
  await person.post(`/appointments/${visit}`).send({ appointment_date: '2031-03-05T15:30:00Z', notify: 'email' }).expect(200);
  await client.delete(`/appointments/${await book(quiet.id)}?notify=none`).expect(200);
  await client.delete(`/appointments/${await book(quiet.id)}`).expect(200);
  await leave();
  expect(await at(ann.number)).toEqual([expect.stringMatching(/: The visit on .+ was cancelled\. Call .+ with any questions\.$/)]);
  expect([await at(luz.number), await at(quiet.number)], 'the second move made the first text untrue').toEqual([[], []]);
  const mails = await arrivedMails(rows(), test.keyring, { toAddress: 'luz@example.com' });
  expect(mails.map(({ body }) => body)).toEqual([expect.stringMatching(/: La cita del .+ se cambió al .+5.+\./)]);
});

it('a wanted notice that a later change withdraws is replaced by one of the last state, unless the change says none', async () => {
  const [moved, cancelled, booked, silent] = [await chart(), await chart(), await chart(), await chart()];
  const moveTo = async (visit: number, day: number, notify?: string) =>
    person
      .post(`/appointments/${visit}`)
      .send({ appointment_date: `2031-03-0${day}T15:30:00Z`, notify })
      .expect(200);
  const visits = { moved: await book(moved.id), cancelled: await book(cancelled.id), silent: await book(silent.id) };
  for (const visit of Object.values(visits)) await moveTo(visit, 4, 'text');
  await moveTo(visits.moved, 5);
  await moveTo(visits.moved, 6);
  await person.delete(`/appointments/${visits.cancelled}`).expect(204);
  await moveTo(visits.silent, 5, 'none');
  const made = { patient_id: booked.id, appointment_date: NEW_DATE, notify: 'text' };
  const { body } = await person.post('/appointments/').send(made).expect(201);
  await moveTo(body.data.uuid, 7);
  await leave();
  expect(await at(moved.number)).toEqual([expect.stringMatching(/moved to .*Mar 6/)]);
  expect(await at(cancelled.number)).toEqual([expect.stringMatching(/was cancelled/)]);
  expect(await at(booked.number)).toEqual([expect.stringMatching(/is booked for .*March 7/)]);
  expect(await at(silent.number)).toEqual([]);
  await moveTo(visits.moved, 8);
  await leave();
  expect(await at(moved.number), 'what has left is not repeated').toHaveLength(1);
});

it('a notice that waits does not leave to who has ended texts meanwhile', async () => {
  const { id, number } = await chart();
  await person.delete(`/appointments/${await book(id)}?notify=text`).expect(204);
  await ledger(number, 'STOP');
  await leave();
  expect(await at(number)).toEqual([]);
});

it('whoever asks for a mail to a patient without an address is warned, and sees why there is none', async () => {
  const { id } = await chart({ email: null });
  const visit = await book(id);
  const answers = [
    await person.post(`/appointments/${visit}`).send({ appointment_date: NEW_DATE, notify: 'email' }),
    await client.delete(`/appointments/${await book(id)}?notify=email`),
  ];
  for (const { headers } of answers) expect(String(headers['warning-codes']).split(', ')).toContain('no_email');
  const { data } = (await person.get(`/appointments/${visit}/messages`).expect(200)).body;
  expect(data).toEqual([expect.objectContaining({ kind: 'moved', reason_code: 'no_email' })]);
});

it('the practice decides where a request does not, and no other word is taken', async () => {
  const { id, number } = await chart();
  await rows().organization.update({ where: { id: organizationId }, data: { visitChangeNotice: 'text' } });
  await client.delete(`/appointments/${await book(id)}`).expect(200);
  await person
    .post(`/appointments/${await book(id)}`)
    .send({ appointment_date: NEW_DATE, notify: 'none' })
    .expect(200);
  await leave();
  expect(await at(number)).toHaveLength(1);
  const visit = await book(id);
  for (const by of [person, client]) await by.delete(`/appointments/${visit}?notify=fax`).expect(400);
  await person.post(`/appointments/${visit}`).send({ notify: 'phone' }).expect(400);
  await client.put(`/appointments/${visit}`).send({ notify: 'TEXT ' }).expect(400);
});

it('a patient whom no text reaches is told by mail, and of a booking where that is asked for', async () => {
  const [stopped, booked] = [await chart({ email: 'stop@example.com' }), await chart()];
  await ledger(stopped.number, 'STOP');
  await person.delete(`/appointments/${await book(stopped.id)}?notify=text`).expect(204);
  const made = { patient_id: booked.id, appointment_date: NEW_DATE, notify: 'text' };
  await client.post('/appointments').send(made).expect(200);
  await person
    .post('/appointments/')
    .send({ ...made, notify: 'none' })
    .expect(201);
  await leave();
  expect((await arrivedMails(rows(), test.keyring, { toAddress: 'stop@example.com' })).map(({ body }) => body)).toEqual([
    expect.stringMatching(/: The visit on .+ was cancelled\./),
  ]);
  expect(await at(booked.number)).toEqual([expect.stringMatching(/your appointment with .+ is booked for .+March 4, 2031/)]);
});

it('no text says that a visit is booked once it has begun, nor that one was cancelled that was missed', async () => {
  const send = async (id: number): Promise<number> =>
    (await client.post('/appointments').send({ patient_id: id, appointment_date: NEW_DATE, notify: 'text' }).expect(200)).body.data.uuid;
  const [begun, missed] = [await send((await chart()).id), await send((await chart()).id)];
  const startsAt = new Date(Date.now() - 60_000);
  await rows().appointment.updateMany({ where: { organizationId, id: begun }, data: { startsAt } });
  await rows().textAppointment.updateMany({ where: { organizationId, appointmentId: begun }, data: { startsAt } });
  await rows().appointment.updateMany({ where: { organizationId, id: missed }, data: { status: 'no_show' } });
  await leave();
  const readReason = async (appointmentId: number) =>
    (await rows().smsMessage.findFirst({ where: { organizationId, appointmentId } }))?.reason;
  expect([await readReason(begun), await readReason(missed)]).toEqual(['appointment_over', 'appointment_missed']);
});
