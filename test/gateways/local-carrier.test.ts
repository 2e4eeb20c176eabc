import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { createKeyring } from '../../src/database/encryption/keyring.ts';
import type { Carrier } from '../../src/gateways/carrier/carrier.ts';
import { createLocalCarrier, LOCAL_SIGNATURE, signLocalForm } from '../../src/gateways/carrier/local-carrier.ts';
import { isInInventory, listInventory } from '../../src/gateways/carrier/local-number-inventory.ts';
import { createTestDatabase } from '../support/app.ts';
import { arrivedTexts } from '../support/arrived.ts';

const keyring = createKeyring([
  { id: 'new', key: Buffer.alloc(32, 7) },
  { id: 'old', key: Buffer.alloc(32, 9) },
]);
const URL_OF_HOOK = 'https://clinic.example/webhooks/carrier';

let database: Database;
let carrier: Carrier;
beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), poolSize: 10 });
  carrier = createLocalCarrier(database.prisma, keyring);
});
afterAll(() => database.close());

const text = (reference: string, to = '+19105550101') => ({ reference, from: '+19105550100', to, body: 'Hello', statusUrl: null });

describe('texts', () => {
  it('arrive once for one reference, also when handed over ten times at once', async () => {
    const reference = randomUUID();
    const answers = await Promise.all(Array.from({ length: 10 }, () => carrier.sendText(text(reference))));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(await arrivedTexts(database.prisma, keyring, { reference })).toMatchObject([
      { id: answers[0]?.id, fromNumber: '+19105550100', toNumber: '+19105550101', body: 'Hello' },
    ]);
  });

  it('arrive each for references of their own, though they say the same', async () => {
    const [one, other] = await Promise.all([carrier.sendText(text(randomUUID())), carrier.sendText(text(randomUUID()))]);
    expect(one.id).not.toBe(other.id);
  });

  it.each(['', '9105550100', '+0123456789', '+1910555010x', 'anonymous'])('to %j are refused for good', async (to) => {
    const reference = randomUUID();
    await expect(carrier.sendText(text(reference, to))).rejects.toMatchObject({ code: 'invalid_number' });
    expect(await database.prisma.carrierText.count({ where: { reference } })).toBe(0);
  });
});

describe('the stock', () => {
  it.each([
    [{ areaCode: '910' }, 100],
    [{ areaCode: '910', contains: '55501' }, 100],
    [{ areaCode: '910', contains: '555014*' }, 10],
    [{ areaCode: '910', contains: '0142' }, 1],
    [{ areaCode: '910', contains: '19105550142' }, 1],
    [{ areaCode: '910', contains: 'JKL014*' }, 10],
    [{ areaCode: '910', contains: 'jkl01**' }, 100],
    [{ areaCode: '910', contains: '01*9' }, 10],
    [{ areaCode: '910', contains: '212' }, 0],
    [{ areaCode: '211' }, 0],
    [{ areaCode: '555' }, 0],
  ])('for %j has %i', (wanted, count) => {
    expect(listInventory(wanted)).toHaveLength(count);
  });

  it('is made of numbers that are set aside for fiction, whatever is asked for', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[2-9]\d{2}$/), fc.stringMatching(/^[*\da-zA-Z]{0,16}$/), (areaCode, contains) =>
        listInventory({ areaCode, contains }).every(
          (number) => number.startsWith(`+1${areaCode}55501`) && number.length === 12 && isInInventory(number),
        ),
      ),
    );
  });
});

describe('numbers', () => {
  it('are found in order, as many as are wanted, and no longer once they are sold', async () => {
    const wanted = { areaCode: '252', limit: 3 };
    const before = await carrier.searchNumbers(wanted);
    expect(before).toMatchObject([
      { number: '+12525550100', friendlyName: '(252) 555-0100', capabilities: { voice: true, sms: true, fax: true } },
      { number: '+12525550101' },
      { number: '+12525550102' },
    ]);
    const { id } = await carrier.purchaseNumber({ number: '+12525550101', reference: randomUUID() });
    expect((await carrier.searchNumbers(wanted)).map(({ number }) => number)).toEqual(['+12525550100', '+12525550102', '+12525550103']);
    await carrier.releaseNumber(id);
    expect(await carrier.searchNumbers(wanted)).toEqual(before);
  });

  it('are sold once: to one of twenty who ask at once', async () => {
    const asked = Array.from({ length: 20 }, () => carrier.purchaseNumber({ number: '+12525550150', reference: randomUUID() }));
    const answers = await Promise.allSettled(asked);
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    expect(refused).toHaveLength(19);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'number_taken' });
  });

  it('are the same purchase under the same reference, also after they were given back', async () => {
    const order = { number: '+12525550160', reference: randomUUID() };
    const [first, again] = [await carrier.purchaseNumber(order), await carrier.purchaseNumber(order)];
    expect(again).toEqual(first);
    await carrier.releaseNumber(first.id);
    await carrier.releaseNumber(first.id);
    const next = await carrier.purchaseNumber({ ...order, reference: randomUUID() });
    expect(next.id).not.toBe(first.id);
    expect(await carrier.purchaseNumber(order)).toEqual(first);
  });

  it.each(['+12525551234', '+442079460123', '+15555550100'])('that it does not have, such as %s, are refused', async (number) => {
    await expect(carrier.purchaseNumber({ number, reference: randomUUID() })).rejects.toMatchObject({ code: 'number_taken' });
  });
});

describe('requests of the carrier', () => {
  const at = '2031-03-08T10:00:00Z';
  const ends = { id: 'X1', from: '+19105550101', to: '+19105550100' };
  const signed = (form: Record<string, string>, ring = keyring) => ({
    url: URL_OF_HOOK,
    form,
    headers: { [LOCAL_SIGNATURE]: signLocalForm(ring, { url: URL_OF_HOOK, form }) },
  });

  it.each([
    [
      { kind: 'status', id: 'X1', state: 'delivered', at },
      { kind: 'status', id: 'X1', reference: null, state: 'delivered', reason: null, at: new Date(at) },
    ],
    [
      { kind: 'text', ...ends, body: 'Y', at },
      { kind: 'text', ...ends, body: 'Y', at: new Date(at) },
    ],
    [
      { kind: 'call', ...ends, status: 'ringing', startedAt: at },
      { kind: 'call', ...ends, status: 'ringing', startedAt: new Date(at), endedAt: null },
    ],
    [
      { kind: 'voice_message', ...ends, durationSeconds: '12', at },
      { kind: 'voice_message', ...ends, durationSeconds: 12, transcript: null, recordingUrl: null, at: new Date(at) },
    ],
  ])('say %j', async (form, event) => {
    expect(await carrier.readWebhook(signed(form))).toEqual([event]);
  });

  it('signed with a master key that is no longer the first are read', async () => {
    const before = createKeyring([{ id: 'old', key: Buffer.alloc(32, 9) }]);
    expect(await carrier.readWebhook(signed({ kind: 'text', ...ends, body: 'Y', at }, before))).toHaveLength(1);
  });

  const good = signed({ kind: 'text', ...ends, body: 'Y', at });
  it.each([
    ['another body', { ...good, form: { ...good.form, body: 'N' } }],
    ['a field more', { ...good, form: { ...good.form, more: '' } }],
    ['another address', { ...good, url: 'https://elsewhere.example/webhooks/carrier' }],
    ['no signature', { ...good, headers: {} }],
    ['an empty signature', { ...good, headers: { [LOCAL_SIGNATURE]: 'new.' } }],
    ['a key that does not exist', { ...good, headers: { [LOCAL_SIGNATURE]: 'other.AAAA' } }],
    ['a foreign key', signed({ kind: 'text', ...ends, body: 'Y', at }, createKeyring([{ id: 'new', key: Buffer.alloc(32, 8) }]))],
  ])('with %s are refused', async (_, request) => {
    await expect(carrier.readWebhook(request)).rejects.toMatchObject({ code: 'wrong_signature' });
  });

  it.each([{}, { kind: 'fax' }, { kind: 'text', id: 'X1' }, { kind: 'call', ...ends, status: 'ringing', startedAt: 'soon' }])(
    'that say %j are refused as malformed',
    async (form) => {
      await expect(carrier.readWebhook(signed({ ...form }))).rejects.toMatchObject({ code: 'malformed' });
    },
  );
});
