import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { isNodeDown } from '../../src/database/errors.ts';
import { jobCaller } from '../../src/domain/caller.ts';
import { raiseAlerts } from '../../src/domain/monitoring/alerts/raise-alerts.ts';
import type { UnitOfWork } from '../../src/domain/unit-of-work/unit-of-work.ts';
import { type Actor, actorWith, clientToken, integrationClient, practiceClient, signedInUser } from '../support/actors.ts';
import type { TestApp } from '../support/app.ts';
import { createSurvey } from '../support/check-ins.ts';
import { createAppointmentType, createOffice } from '../support/factories.ts';
import { addPhoneNumber, anyNumber } from '../support/phone-numbers.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** Every answer comes within 5 s; a busy machine is given a little more. */
const IN_TIME_MS = 6_500;

export interface Practice {
  test: TestApp;
  unitOfWork: UnitOfWork;
  receiver: WebhookReceiver;
  organizationId: number;
  practice: Actor;
  integration: Actor;
  staff: Actor;
  clients: { clientId: string; clientSecret: string }[];
  officeId: number;
  typeId: number;
}

/** A practice with a number, an endpoint at a receiver, and a client that asks what changed. */
export async function createPractice(test: TestApp, unitOfWork: UnitOfWork, organizationId: number): Promise<Practice> {
  const { prisma } = test.database;
  const office = await createOffice(prisma, { organizationId });
  const type = await createAppointmentType(prisma, { organizationId });
  const number = { organizationId, kind: 'plain', carrier: 'local' } as const;
  await addPhoneNumber(prisma, { ...number, number: anyNumber(), carrierId: 'PN-1' });
  const practice = await practiceClient(test, { organizationId });
  const integration = await integrationClient(test, { organizationId });
  const staff = await signedInUser(test, { organizationId, type: 'admin' });
  const { token } = await clientToken(test, ['webhooks.write'], [organizationId]);
  const receiver = await startReceiver();
  await actorWith(test, token, organizationId).post('/platform/v1/webhook-endpoints').send({ url: receiver.url }).expect(201);
  await practice.post('/patients/changed/subscription').expect(200);
  return {
    test,
    unitOfWork,
    receiver,
    organizationId,
    practice,
    integration,
    staff,
    clients: [practice, integration],
    officeId: office.id,
    typeId: type.id,
  };
}

/** Raises an alert as a check-in that nobody answers does. @returns 200, or 503 where the database does not answer */
async function raiseAlert({ test, unitOfWork, organizationId }: Practice, patientId: number): Promise<{ status: number }> {
  const { prisma } = test.database;
  try {
    const survey = await createSurvey(test, organizationId);
    const { id: checkInId } = await prisma.checkIn.create({
      data: {
        organizationId,
        patientId,
        surveyTypeId: survey.id,
        channel: 'sms',
        message: '?',
        linkHash: randomBytes(32),
        expiresAt: new Date(),
      },
    });
    const alert = { kind: 'missed_check_in', checkInId, patientId, occurredAt: new Date() } as const;
    const raise = () => unitOfWork.write(jobCaller(organizationId, 'test'), (db, caller) => raiseAlerts(db, caller, [alert]));
    await raise();
    return { status: 200 };
  } catch (error) {
    if (!isNodeDown(error)) throw error;
    return { status: 503 };
  }
}

/** The statuses of a day's work, each of which came in time. */
export async function work(of: Practice, chart: number) {
  const { test, practice, integration, staff, clients, officeId, typeId } = of;
  const statuses: Record<string, number> = {};
  const did = async <A extends { status: number }>(what: string, request: PromiseLike<A>): Promise<A> => {
    const start = performance.now();
    const answer = await request;
    expect(performance.now() - start, what).toBeLessThan(IN_TIME_MS);
    statuses[what] = answer.status;
    return answer;
  };
  for (const [n, { clientId, clientSecret }] of clients.entries()) {
    const grant = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    await did(`token ${n}`, test.http.post('/oauth2/v1/token').type('form').send(grant));
  }
  const form = { firstname: 'Ada', lastname: 'Lovelace', dob: '12/10/1985', departmentid: String(officeId), email: 'ada@example.com' };
  await did('register', practice.post('/patients').set('idempotency-key', `key-${chart}`).type('form').send(form));
  await did('change', practice.put(`/patients/${chart}`).type('form').send({ city: 'Apex' }));
  await did('change by integration', integration.put(`/patients/${chart}`).send({ city: 'Cary' }));
  await did('read', practice.get(`/patients/${chart}`));
  await did('search', practice.get('/patients?lastname=lovelace'));
  await did('ask what changed', practice.get('/patients/changed'));
  await did('raise an alert', raiseAlert(of, chart));
  const booking = { patient_id: chart, appointment_date: '2031-03-04T09:30:00', appointment_type_id: typeId };
  const booked = await did('book', integration.post('/appointments').send(booking));
  await did('list users', staff.get('/users'));
  await did('text', staff.post(`/appointments/${booked.body.data?.uuid ?? 1}/send-sms`).send({ message: 'See you.' }));
  return statuses;
}
