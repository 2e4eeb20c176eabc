import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CarrierRefusal } from '../../src/gateways/carrier/carrier.ts';
import { fetchTwilioRecording } from '../../src/gateways/carrier/twilio-recordings.ts';
import { ACCOUNT, startTwilioDouble, TOKEN, type TwilioDouble } from './twilio-double.ts';

let double: TwilioDouble;
beforeAll(async () => {
  double = await startTwilioDouble();
});
afterAll(() => double.close());
beforeEach(() => {
  double.requests.length = 0;
  double.recordings.set('RE1', Buffer.from('sound'));
});

const PATH = `/2010-04-01/Accounts/${ACCOUNT}/Recordings/RE1`;
const get = (url: string, authToken = TOKEN) => fetchTwilioRecording({ accountSid: ACCOUNT, authToken, baseUrl: double.url }, url);

describe('a recording at Twilio', () => {
  it('is fetched with the account, from the address that the configuration names', async () => {
    for (const origin of ['https://api.twilio.com', double.url])
      expect((await buffer(await get(`${origin}${PATH}`))).toString()).toBe('sound');
    expect(double.requests).toEqual([`GET ${PATH}.mp3`, `GET ${PATH}.mp3`]);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    `https://api.twilio.com.evil.example${PATH}`,
    `https://api.twilio.com@evil.example${PATH}`,
    `https://evil.example/https://api.twilio.com${PATH}`,
    `http://api.twilio.com${PATH}`,
    `https://api.twilio.com${PATH}/../../../x`,
    `https://api.twilio.com${PATH}?x=1`,
    'https://api.twilio.com/2010-04-01/Accounts/AC1/Recordings/RE1',
    'file:///etc/passwd',
    '',
  ])('is not looked for at %s: nobody is asked', async (url) => {
    await expect(get(url)).rejects.toMatchObject({ code: 'no_recording' });
    expect(double.requests).toEqual([]);
  });

  it.each([404, 429, 500, 302])('that is answered with %s may come later, and no redirection is followed', async (status) => {
    double.fail('GET', 'RE1.mp3', { status });
    const failed = await get(`${double.url}${PATH}`).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(Error);
    expect(failed).not.toBeInstanceOf(CarrierRefusal);
    expect(String(failed)).not.toContain('RE1');
    expect(double.requests).toHaveLength(1);
  });

  it('that was deleted is given up', async () => {
    double.fail('GET', 'RE1.mp3', { status: 410 });
    await expect(get(`${double.url}${PATH}`)).rejects.toMatchObject({ code: 'no_recording' });
  });

  it('is not given to whoever does not know the account’s password', async () => {
    await expect(get(`${double.url}${PATH}`, 'some-other-token')).rejects.toThrow('the carrier answered 401');
  });
});
