import twilio from 'twilio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { statusAddress } from '../../src/gateways/carrier/carrier.ts';
import { createTwilioCarrier } from '../../src/gateways/carrier/twilio-carrier.ts';
import { describeReason } from '../../src/http/wire/text-reasons.ts';
import { createTestDatabase } from '../support/app.ts';
import { ACCOUNT, TOKEN } from './twilio-double.ts';

const HOOK = 'https://clinic.example/webhooks/carrier';

let database: Database;
const carrier = () => createTwilioCarrier({ accountSid: ACCOUNT, authToken: TOKEN, webhookUrl: HOOK, db: database.prisma });
beforeAll(async () => {
  database = openDatabase({ url: await createTestDatabase(), poolSize: 2 });
});
afterAll(() => database.close());

describe('requests of Twilio', () => {
  const signed = (form: Record<string, string>, token = TOKEN) => ({
    url: HOOK,
    form,
    headers: { 'x-twilio-signature': twilio.getExpectedTwilioSignature(token, HOOK, form) },
  });
  const ends = { From: '+19105550101', To: '+19105550100' };
  const parties = { from: '+19105550101', to: '+19105550100' };
  const now = expect.any(Date);

  it.each(['21408', '21610', '30003', '30004', '30005', '30006', '30007', '30022', '30032', '30033', '30034', '30035', '30450', '30453'])(
    'that say that a text failed with the error %s say why in words',
    async (ErrorCode) => {
      const [event] = await carrier().readWebhook(signed({ MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode }));
      const reason = event?.kind === 'status' ? event.reason : null;
      expect([reason === ErrorCode, describeReason(reason)]).toEqual([false, expect.not.stringMatching(describeReason('99999') ?? '')]);
    },
  );

  it.each([
    [
      { MessageSid: 'SM1', MessageStatus: 'sent', ...ends },
      { kind: 'status', id: 'SM1', reference: null, state: 'sent', reason: null, at: now },
    ],
    [
      { MessageSid: 'SM1', MessageStatus: 'delivered' },
      { kind: 'status', id: 'SM1', reference: null, state: 'delivered', reason: null, at: now },
    ],
    [
      { MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: '30003' },
      { kind: 'status', id: 'SM1', reference: null, state: 'failed', reason: 'unreachable', at: now },
    ],
    [
      { MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: '21610' },
      { kind: 'status', id: 'SM1', reference: null, state: 'failed', reason: 'opted_out', at: now },
    ],
    [
      { MessageSid: 'SM2', SmsStatus: 'received', Body: 'Y', ...ends },
      { kind: 'text', id: 'SM2', ...parties, body: 'Y', at: now },
    ],
    [
      { MessageSid: 'SM2', SmsStatus: 'received', Body: 'Basta', OptOutType: 'STOP', ...ends },
      { kind: 'text', id: 'SM2', ...parties, body: 'Basta', at: now, optOut: 'stop' },
    ],
    [
      {
        MessageSid: 'MM3',
        SmsStatus: 'received',
        Body: '',
        NumMedia: '2',
        MediaUrl0: 'https://a.example/1',
        MediaUrl1: 'https://a.example/2',
        ...ends,
      },
      { kind: 'text', id: 'MM3', ...parties, body: '', at: now, pictures: ['https://a.example/1', 'https://a.example/2'] },
    ],
    [
      { CallSid: 'CA1', CallStatus: 'ringing', Direction: 'inbound', ...ends },
      { kind: 'call', id: 'CA1', ...parties, status: 'ringing', startedAt: now, endedAt: null },
    ],
    [
      { CallSid: 'CA1', CallStatus: 'completed', CallDuration: '60', Timestamp: 'Sat, 08 Mar 2031 10:01:00 +0000', ...ends },
      {
        kind: 'call',
        id: 'CA1',
        ...parties,
        status: 'completed',
        startedAt: new Date('2031-03-08T10:00:00Z'),
        endedAt: new Date('2031-03-08T10:01:00Z'),
      },
    ],
    [
      { CallSid: 'CA1', RecordingSid: 'RE1', RecordingUrl: 'https://api.twilio.com/RE1', RecordingDuration: '9', ...ends },
      {
        kind: 'voice_message',
        id: 'RE1',
        ...parties,
        transcript: null,
        durationSeconds: 9,
        recordingUrl: 'https://api.twilio.com/RE1',
        at: now,
      },
    ],
    [
      { CallSid: 'CA1', RecordingSid: 'RE1', TranscriptionText: 'Call me', ...ends },
      { kind: 'voice_message', id: 'RE1', ...parties, transcript: 'Call me', durationSeconds: null, recordingUrl: null, at: now },
    ],
  ])('say %j', async (form, event) => {
    expect(await carrier().readWebhook(signed({ ...form }))).toEqual([event]);
  });

  it.each([
    { MessageSid: 'SM1', MessageStatus: 'queued' },
    { MessageSid: 'SM1', MessageStatus: 'sending' },
    { CallSid: 'CA2', CallStatus: 'completed', Direction: 'outbound-api', ...ends },
    { CallSid: 'CA1', RecordingSid: 'RE1', RecordingStatus: 'completed' },
  ])('that are no news, such as %j, say nothing', async (form) => {
    expect(await carrier().readWebhook(signed({ ...form }))).toEqual([]);
  });

  it('name the text that they are about, by the address that it was handed over with', async () => {
    const url = statusAddress(HOOK, 'text-1-2');
    const form = { MessageSid: 'SM1', MessageStatus: 'sent' };
    const headers = { 'x-twilio-signature': twilio.getExpectedTwilioSignature(TOKEN, url, form) };
    expect(await carrier().readWebhook({ url, form, headers })).toMatchObject([{ id: 'SM1', reference: 'text-1-2' }]);
    const another = { url: statusAddress(HOOK, 'text-1-3'), form, headers };
    await expect(carrier().readWebhook(another)).rejects.toMatchObject({ code: 'wrong_signature' });
  });

  const good = signed({ MessageSid: 'SM1', MessageStatus: 'sent' });
  it.each([
    ['another body', { ...good, form: { ...good.form, MessageStatus: 'delivered' } }],
    ['another address', { ...good, url: `${HOOK}?more=1` }],
    ['no signature', { ...good, headers: {} }],
    ['two signatures', { ...good, headers: { 'x-twilio-signature': ['a', 'b'] } }],
    ['a foreign token', signed(good.form, 'some-other-token')],
  ])('with %s are refused', async (_, request) => {
    await expect(carrier().readWebhook(request)).rejects.toMatchObject({ code: 'wrong_signature' });
  });

  it('that say nothing at all are refused as malformed', async () => {
    await expect(carrier().readWebhook(signed({ Hello: 'there' }))).rejects.toMatchObject({ code: 'malformed' });
  });
});

describe('answers to Twilio', () => {
  it('that need nothing are empty', () => {
    expect(carrier().respond({ kind: 'nothing' })).toEqual({
      contentType: 'text/xml; charset=utf-8',
      body: '<?xml version="1.0" encoding="UTF-8"?><Response/>',
    });
  });

  it('reject a call', () => {
    expect(carrier().respond({ kind: 'reject' }).body).toContain('<Response><Reject/></Response>');
  });

  it('take a message, whatever the practice is called, and have its words told', () => {
    const { body } = carrier().respond({ kind: 'take_message', greeting: 'You have reached <Smith & Sons>.' });
    expect(body).toContain('<Say>You have reached &lt;Smith &amp; Sons&gt;.</Say><Record');
    expect(body).toContain(`transcribe="true" transcribeCallback="${HOOK}"`);
  });
});
