import { describe, expect, it } from 'vitest';
import { sharedTestApp } from '../../../../support/app.ts';
import { NUMBER, type Sender, send, sender } from '../../../../support/external-messages.ts';
import { createPatient } from '../../../../support/factories.ts';
import { upload } from '../attachments/uploading.ts';

const test = await sharedTestApp();
const who: Sender = await sender(test);

const rows = () => test.database.prisma;

describe('the receiver', () => {
  it('is written to at the contact’s mobile number, else at the mail address, and is called as the contact', async () => {
    const { organizationId } = who;
    const both = await createPatient(rows(), { organizationId, lastName: 'Both', mobilePhone: '+19195550124', email: 'both@example.com' });
    const mailed = await createPatient(rows(), { organizationId, lastName: 'Mailed', email: 'mailed@example.com' });
    const [first, second] = await Promise.all(
      [both, mailed].map(async ({ id }) => (await send(who, { sent_to: undefined, Contact: id })).body.data),
    );
    expect(first).toMatchObject({
      channel: 'sms',
      sent_to: '9195550124',
      receiver_first_name: 'Pat',
      receiver_last_name: 'Both',
      contact: { uuid: both.id, patient_uuid: both.id, firstname: 'Pat', lastname: 'Both' },
    });
    expect(second).toMatchObject({ channel: 'email', sent_to: 'mailed@example.com', contact: { uuid: mailed.id } });
  });

  it('may be a contact that is no patient, under another name and address', async () => {
    const { organizationId } = who;
    const { id } = await rows().contact.create({ data: { organizationId, phone: '+19195550125', lastName: 'Pharmacy' } });
    const own = (await send(who, { sent_to: '', Contact: String(id), receiver_first_name: 'Lee' })).body.data;
    expect(own).toMatchObject({ sent_to: '9195550125', receiver_first_name: 'Lee', receiver_last_name: 'Pharmacy' });
    expect(own.contact).toEqual({ uuid: id, patient_uuid: null, firstname: null, lastname: 'Pharmacy' });
    expect((await send(who, { sent_to: 'lee@example.com', Contact: id })).body.data).toMatchObject({
      channel: 'email',
      contact: { uuid: id },
    });
  });

  it('is one of the practice’s own', async () => {
    const stranger = await sender(test);
    const theirs = await createPatient(rows(), { organizationId: stranger.organizationId, mobilePhone: '+19195550126' });
    const ask = (id: number) => who.post('/external-messages').send({ message: 'Hi', Contact: id });
    const [other, none] = [await ask(theirs.id), await ask(1_888_888)];
    expect([other.status, other.body.errors[0].pointer]).toEqual([404, '/Contact']);
    expect(other.body.detail).toBe(none.body.detail);
  });

  it('must have an address', async () => {
    const { id } = await createPatient(rows(), { organizationId: who.organizationId });
    const answer = await who.post('/external-messages').send({ message: 'Hi', Contact: id });
    expect([answer.status, answer.body.code]).toEqual([422, 'no_address']);
  });

  it('who wants no texts is sent none: the message is refused with the reason, and nothing is stored', async () => {
    const own = await sender(test);
    const { organizationId } = own;
    const refused = async (body: object) => {
      const answer = await own.post('/external-messages').send({ message: 'Hi', ...body });
      return [answer.status, answer.body.code];
    };
    const { id } = await createPatient(rows(), { organizationId, mobilePhone: '+19195550127', email: 'a@example.com', doNotSms: true });
    expect(await refused({ Contact: id })).toEqual([409, 'do_not_sms']);
    await rows().optOut.create({ data: { organizationId, number: '+19195550128', optedOut: true, keyword: 'STOP', source: 'text' } });
    expect(await refused({ sent_to: '9195550128' })).toEqual([409, 'opted_out']);
    const { id: gone } = await createPatient(rows(), { organizationId, email: 'b@example.com', doNotCall: true });
    expect(await refused({ Contact: gone })).toEqual([409, 'do_not_call']);
    expect(await rows().externalMessage.count({ where: { organizationId } })).toBe(0);
    expect(await refused({ Contact: id, sent_to: 'a@example.com' })).toEqual([201, undefined]);
  });
});

describe('attachments', () => {
  it('are named by their ids or as they were answered, and stay in order', async () => {
    const [first, second] = [(await upload(test, who, 'a', 'b.txt')).body.data, (await upload(test, who, 'b', 'a.txt')).body.data];
    const { attachments } = (await send(who, { attachments: [second, first.uuid] })).body.data;
    expect(attachments.map(({ uuid }: { uuid: number }) => uuid)).toEqual([second.uuid, first.uuid]);
  });

  it('are the practice’s own, each once', async () => {
    const stranger = await sender(test);
    const [own, theirs] = [(await upload(test, who, 'a')).body.data.uuid, (await upload(test, stranger, 'b')).body.data.uuid];
    const ask = (attachments: number[]) => who.post('/external-messages').send({ message: 'Hi', sent_to: NUMBER, attachments });
    const [foreign, unknown, twice] = [await ask([own, theirs]), await ask([own, 1_888_888]), await ask([own, own])];
    expect([foreign.status, foreign.body.errors[0].pointer]).toEqual([404, '/attachments/1']);
    expect(foreign.body.errors).toEqual(unknown.body.errors);
    expect([twice.status, twice.body.errors[0].pointer]).toEqual([400, '/attachments/1']);
  });
});
