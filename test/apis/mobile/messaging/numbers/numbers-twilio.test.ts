import { describe, expect, it } from 'vitest';
import { ACCOUNT, startTwilioDouble, TOKEN } from '../../../../gateways/twilio-double.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { closedAfterAll, ownTestApp } from '../../../../support/app.ts';
import { addPhoneNumber } from '../../../../support/phone-numbers.ts';
import { letDayPass, reconcileOrders } from '../numbers.ts';

const double = await closedAfterAll(startTwilioDouble());
const test = await ownTestApp({
  TRIPTYCH_CARRIER: 'twilio',
  TWILIO_ACCOUNT_SID: ACCOUNT,
  TWILIO_AUTH_TOKEN: TOKEN,
  TWILIO_BASE_URL: double.url,
});

const admin = () => signedInUser(test, { type: 'admin' });
const rowsOf = (number: string) => test.database.prisma.phoneNumber.findMany({ where: { number } });

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
    expect(await rowsOf(number)).toMatchObject([{ state: 'active', carrier: 'twilio', carrierId: bought?.sid }]);
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
    expect(await rowsOf(number)).toEqual([]);
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
