import { Temporal } from 'temporal-polyfill';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { comingOfAge } from '../../src/domain/patients/guardians/coming-of-age.ts';
import { endGuardianships } from '../../src/jobs/due-work.ts';
import { type Actor, clientToken, integrationClient, practiceClient, signedInUser } from '../support/actors.ts';
import { sharedTestApp } from '../support/app.ts';
import { createSurvey } from '../support/check-ins.ts';
import { createPatient } from '../support/factories.ts';
import { anyNumber } from '../support/phone-numbers.ts';
import { openConversation, THURSDAY, TUESDAY } from './conversation.ts';
import { openQueueing } from './outgoing.ts';

const test = await sharedTestApp();
const { its, patient, book, queue, ask, say, leave, cancel, confirmation, readState, textsToNumber } = openConversation(test);
const db = test.database.prisma;
let staff: Actor;
let admin: Actor;

beforeAll(async () => {
  const { organizationId } = its;
  staff = await signedInUser(test, { organizationId });
  admin = await signedInUser(test, { organizationId, type: 'admin' });
});

/** A child of Ann, whose number the conversation is with, and of whom she is told. */
let ben: number;
beforeEach(async () => {
  ben = await child({ firstname: 'Ben' });
});

async function child(fields: object, guardian: object = { patient_uuid: its.patientId, relationship: 'mother' }): Promise<number> {
  const made = await staff.post('/patients').send({ lastname: 'Diaz', dob: '2020-05-05', phone_no: anyNumber(), guardian, ...fields });
  expect([made.status, made.text]).toEqual([201, made.text]);
  return made.body.data.uuid;
}
const chart = async (id: number) => (await staff.get(`/patients/${id}`)).body.data;
const latest = async () => (await textsToNumber()).at(-1);
const runJob = () => endGuardianships({ ...openQueueing(test), database: test.database });
const listItemKinds = async (id: number) => {
  const { body } = await staff.get(`/inbox?patient=${id}`);
  return body.data.flatMap(({ kinds }: { kinds: string[] }) => kinds);
};

describe('a guardian', () => {
  it('is texted about a child in words about the child, and answers for them', async () => {
    const visit = await book(TUESDAY, its.chen, ben);
    const sent = await staff.post(`/appointments/${visit}/send-sms`).send({});
    expect(sent.status).toBe(201);
    expect((await latest())?.body).toBe("Ben's appointment with Hudson is on March 4, 2031 at 10:00 AM.");
    await ask(visit);
    expect((await latest())?.body).toBe('About Ben: March 4, 2031, 10:00 AM, with Dr. Chen? Reply Y or N.');
    expect(await say('Y')).toEqual(['Thank you. We expect Ben on Tue, Mar 4, 10:00 AM with Dr. Chen. Reply N if Ben cannot come.']);
    expect(await confirmation(visit)).toBe('Yes');
    expect(await say('no')).toEqual([expect.stringContaining('that Ben cannot come on Tue, Mar 4')]);
    await cancel(visit);
    expect(await say('yes')).toEqual([expect.stringMatching(/^The visit on Tue.* was cancelled/)]);
  });

  it('of two children chooses whose visit is meant', async () => {
    const mia = await child({ firstname: 'Mia' });
    const [bens, mias] = [await book(TUESDAY, its.chen, ben), await book(THURSDAY, its.ito, mia)];
    await ask(bens);
    await ask(mias);
    expect(await say('Y')).toEqual([
      'Which visit do you confirm? Reply 1 for Tue, Mar 4, 10:00 AM with Dr. Chen (Ben), 2 for Thu, Mar 6, 2:00 PM with Dr. Ito (Mia).',
    ]);
    await say('2');
    expect([await confirmation(bens), await confirmation(mias)]).toEqual(['Pending', 'Yes']);
  });

  it('is written to in their language, by text and by mail, in check-ins, messages and invites', async () => {
    await staff.put(`/patients/${its.patientId}`).send({ language: 'spa', email: 'ann@example.com' });
    await staff.put(`/patients/${ben}`).send({ language: 'eng', email: 'ben@example.com' });
    const survey = await createSurvey(test, its.organizationId);
    const checkIn = { recipient_id: ben, survey_type_id: survey.id };
    for (const channel of ['email', 'sms']) {
      const answer = await staff.post('/checkin/send').send({ ...checkIn, channel });
      expect([answer.status, answer.text]).toEqual([201, answer.text]);
    }
    expect(await latest()).toMatchObject({
      patientId: ben,
      toGuardian: true,
      body: expect.stringMatching(/^Hudson quiere saber de Ben\./),
    });
    const mails = await db.mailMessage.findMany({ where: { organizationId: its.organizationId, patientId: ben } });
    expect(mails).toMatchObject([{ toAddress: 'ann@example.com', toGuardian: true }]);
    const message = { Contact: ben, message: 'Results' };
    const secret = await staff.post('/external-messages').send(message);
    expect([secret.status, secret.text]).toEqual([201, secret.text]);
    expect((await latest())?.body).toMatch(/^Hudson le ha enviado un mensaje sobre Ben: /);
  });

  it('ends texts about a child with STOP, which is in the history of the child’s consent', async () => {
    const visit = await book(TUESDAY, its.chen, ben);
    await ask(visit);
    await say('STOP');
    expect((await chart(ben)).can_text).toMatchObject({ ok: false, reason: 'opted_out' });
    expect((await staff.post(`/appointments/${visit}/send-sms`).send({})).status).toBe(409);
    const { body } = await staff.get(`/contacts/${ben}/consent`);
    expect(body.data).toMatchObject([{ texts: false, source: 'text' }]);
    await say('START');
    expect((await chart(ben)).can_text.reason).not.toBe('opted_out');
  });

  it('gets what waits at another number after changing it; nobody else may have the words', async () => {
    const visit = await book(TUESDAY, its.chen, ben);
    const waiting = await queue(visit);
    const moved = anyNumber();
    await staff.put(`/patients/${its.patientId}`).send({ phone_no: moved });
    its.number = moved;
    await leaveAll(waiting);
    expect(await readState(waiting)).toEqual(['sent', null]);
    const { toNumber } = await db.smsMessage.findFirstOrThrow({ where: { organizationId: its.organizationId, id: waiting } });
    expect(toNumber).toBe(moved);
    const second = await queue(visit);
    await staff.put(`/patients/${ben}`).send({ guardian: null });
    await leaveAll(second);
    expect(await readState(second)).toEqual(['suppressed', 'number_changed']);
  });
});

/** A text leaves from the queue, wherever it goes. */
async function leaveAll(id: number): Promise<void> {
  const { toNumber } = await db.smsMessage.findFirstOrThrow({ where: { organizationId: its.organizationId, id } });
  const own = its.number;
  its.number = toNumber;
  await leave();
  its.number = own;
}

describe('the guardianship', () => {
  it('ends at midnight of the practice on the birthday, and on 1 March for who was born on 29 February', () => {
    expect(comingOfAge('2008-11-27', 18, 'America/New_York')).toEqual(new Date('2026-11-27T05:00:00Z'));
    expect(comingOfAge('2008-11-27', 18, 'Pacific/Kiritimati')).toEqual(new Date('2026-11-26T10:00:00Z'));
    expect(comingOfAge('2008-02-29', 18, 'UTC')).toEqual(new Date('2026-03-01T00:00:00Z'));
    expect(comingOfAge('2008-02-29', 20, 'UTC')).toEqual(new Date('2028-02-29T00:00:00Z'));
  });

  it('holds until the day comes where the practice is, and follows its policy and the birth date', async () => {
    const { organizationId } = its;
    const here = Temporal.Now.plainDateISO('America/New_York');
    const [today, tomorrow] = [here, here.add({ days: 1 })].map((day) => day.subtract({ years: 18 }).toString());
    const [adult, minor] = [await child({ dob: today }), await child({ dob: tomorrow })];
    const readEnd = async (id: number) => (await db.guardianship.findFirst({ where: { organizationId, patientId: id } }))?.endsAt;
    expect((await readEnd(adult))?.getTime()).toBeLessThanOrEqual(Date.now());
    expect((await readEnd(minor))?.getTime()).toBeGreaterThan(Date.now());
    await staff.post(`/appointments/${await book(TUESDAY, its.chen, adult)}/send-sms`).send({});
    expect(await textsToNumber()).toEqual([]);
    await runJob();
    await runJob();
    expect([await listItemKinds(adult), await listItemKinds(minor)]).toEqual([['guardian_ended'], []]);
    expect((await chart(adult)).guardian).toMatchObject({ lastname: expect.any(String), patient_uuid: null, relationship: null });
    await staff.put(`/patients/${minor}`).send({ dob: today });
    await runJob();
    expect(await listItemKinds(minor)).toEqual(['guardian_ended']);
  });

  it('follows a merge of the guardian, and ends with their death, their chart, or the name of another', async () => {
    const { organizationId } = its;
    const twin = await patient({ firstName: 'Ann', lastName: 'Twin' });
    const merged = await admin.post(`/platform/v1/patients/${twin}/merge`).send({ from: its.patientId });
    expect([merged.status, merged.text]).toEqual([201, merged.text]);
    expect((await chart(ben)).guardian).toMatchObject({ patient_uuid: twin, relationship: 'mother' });
    expect((await admin.delete(`/platform/v1/patients/${twin}/merge`)).status).toBe(204);
    expect((await chart(ben)).guardian.patient_uuid).toBe(its.patientId);

    const practice = await practiceClient(test, { organizationId });
    const [mia, tom] = [await child({ firstname: 'Mia' }), await child({ firstname: 'Tom' })];
    const renamed = await practice.put(`/patients/${mia}`).type('form').send({ guardianfirstname: 'Ángela' });
    expect([renamed.status, renamed.text]).toEqual([200, renamed.text]);
    expect([await listItemKinds(mia), (await chart(mia)).guardian.patient_uuid]).toEqual([['guardian_ended'], null]);
    await practice.put(`/patients/${tom}`).type('form').send({ guardianfirstname: 'ANN' });
    expect((await chart(tom)).guardian.patient_uuid).toBe(its.patientId);
    await staff.put(`/patients/${its.patientId}`).send({ deceased_date: '2026-01-01' });
    await staff.post(`/appointments/${await book(TUESDAY, its.chen, tom)}/send-sms`).send({});
    expect(await textsToNumber()).toEqual([]);
    await runJob();
    expect(await listItemKinds(tom)).toEqual(['guardian_ended']);
  });

  it('names somebody else whom the caller may see, and comes back as it was sent', async () => {
    const { organizationId } = its;
    const app = await integrationClient(test, { organizationId });
    const { id } = await db.contact.create({ data: { organizationId, firstName: 'Gus', lastName: 'Ito', phone: anyNumber() } });
    const guardian = { contact_uuid: id, relationship: 'uncle' };
    const made = await app.post('/patients').send({ lname: 'Ito', dob: '2019-01-01', guardian });
    expect(made.body.data?.guardian).toMatchObject({ ...guardian, patient_uuid: null, firstname: 'Gus' });
    const { uuid } = made.body.data;
    for (const as of [app, staff]) {
      const read = await as.get(`/patients/${uuid}`);
      const again = await as.put(`/patients/${uuid}`).send({ guardian: read.body.data.guardian });
      expect([again.status, again.body.data.guardian]).toEqual([200, read.body.data.guardian]);
    }
    const hidden = await createPatient(db, { organizationId, firstName: 'Hid', restricted: true });
    await db.privacyRestriction.create({ data: { organizationId, patientId: hidden.id, kind: 'record', reason: 'court order' } });
    for (const wrong of [{ patient_uuid: uuid }, { patient_uuid: hidden.id }, { patient_uuid: its.patientId, contact_uuid: id }]) {
      const answer = await staff.put(`/patients/${uuid}`).send({ guardian: wrong });
      expect([answer.status, answer.body.errors?.[0]?.pointer]).toEqual([
        expect.any(Number),
        expect.stringMatching(/^\/guardian\/(patient|contact)_uuid$/),
      ]);
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    await db.guardianship.updateMany({
      where: { organizationId, patientId: uuid },
      data: { guardianPatientId: hidden.id, guardianContactId: null },
    });
    const shown = (await app.get(`/patients/${uuid}`)).body.data.guardian;
    expect(shown).toMatchObject({ patient_uuid: null, contact_uuid: null, relationship: 'uncle' });
    await app.put(`/patients/${uuid}`).send({ guardian: shown });
    expect(await db.guardianship.count({ where: { organizationId, guardianPatientId: hidden.id } })).toBe(1);
  });

  it('with a restricted chart is written to, and no answer tells the number or the address', async () => {
    const { organizationId } = its;
    const [mobilePhone, email] = [anyNumber(), 'hidden.guardian@example.com'];
    const hidden = await createPatient(db, { organizationId, firstName: 'Hid', mobilePhone, email });
    const uuid = await child({ firstname: 'Eve' }, { patient_uuid: hidden.id });
    await db.privacyRestriction.create({ data: { organizationId, patientId: hidden.id, kind: 'record', reason: 'court order' } });
    const { id: surveyTypeId } = await createSurvey(test, organizationId);
    const visit = await book(THURSDAY, its.chen, uuid);
    const { guid } = (await admin.get('/meet-session')).body.data;
    const checkIn = { sms_email: mobilePhone, recipient_id: uuid, survey_type_id: surveyTypeId };
    const writes = [
      staff.post(`/appointments/${visit}/send-sms?dry_run=true`).send({ message: 'Hello' }),
      staff.post(`/appointments/${visit}/send-sms`).send({ message: 'Hello' }),
      staff.post('/checkin/send?dry_run=true').send(checkIn),
      staff.post('/external-messages?dry_run=true').send({ message: 'Hello', Contact: uuid }),
      staff.post('/external-messages').send({ message: 'Hello', Contact: uuid }),
      admin.post(`/video-session/${guid}/invite`).send({ patient_id: uuid }),
      admin.post(`/video-session/${guid}/invite`).send({ patient_id: uuid, emailOrSms: 'email' }),
    ];
    const wrote = await Promise.all(writes);
    expect(wrote.map(({ status }) => status)).toEqual([200, 201, 200, 200, 201, 201, 201]);
    expect(await db.smsMessage.count({ where: { organizationId, patientId: uuid, toNumber: mobilePhone } })).toBe(3);
    const { token } = await clientToken(test, ['exports.read'], [organizationId]);
    const exported = await fetch(`${test.address}/platform/v1/exports?kind=texts`, { headers: { authorization: `Bearer ${token}` } });
    const read = await Promise.all([
      staff.get('/external-messages'),
      staff.get(`/sms-messages?patient=${uuid}`),
      admin.get(`/video-session/${guid}`),
    ]);
    expect([exported.status, ...read.map(({ status }) => status)]).toEqual([200, 200, 200, 200]);
    const told = [...wrote, ...read, { text: await exported.text() }].filter(
      ({ text }) => text.includes(mobilePhone.slice(2)) || text.includes(email),
    );
    expect(told.map(({ text }) => text)).toEqual([]);
  });
});
