import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import type { Carrier } from '../../src/gateways/carrier/carrier.ts';
import { createCarrier } from '../../src/gateways/carrier/create-carrier.ts';
import { createTwilioCarrier } from '../../src/gateways/carrier/twilio-carrier.ts';
import { createTestDatabase } from '../support/app.ts';
import { ACCOUNT, startTwilioDouble, TOKEN, type TwilioDouble } from './twilio-double.ts';

const KEY = `k:${randomBytes(32).toString('base64')}`;
const HOOK = 'https://clinic.example/webhooks/carrier';

let database: Database;
let double: TwilioDouble;
let carrier: Carrier;
const carrierWith = (options: { authToken?: string; settleMs?: number; timeoutMs?: number; messagingServiceSid?: string } = {}) =>
  createTwilioCarrier({
    accountSid: ACCOUNT,
    authToken: TOKEN,
    baseUrl: double.url,
    webhookUrl: HOOK,
    db: database.prisma,
    settleMs: 0,
    ...options,
  });

beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), poolSize: 10 });
});
afterAll(() => database.close());
beforeEach(async () => {
  double = await startTwilioDouble();
  carrier = carrierWith();
  return () => double.close();
});

const text = (reference: string = randomUUID(), body = 'Hello') => ({
  reference,
  from: '+19105550100',
  to: '+19105550101',
  body,
  statusUrl: `${HOOK}?text=1`,
});
/** An error that is not a refusal, so that a retry follows. */
const passing = expect.not.objectContaining({ code: expect.anything() });

it('is the carrier where the configuration says so, and the local one is it otherwise', async () => {
  const config = readConfig({
    NODE_ENV: 'test',
    DATA_DIR: join(tmpdir(), 'unused'),
    MASTER_KEYS: KEY,
    PUBLIC_URL: 'https://clinic.example',
  });
  const keyring = createKeyring(config.MASTER_KEYS);
  expect((await createCarrier(config, database, keyring)).name).toBe('local');
  const chosen = {
    ...config,
    TRIPTYCH_CARRIER: 'twilio',
    TWILIO_ACCOUNT_SID: ACCOUNT,
    TWILIO_AUTH_TOKEN: TOKEN,
    TWILIO_BASE_URL: double.url,
  } as const;
  const configured = await createCarrier(chosen, database, keyring);
  expect(configured.name).toBe('twilio');
  await configured.purchaseNumber({ number: '+19105550110', reference: 'number-1-1' });
  expect(double.numbers).toMatchObject([{ sms_url: HOOK }]);
});

describe('texts', () => {
  it('are handed over with the address for what becomes of them', async () => {
    const { id } = await carrier.sendText(text());
    expect(double.messages).toMatchObject([{ sid: id, from: '+19105550100', to: '+19105550101', body: 'Hello' }]);
    expect(double.requests).toEqual([`POST /2010-04-01/Accounts/${ACCOUNT}/Messages.json`]);
  });

  it('are sent once for one reference', async () => {
    const one = text();
    const [first, again] = [await carrier.sendText(one), await carrier.sendText(one)];
    expect(again).toEqual(first);
    expect(double.messages).toHaveLength(1);
  });

  it('whose answer was lost are found again and not sent a second time', async () => {
    const one = text();
    double.fail('POST', '/Messages.json', 'lost');
    await expect(carrier.sendText(one)).rejects.toEqual(passing);
    const { id } = await carrier.sendText(one);
    expect(double.messages.map(({ sid }) => sid)).toEqual([id]);
    expect(await carrier.sendText(one)).toEqual({ id });
  });

  it('that never arrived are sent by the next attempt', async () => {
    const one = text();
    double.fail('POST', '/Messages.json', { status: 503 });
    await expect(carrier.sendText(one)).rejects.toEqual(passing);
    expect(double.messages).toHaveLength(0);
    await carrier.sendText(one);
    expect(double.messages).toHaveLength(1);
  });

  it('that say the same as another are not taken for it', async () => {
    const other = await carrier.sendText(text());
    const one = text();
    double.fail('POST', '/Messages.json', { status: 500 });
    await expect(carrier.sendText(one)).rejects.toEqual(passing);
    const { id } = await carrier.sendText(one);
    expect(id).not.toBe(other.id);
    expect(double.messages).toHaveLength(2);
  });

  it('whose answer is still out are not sent a second time meanwhile', async () => {
    const patient = carrierWith({ settleMs: 60_000 });
    const one = text();
    double.fail('POST', '/Messages.json', 'lost');
    await expect(patient.sendText(one)).rejects.toEqual(passing);
    await expect(patient.sendText(one)).rejects.toEqual(passing);
    expect(double.messages).toHaveLength(1);
  });

  it('are not sent a second time by a clock that is ahead of Twilio’s', async () => {
    const one = text();
    double.fail('POST', '/Messages.json', 'lost');
    await expect(carrier.sendText(one)).rejects.toEqual(passing);
    const [message] = double.messages;
    if (message) message.date_created = new Date(Date.now() - 3_600_000).toUTCString();
    expect(await carrier.sendText(one)).toEqual({ id: message?.sid });
    expect(double.messages).toHaveLength(1);
  });

  it('are given up on when Twilio does not answer, and looked for later', async () => {
    const hasty = carrierWith({ timeoutMs: 200 });
    const one = text();
    double.fail('POST', '/Messages.json', 'silent');
    await expect(hasty.sendText(one)).rejects.toEqual(passing);
    await hasty.sendText(one);
    expect(double.messages).toHaveLength(1);
  });

  it.each([
    [{ status: 400, code: 21610 }, 'opted_out'],
    [{ status: 400, code: 21211 }, 'invalid_number'],
    [{ status: 400, code: 21614 }, 'invalid_number'],
    [{ status: 400, code: 21408 }, 'region_not_enabled'],
    [{ status: 404 }, 'refused'],
  ])('refused with %j are refused for good as %s, without the number in the words', async (fault, code) => {
    double.fail('POST', '/Messages.json', fault);
    await expect(carrier.sendText(text())).rejects.toMatchObject({ code, message: expect.not.stringContaining('910') });
  });

  it.each([401, 429, 500, 502, 503])('answered with %i are worth another attempt, and the error tells no number', async (status) => {
    double.fail('POST', '/Messages.json', { status });
    const error: unknown = await carrier.sendText(text()).catch((reason: unknown) => reason);
    expect(error).toEqual(passing);
    expect(error).toMatchObject({ message: `the carrier answered ${status}` });
    expect(error).not.toHaveProperty('cause');
  });

  it('refused once may be handed over again, without a search', async () => {
    const one = text();
    double.fail('POST', '/Messages.json', { status: 429 });
    await expect(carrier.sendText(one)).rejects.toEqual(passing);
    await carrier.sendText(one);
    expect(double.requests.filter((line) => line.startsWith('GET'))).toEqual([]);
    expect(double.messages).toHaveLength(1);
  });

  it('do not leave with a wrong token, and may leave later', async () => {
    const one = text();
    await expect(carrierWith({ authToken: 'some-other-token' }).sendText(one)).rejects.toEqual(passing);
    await carrier.sendText(one);
    expect(double.messages).toHaveLength(1);
  });
});

describe('numbers', () => {
  it('are searched as asked', async () => {
    expect(await carrier.searchNumbers({ areaCode: '910', contains: '555*11', limit: 1 })).toEqual([
      {
        number: '+19105550110',
        friendlyName: '(910) 555-0110',
        locality: 'Wilmington',
        region: 'NC',
        capabilities: { voice: true, sms: true, fax: false },
      },
    ]);
    expect(double.requests[0]).toMatch(/^GET .*\/AvailablePhoneNumbers\/US\/Local\.json\?/);
    expect(decodeURIComponent(double.requests[0] ?? '')).toContain('AreaCode=910&Contains=555*11');
  });

  it('are bought under their reference, with the address for what comes in', async () => {
    const order = { number: '+19105550110', reference: 'number-1-1' };
    const { id } = await carrier.purchaseNumber(order);
    expect(double.numbers).toMatchObject([{ sid: id, phone_number: order.number, friendly_name: 'number-1-1', sms_url: HOOK }]);
    expect(await carrier.purchaseNumber(order)).toEqual({ id });
    expect(double.numbers).toHaveLength(1);
  });

  it('whose purchase was answered to nobody are found again', async () => {
    const order = { number: '+19105550110', reference: 'number-1-1' };
    double.fail('POST', '/IncomingPhoneNumbers.json', 'lost');
    await expect(carrier.purchaseNumber(order)).rejects.toEqual(passing);
    expect(await carrier.purchaseNumber(order)).toEqual({ id: double.numbers[0]?.sid });
    expect(double.numbers).toHaveLength(1);
  });

  it('are the same purchase for several processes at once', async () => {
    const order = { number: '+19105550110', reference: 'number-1-1' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => carrier.purchaseNumber(order)));
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([double.numbers[0]?.sid]));
  });

  it('that somebody else has are refused for good', async () => {
    await carrier.purchaseNumber({ number: '+19105550110', reference: 'number-1-1' });
    await expect(carrier.purchaseNumber({ number: '+19105550110', reference: 'number-2-1' })).rejects.toMatchObject({
      code: 'number_taken',
    });
    double.fail('POST', '/IncomingPhoneNumbers.json', { status: 400, code: 21422 });
    await expect(carrier.purchaseNumber({ number: '+19105550111', reference: 'number-1-2' })).rejects.toMatchObject({
      code: 'number_taken',
    });
  });

  it('are given back, also twice', async () => {
    const { id } = await carrier.purchaseNumber({ number: '+19105550110', reference: 'number-1-1' });
    await carrier.releaseNumber(id);
    await carrier.releaseNumber(id);
    expect(double.numbers).toEqual([]);
    double.fail('DELETE', `/${id}.json`, { status: 503 });
    await expect(carrier.releaseNumber(id)).rejects.toEqual(passing);
  });

  it('are sought among toll-free ones by their area code', async () => {
    await carrier.searchNumbers({ areaCode: '833', limit: 1 });
    expect(double.requests.at(-1)).toContain('/AvailablePhoneNumbers/US/TollFree.json');
  });

  it('need a messaging service that leaves answers to them', async () => {
    const messagingServiceSid = `MG${'a'.repeat(32)}`;
    const withService = carrierWith({ messagingServiceSid });
    double.services.set(messagingServiceSid, { numbers: [], campaign: null, defersAnswers: false });
    await expect(withService.check()).rejects.toMatchObject({ code: 'answers_go_elsewhere' });
    double.services.set(messagingServiceSid, { numbers: [], campaign: null, defersAnswers: true });
    await withService.check();
  });
});
