import { expect } from 'vitest';
import { sendVisitMessages } from '../../../../../src/jobs/due-work.ts';
import { AWAKE } from '../../../../jobs/outgoing.ts';
import { integrationClient, signedInUser } from '../../../../support/actors.ts';
import type { TestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import { addPhoneNumber, anyNumber } from '../../../../support/phone-numbers.ts';

export interface Message {
  id: string;
  kind: string;
  offset: string | null;
  state: string;
  reason_code: string | null;
  channel: string | null;
  due_at: string;
  sends_at: string | null;
  sms_message_id: number | null;
}

/** A practice in New York without quiet hours that texts from a number, with the rules of its messages and its visits. */
export async function tellingPractice(test: TestApp, data: object = {}) {
  const rows = test.database.prisma;
  const admin = await signedInUser(test, { type: 'admin', organization: { ...AWAKE, timeZone: 'America/New_York', ...data } });
  const { organizationId } = admin;
  const client = await integrationClient(test, { organizationId });
  const plain = { number: anyNumber(), kind: 'plain', carrier: 'local', carrierId: 'PN-1' } as const;
  await addPhoneNumber(rows, { organizationId, ...plain });

  const patient = async (fields: object = {}) => {
    const number = anyNumber();
    const { id } = await createPatient(rows, { organizationId, firstName: 'Rosa', mobilePhone: number, ...fields });
    return { id, number };
  };
  const set = (...rules: object[]) =>
    admin
      .put('/visit-messages')
      .send(rules.map((rule) => ({ enabled: true, ...rule })))
      .expect(200);
  const book = async (patientId: number | null, date: string, fields: object = {}): Promise<number> => {
    const booked = await admin.post('/appointments/').send({ patient_id: patientId, appointment_date: date, ...fields });
    expect([booked.status, booked.text]).toEqual([201, booked.text]);
    return booked.body.data.uuid;
  };
  const messages = async (visit: number): Promise<Message[]> => (await admin.get(`/appointments/${visit}/messages`).expect(200)).body.data;
  return {
    admin,
    client,
    organizationId,
    patient,
    set,
    book,
    messages,
    /** In short: what of each message becomes when. */
    listStates: async (visit: number) =>
      (await messages(visit)).map(({ kind, offset, state, reason_code, due_at }) => [kind, offset, state, reason_code, due_at]),
    texts: (visit: number) =>
      rows.smsMessage.findMany({ where: { organizationId, appointmentId: visit, direction: 'outbound' }, orderBy: { id: 'asc' } }),
    mails: (patientId: number) => rows.mailMessage.findMany({ where: { organizationId, patientId }, orderBy: { id: 'asc' } }),
    /** The job, as two processes run it at once. */
    look: (now: string) => Promise.all([1, 2].map(() => sendVisitMessages(test.services, () => new Date(now)))),
  };
}
