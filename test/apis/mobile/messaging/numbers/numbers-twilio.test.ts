import { describe, expect, it } from 'vitest';
import { registerNumbers } from '../../../../../src/jobs/calls/register-numbers.ts';
import { ACCOUNT, startTwilioDouble, TOKEN } from '../../../../gateways/twilio-double.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { closedAfterAll, ownTestApp } from '../../../../support/app.ts';
import { createPatient } from '../../../../support/factories.ts';
import { addPhoneNumber } from '../../../../support/phone-numbers.ts';
import { letDayPass, reconcileOrders } from '../numbers.ts';

const SERVICE = `MG${'a'.repeat(32)}`;
const OTHER_SERVICE = `MG${'b'.repeat(32)}`;
const double = await closedAfterAll(startTwilioDouble());
const test = await ownTestApp({
  TRIPTYCH_CARRIER: 'twilio',
  TWILIO_ACCOUNT_SID: ACCOUNT,
  TWILIO_AUTH_TOKEN: TOKEN,
  TWILIO_BASE_URL: double.url,
  TWILIO_MESSAGING_SERVICE_SID: SERVICE,
});

const admin = () => signedInUser(test, { type: 'admin' });
const listRows = (number: string) => test.database.prisma.phoneNumber.findMany({ where: { number } });

describe('numbers of a real carrier', () => {
  it('are searched there', async () => {
    const { body } = await (await admin()).get('/available-numbers?areaCode=336&contains=555');
    expect(body.data).toEqual([
      expect.objectContaining({
        number: '3365550110',
        locality: 'Wilmington',
        region: 'NC',
        capabilities: { voice: true, sms: true, fax: false },
      }),
      expect.objectContaining({ number: '3365550111' }),
    ]);
  });

  it('are bought once, though the answer of the purchase is lost, and given back', async () => {
    const who = await admin();
    const number = '+12125550110';
    const { status, body } = await who.post('/fax-numbers').send({ number });
    expect([status, body.data.state]).toEqual([201, 'ordered']);
    double.fail('POST', '/IncomingPhoneNumbers.json', 'lost');
    await expect(reconcileOrders(test)).rejects.toThrow('the carrier cannot be reached');
    await reconcileOrders(test);
    const [bought] = double.numbers.filter((one) => one.phone_number === number);
    expect(await listRows(number)).toMatchObject([{ state: 'active', carrier: 'twilio', carrierId: bought?.sid }]);
    await who.delete(`/fax-numbers/${body.data.uuid}`);
    await letDayPass(test, body.data.uuid);
    await reconcileOrders(test);
    expect(double.numbers.filter((one) => one.phone_number === number)).toEqual([]);
  });

  it('cannot be searched or bought while it does not answer: 503, and nothing is kept', async () => {
    const who = await admin();
    const number = '+17045550110';
    double.fail('GET', '/Local.json', { status: 500 });
    const search = await who.get('/available-numbers?areaCode=704');
    expect([search.status, search.body.code]).toEqual([503, 'unavailable']);
    double.fail('GET', '/Local.json', { status: 500 });
    const purchase = await who.post('/available-numbers').send({ number });
    expect(purchase.status).toBe(503);
    expect(purchase.headers['retry-after']).toBeDefined();
    expect(await listRows(number)).toEqual([]);
    expect((await who.post('/available-numbers').send({ number })).status).toBe(201);
  });

  it('that were bought under a key are answered again also while it does not answer', async () => {
    const who = await admin();
    const send = () => who.post('/available-numbers').set('idempotency-key', 'once').send({ number: '+17325550110' });
    const first = await send();
    double.fail('GET', '/Local.json', { status: 500 });
    const again = await send();
    expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, first.text, 'true']);
  });

  it('that the practice has are attached also while it does not answer', async () => {
    const who = await admin();
    const number = '+17345550110';
    for (const own of ['+17345550109', number])
      await addPhoneNumber(test.database.prisma, { organizationId: who.organizationId, number: own, kind: 'plain' });
    double.fail('GET', '/Local.json', { status: 500 });
    expect((await who.post('/voice-pager-numbers').send({ number })).status).toBe(201);
  });

  it('cannot be searched by a pattern that it refuses', async () => {
    double.fail('GET', '/Local.json', { status: 400, code: 21451 });
    const { status, body } = await (await admin()).get('/available-numbers?contains=*');
    expect(status).toBe(400);
    expect(body.errors).toMatchObject([{ pointer: '/contains', code: 'unsupported_pattern' }]);
  });

  it('appear in no log line, and neither does its token', async () => {
    double.fail('GET', '/Local.json', { status: 500 });
    await (await admin()).post('/available-numbers').send({ number: '+12135550110' });
    expect(test.logs.filter((line) => line.includes('2135550110') || line.includes(TOKEN))).toEqual([]);
  });
});

describe('texts in the United States', () => {
  const service = (campaign: string | null) => ({ numbers: [] as string[], campaign, defersAnswers: true });
  const look = (now = new Date()) => registerNumbers({ ...test.services, carrier: test.services.gateways.carrier }, now);
  /** A practice that has bought a number, as its call group shows it. */
  async function buyer(number: string) {
    const who = await admin();
    const { organizationId } = who;
    const group = await test.database.prisma.chat.create({ data: { organizationId, name: 'Front desk' } });
    expect((await who.post('/available-numbers').send({ number, chat_id: group.id })).body.data.registration).toBe('unknown');
    await reconcileOrders(test);
    const registration = async () => (await who.get(`/chats/${group.id}/call-group-data`).expect(200)).body.data.numbers[0].registration;
    const [row] = await listRows(number);
    const patient = await createPatient(test.database.prisma, { organizationId, mobilePhone: '+12125550123' });
    const canText = async () => (await who.get(`/patients/${patient.id}`).expect(200)).body.data.can_text;
    const visit = (await who.post('/appointments/').send({ patient_id: patient.id, appointment_date: '2031-03-04T15:30:00Z' })).body.data;
    const send = () => who.post(`/appointments/${visit.uuid}/send-sms`).send({ message: 'Call us.' });
    return { who, id: row?.carrierId ?? '', registration, canText, send };
  }

  it('leave from a number that joined the service of the server and whose campaign is approved, and are refused until then', async () => {
    double.services.set(SERVICE, service('IN_PROGRESS'));
    const { id, registration, canText, send } = await buyer('+19105550110');
    const unknown = await send();
    expect([unknown.status, unknown.headers['warning-fields']]).toEqual([201, 'from_number.registration']);
    await look();
    await look(new Date(Date.now() + 3_700_000));
    expect([double.services.get(SERVICE)?.numbers.includes(id), await registration()]).toEqual([true, 'pending']);
    expect(await canText()).toMatchObject({ ok: false, reason: 'number_not_registered' });
    const refused = await send();
    expect([refused.status, refused.body.code]).toEqual([409, 'number_not_registered']);
    double.services.set(SERVICE, { numbers: [id], campaign: 'VERIFIED', defersAnswers: true });
    await look(new Date(Date.now() + 7_400_000));
    expect(await registration()).toBe('registered');
    const sent = await send();
    expect([sent.status, sent.headers['warning-fields']]).toEqual([201, undefined]);
  });

  it('are known by the service of the practice, and by any that the number is in already', async () => {
    double.services.set(SERVICE, service('VERIFIED')).set(OTHER_SERVICE, service('FAILED'));
    const [own, foreign] = [await buyer('+19195550110'), await buyer('+18285550110')];
    const { organizationId } = own.who;
    await test.database.prisma.securityPolicy.create({ data: { organizationId, messagingServiceSid: OTHER_SERVICE } });
    const third = `MG${'c'.repeat(32)}`;
    double.services.set(third, { ...service('VERIFIED'), numbers: [foreign.id] });
    await look();
    expect(double.services.get(OTHER_SERVICE)?.numbers).toEqual([own.id]);
    expect(await Promise.all([own.registration(), foreign.registration()])).toEqual(['unregistered', 'registered']);
    double.services.delete(third);
  });

  it('leave from a toll-free number once it is verified', async () => {
    const { id, registration } = await buyer('+18335550110');
    const statuses = [undefined, 'PENDING_REVIEW', 'TWILIO_REJECTED', 'TWILIO_APPROVED'];
    const states: string[] = [];
    for (const [hours, status] of statuses.entries()) {
      if (status !== undefined) double.verifications.set(id, status);
      await look(new Date(Date.now() + hours * 3_700_000));
      states.push(await registration());
    }
    expect(states).toEqual(['unregistered', 'pending', 'unregistered', 'registered']);
  });

  it('wait for an answer of the carrier, and the account is not right while its service keeps what patients answer', async () => {
    double.services.set(SERVICE, { ...service('VERIFIED'), defersAnswers: false });
    const { registration } = await buyer('+12525550110');
    double.fail('GET', '/v1/Services', { status: 500 });
    await expect(look()).rejects.toThrow('the carrier answered 500');
    expect(await registration()).toBe('unknown');
    await look(new Date(Date.now() + 1_000_000));
    expect(await registration()).toBe('registered');
  });
});
