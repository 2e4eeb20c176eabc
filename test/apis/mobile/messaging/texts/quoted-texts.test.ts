import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { sendTexts } from '../../../../../src/jobs/sending/send-texts.ts';
import { sendWebhook } from '../../../../callbacks/signing.ts';
import { integrationClient } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { arrivedTexts } from '../../../../support/arrived.ts';
import { anyNumber } from '../../../../support/phone-numbers.ts';
import { waitlistPractice } from '../../../../support/waitlist.ts';
import { type Chart, textingPractice } from './consenting.ts';

const test = await sharedTestApp();
const { person, organizationId, chart, book } = await textingPractice(test);
const client = await integrationClient(test, { organizationId });
const rows = () => test.database.prisma;
let ours: string;
let template: number;
beforeAll(async () => {
  ours = (await rows().phoneNumber.findFirstOrThrow({ where: { organizationId } })).number;
  const body = 'Can you come on {{appointment date}} at {{appointment time}}? Reply Y or N.';
  const data = { organizationId, category: randomUUID(), name: 'Question', body, tracksResponse: true };
  template = (await rows().smsTemplate.create({ data })).id;
});

async function leave(): Promise<void> {
  const { unitOfWork, gateways, keyring } = { ...test.services, keyring: test.keyring };
  const job = sendTexts({ unitOfWork, keyring, carrier: gateways.carrier, statusUrl: null, ignoreQuietHours: true });
  for (const { id } of await rows().smsMessage.findMany({ where: { organizationId, state: 'queued' }, orderBy: { id: 'asc' } }))
    await job.run(organizationId, id);
}
const say = async (from: string, body: string): Promise<void> => {
  const form = { kind: 'text', id: `SM-${randomUUID()}`, from, to: ours, body, at: new Date().toISOString() };
  expect((await sendWebhook(test, form)).status).toBe(200);
  await leave();
};
const readLast = async (number: string): Promise<string> =>
  (await arrivedTexts(rows(), test.keyring, { toNumber: number })).at(-1)?.body ?? '';
const ask = async (visit: number): Promise<void> => {
  const answer = await person.post(`/appointments/${visit}/send-sms`).send({ template_id: template });
  expect(answer.status, answer.text).toBe(201);
  await leave();
};
/** A visit tomorrow, whose patient was asked about it, and the question. */
const asked = async ({ id, number }: Chart, minutes = 0): Promise<{ visit: number; question: string }> => {
  const visit = await book(id);
  if (minutes > 0) await move(visit, minutes);
  await ask(visit);
  return { visit, question: await readLast(number) };
};
const move = async (visit: number, minutes: number): Promise<void> => {
  const { startsAt } = await rows().appointment.findFirstOrThrow({ where: { organizationId, id: visit } });
  const at = new Date((startsAt?.getTime() ?? 0) + minutes * 60_000).toISOString().slice(0, 19);
  expect((await client.put(`/appointments/${visit}`).send({ appointment_date: at })).status).toBe(200);
};
const readStatus = async (visit: number): Promise<string> =>
  (await rows().appointment.findFirstOrThrow({ where: { organizationId, id: visit } })).confirmation;

describe('a reaction of a telephone', () => {
  it('answers the open question that it quotes, also where the quote is cut, once', async () => {
    const ann = await chart();
    const [first, second] = [await asked(ann), await asked(ann, 60)];
    await say(ann.number, `Loved “${first.question}”`);
    expect([await readStatus(first.visit), await readStatus(second.visit)]).toEqual(['Yes', 'Pending']);
    await say(ann.number, `👎 to “${second.question.slice(0, -20)}…”`);
    expect([await readStatus(first.visit), await readStatus(second.visit)]).toEqual(['Yes', 'No']);
    // What is answered is not answered by a reaction again.
    await say(ann.number, `Disliked “${first.question}”`);
    expect(await readStatus(first.visit)).toBe('Yes');
  });

  it('to a visit that was cancelled, or moved and asked about again, answers no other question', async () => {
    const [ann, moved] = [await chart(), await chart()];
    const [off, on] = [await asked(ann), await asked(ann, 60)];
    await person.delete(`/appointments/${off.visit}`);
    await say(ann.number, `Loved “${off.question}”`);
    expect([await readStatus(on.visit), await readLast(ann.number)]).toEqual(['Pending', expect.stringContaining('was cancelled')]);
    const { visit, question } = await asked(moved);
    await move(visit, 60);
    await say(moved.number, `👍 to “${question}”`);
    expect([await readStatus(visit), await readLast(moved.number)]).toEqual(['Pending', expect.stringContaining('was moved')]);
    for (const again of [async () => {}, () => ask(visit)]) {
      await again();
      const last = await readLast(moved.number);
      await say(moved.number, `👍 to “${question}”`);
      expect([await readStatus(visit), await readLast(moved.number)]).toEqual(['Pending', last]);
    }
    await say(moved.number, `👍 to “${await readLast(moved.number)}”`);
    expect(await readStatus(visit)).toBe('Yes');
  });

  it('to a question for somebody else, or to no text of ours, answers nothing', async () => {
    const [gil, hal] = [await chart(), await chart()];
    const old = await asked(gil);
    await client.put(`/patients/${gil.id}`).send({ phone_no: anyNumber() }).expect(200);
    await client.put(`/patients/${hal.id}`).send({ phone_no: gil.number }).expect(200);
    const { visit, question } = await asked({ id: hal.id, number: gil.number }, 60);
    for (const body of [`Liked “${old.question}”`, 'Liked “Another Clinic: come on Tuesday? Reply Y or N.”', '👍\n> Can you bring cake?'])
      await say(gil.number, body);
    expect([await readStatus(old.visit), await readStatus(visit)]).toEqual(['Pending', 'Pending']);
    await say(gil.number, `👍\n> ${question}`);
    expect([await readStatus(old.visit), await readStatus(visit)]).toEqual(['Pending', 'Yes']);
  });

  it('to an older text takes no offer of a time', async () => {
    const clinic = await waitlistPractice(test);
    const patient = await clinic.patient();
    const [nine, eleven] = [await clinic.book('09:00'), await clinic.book('11:00', patient.id)];
    const message = 'Can you come at 11? Reply Y or N.';
    const data = { ...clinic.own, category: randomUUID(), name: 'Question', body: message, tracksResponse: true };
    const { id } = await clinic.db.smsTemplate.create({ data });
    await clinic.admin.post(`/appointments/${eleven}/send-sms`).send({ template_id: id });
    await clinic.leave();
    await clinic.admin.delete(`/appointments/${eleven}`);
    await clinic.wait(patient.id, { until: '10:00' });
    await clinic.cancel(nine);
    await clinic.offer();
    await clinic.leave();
    const offered = (await clinic.lastTextTo(patient.mobilePhone)).replace('{{url}}', 'https://x.example/b/1');
    await clinic.write(patient.mobilePhone, `Liked “${message}”`);
    expect((await clinic.offers()).map(({ state }) => state)).toEqual(['open']);
    await clinic.write(patient.mobilePhone, `Liked “${offered}”`);
    expect((await clinic.offers()).map(({ state }) => state)).toEqual(['accepted']);
  });
});

describe('an answer and a word that ends texts, each on a line of its own', () => {
  it('both count', async () => {
    const [ann, ben] = [await chart(), await chart()];
    const [yes, no] = [await asked(ann), await asked(ben)];
    await say(ann.number, 'Yes\nSTOP');
    await say(ben.number, 'stop\r\nNo');
    expect([await readStatus(yes.visit), await readStatus(no.visit)]).toEqual(['Yes', 'No']);
    for (const { number } of [ann, ben]) {
      expect(await readLast(number)).toContain('you will get no more texts from us');
      expect(await arrivedTexts(rows(), test.keyring, { toNumber: number })).toHaveLength(2);
    }
  });

  it('is told to staff where the word is a device’s', async () => {
    const { id, number } = await chart();
    await say(number, 'Dexcom G7: STOP. Sensor failed');
    const { data } = (await person.get('/inbox?limit=100').expect(200)).body;
    expect(data.find((item: { patient: { uuid: number } | null }) => item.patient?.uuid === id)?.kinds).toEqual(['text']);
    expect(await readLast(number)).toBe('');
  });
});
