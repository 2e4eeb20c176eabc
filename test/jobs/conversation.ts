import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { jobCaller } from '../../src/domain/caller.ts';
import { receiveText } from '../../src/domain/messaging/inbound/inbound-texts.ts';
import { createLocalCarrier } from '../../src/gateways/carrier/local-carrier.ts';
import { sendTexts } from '../../src/jobs/sending/send-texts.ts';
import { type Actor, signedInUser } from '../support/actors.ts';
import type { TestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { anyNumber } from '../support/phone-numbers.ts';
import { openQueueing, practiceWithNumber } from './outgoing.ts';

export const TUESDAY = '2031-03-04T10:00:00';
export const WEDNESDAY = '2031-03-05T15:30:00';
export const THURSDAY = '2031-03-06T14:00:00';
const OURS = '+19105550100';

/**
 * A practice with two doctors, and a patient of it with a number of her own in each test. They talk: bookings, moves and texts of staff
 * are requests, answers come in as the carrier brings them, and texts leave by their jobs.
 */
export function openConversation(test: TestApp) {
  const sending = openQueueing(test);
  const db = test.database.prisma;
  const its = { organizationId: 0, templateId: 0, chen: 0, ito: 0, number: '', patientId: 0 };
  let staff: Actor;

  beforeAll(async () => {
    await sending.outbox.open();
    const organizationId = await practiceWithNumber(test, { name: 'Hudson', phone: '+19105550177', timeZone: 'America/New_York' });
    staff = await signedInUser(test, { organizationId });
    const body = '{{appointment date}}, {{appointment time}}, with {{provider name}}? Reply Y or N.';
    const asking = { organizationId, category: 'reminder', name: 'Question', body, tracksResponse: true };
    const provider = async (lastName: string) =>
      (await db.provider.create({ data: { organizationId, firstName: 'Li', lastName, displayName: `Dr. ${lastName}` } })).id;
    const templateId = (await db.smsTemplate.create({ data: asking })).id;
    Object.assign(its, { organizationId, templateId, chen: await provider('Chen'), ito: await provider('Ito') });
  });
  afterAll(() => sending.outbox.close());
  beforeEach(async () => {
    its.number = anyNumber();
    its.patientId = await patient();
  });

  async function patient(data: object = {}): Promise<number> {
    const { organizationId, number: mobilePhone } = its;
    return (await createPatient(db, { organizationId, firstName: 'Ann', mobilePhone, timeZone: null, ...data })).id;
  }
  async function book(date: string, providerId = its.chen, of = its.patientId): Promise<number> {
    const booking = { appointment_date: date, patient_id: of, provider_id: providerId, user: [] };
    const made = await staff.post('/appointments/').send(booking);
    expect([made.status, made.text]).toEqual([201, made.text]);
    return made.body.data.uuid;
  }
  async function change(id: number, fields: object): Promise<void> {
    const changed = await staff.post(`/appointments/${id}`).send(fields);
    expect([changed.status, changed.text]).toEqual([200, changed.text]);
  }
  async function cancel(id: number): Promise<void> {
    expect((await staff.delete(`/appointments/${id}`)).status).toBe(204);
  }
  /** @returns the id of the text that asks about an appointment */
  async function queue(id: number): Promise<number> {
    const queued = await staff.post(`/appointments/${id}/send-sms`).send({ template_id: its.templateId });
    expect([queued.status, queued.text]).toEqual([201, queued.text]);
    return queued.body.data.uuid;
  }
  const textsToNumber = () =>
    db.smsMessage.findMany({
      where: { organizationId: its.organizationId, toNumber: its.number, direction: 'outbound' },
      orderBy: { id: 'asc' },
    });
  /** All texts to the number that wait leave. */
  async function leave(): Promise<void> {
    const { unitOfWork } = sending;
    const job = sendTexts({ unitOfWork, keyring: test.keyring, carrier: createLocalCarrier(db, test.keyring), statusUrl: null });
    for (const { id, state } of await textsToNumber()) if (state === 'queued') await job.run(its.organizationId, id);
  }
  async function write(body: string, at = new Date()): Promise<void> {
    const text = { id: `SM-${randomUUID()}`, from: its.number, to: OURS, body, at };
    await sending.unitOfWork.write(jobCaller(its.organizationId, 'test'), (tx) => receiveText(tx, text));
  }
  const replies = async () => (await textsToNumber()).filter(({ isReply }) => isReply).map(({ body }) => body);

  return {
    its,
    patient,
    book,
    change,
    cancel,
    queue,
    leave,
    write,
    replies,
    textsToNumber,
    move: (id: number, date: string) => change(id, { appointment_date: date }),
    async ask(id: number): Promise<void> {
      await queue(id);
      await leave();
    },
    /** A text from the patient. @returns what the practice says to it */
    async say(body: string, at?: Date): Promise<string[]> {
      const before = (await replies()).length;
      await write(body, at);
      await leave();
      return (await replies()).slice(before);
    },
    async confirmation(id: number): Promise<string> {
      return (await staff.get(`/appointments/${id}`)).body.data.confirmation.status;
    },
    async readState(id: number): Promise<(string | null)[]> {
      const { organizationId } = its;
      const { state, reason } = await db.smsMessage.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });
      return [state, reason];
    },
  };
}
