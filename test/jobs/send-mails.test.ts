import { afterAll, describe, expect, it } from 'vitest';
import { sealPlaceholders } from '../../src/domain/messaging/templates/sealed-placeholders.ts';
import { createLocalMailer } from '../../src/gateways/mail/local-mailer.ts';
import { type Mailer, MailRefusal } from '../../src/gateways/mail/mailer.ts';
import { sendMails } from '../../src/jobs/sending/send-mails.ts';
import { sharedTestApp } from '../support/app.ts';
import { arrivedMails } from '../support/arrived.ts';
import { createPatient } from '../support/factories.ts';
import { openQueueing, practiceWithNumber } from './outgoing.ts';

const test = await sharedTestApp();
const sending = openQueueing(test);
const organizationId = await practiceWithNumber(test, { name: 'Hudson Family Practice' });
afterAll(() => sending.outbox.close());

const rows = () => test.database.prisma;
const job = (by: Partial<Mailer> = {}) =>
  sendMails({ unitOfWork: sending.unitOfWork, keyring: test.keyring, mailer: { ...createLocalMailer(rows(), test.keyring), ...by } });
const find = (id: number) => rows().mailMessage.findUniqueOrThrow({ where: { organizationId_id: { organizationId, id } } });
const arrived = (id: number) => arrivedMails(rows(), test.keyring, { reference: `mail-${organizationId}-${id}` });
const patient = (data: object = {}) => createPatient(rows(), { organizationId, email: 'pat@example.com', ...data });
const words = { subject: 'Your visit', body: 'See you tomorrow.' };

describe('a queued mail', () => {
  it('arrives once, from the practice, however often its job is run', async () => {
    const { id } = await sending.mail(organizationId, { patientId: (await patient()).id, ...words });
    await Promise.all([1, 2, 3].map(() => job().run(organizationId, id)));
    const [mail, ...others] = await arrived(id);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ fromName: 'Hudson Family Practice', toAddress: 'pat@example.com', ...words });
    expect(await find(id)).toMatchObject({ state: 'sent', reason: null, sentAt: expect.any(Date) });
  });

  it('leaves with its link, of which the row keeps nothing then, nor once it has failed', async () => {
    const url = 'https://clinic.example/c/1.abc';
    const sealed = sealPlaceholders(test.keyring, { url });
    const write = () => sending.mail(organizationId, { to: 'pat@example.com', subject: 'Yours', body: 'See {{url}}', sealed });
    const [left, lost] = [await write(), await write()];
    expect((await find(left.id)).sealed).not.toBeNull();
    await job().run(organizationId, left.id);
    await job().giveUp(organizationId, lost.id);
    expect(await arrived(left.id)).toMatchObject([{ body: `See ${url}` }]);
    expect(await find(left.id)).toMatchObject({ state: 'sent', body: 'See {{url}}', sealed: null });
    expect(await find(lost.id)).toMatchObject({ state: 'failed', body: 'See {{url}}', sealed: null });
  });

  it('is tried again where no server takes it, and fails for good where one refuses it', async () => {
    const { id } = await sending.mail(organizationId, { to: 'pat@example.com', ...words });
    expect(await job({ send: () => Promise.reject(new Error('greylisted')) }).run(organizationId, id)).toEqual({
      again: 'mail_server_unreachable',
    });
    expect(await find(id)).toMatchObject({ state: 'queued', attempts: 1 });
    const refusing = job({ send: () => Promise.reject(new MailRefusal('mail_refused', 'no such mailbox')) });
    expect(await refusing.run(organizationId, id)).toBe('done');
    expect(await find(id)).toMatchObject({ state: 'failed', reason: 'mail_refused' });
    expect(await arrived(id)).toEqual([]);
  });

  it('has failed when all attempts were in vain', async () => {
    const { id } = await sending.mail(organizationId, { to: 'pat@example.com', ...words });
    await job().giveUp(organizationId, id);
    expect(await find(id)).toMatchObject({ state: 'failed', reason: 'mail_server_unreachable' });
  });

  it.each([
    ['wants no communication at all', { doNotCall: true }, 'suppressed', 'do_not_call'],
    ['is deceased', { deceasedDate: new Date('2030-01-01') }, 'suppressed', 'deceased'],
    ['wants no texts, which says nothing of mail', { doNotSms: true }, 'sent', null],
  ])('to a patient who %s', async (_, data, state, reason) => {
    const { id } = await sending.mail(organizationId, { patientId: (await patient(data)).id, ...words });
    await job().run(organizationId, id);
    expect(await find(id)).toMatchObject({ state, reason });
  });

  it('for a patient without an address is stored as suppressed', async () => {
    const mail = await sending.mail(organizationId, { patientId: (await patient({ email: null })).id, ...words });
    expect(mail).toMatchObject({ state: 'suppressed', reason: 'no_email' });
  });

  it.each([
    ['an empty subject', { subject: ' ' }],
    ['a subject of two lines', { subject: 'One\r\nBcc: other@example.com' }],
    ['an empty body', { body: ' ' }],
    ['an endless body', { body: 'x'.repeat(100_001) }],
  ])('is refused with %s', async (_, data) => {
    await expect(sending.mail(organizationId, { to: 'pat@example.com', ...words, ...data })).rejects.toMatchObject({ kind: 'invalid' });
  });
});
