import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CarrierRefusal } from '../../src/gateways/carrier/carrier.ts';
import { fetchTwilioPicture, fetchTwilioRecording } from '../../src/gateways/carrier/twilio-downloads.ts';
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

describe('a picture of a text at Twilio', () => {
  const MEDIA = `/2010-04-01/Accounts/${ACCOUNT}/Messages/MM1/Media/ME1`;
  const see = (url: string) => fetchTwilioPicture({ accountSid: ACCOUNT, authToken: TOKEN, baseUrl: double.url }, url);

  it('is fetched from the store that Twilio names, which is not given the account’s password', async () => {
    double.pictures.set('ME1', { content: Buffer.from('picture') });
    expect((await buffer(await see(`https://api.twilio.com${MEDIA}`))).toString()).toBe('picture');
    expect(double.requests).toEqual([`GET ${MEDIA}`, 'GET /store/ME1']);
  });

  it.each([
    'http://169.254.169.254/latest',
    'https://mms.twiliocdn.com.evil.example/x',
    'http://mms.twiliocdn.com/x',
    'https://s3-external-1.amazonaws.com/other/x',
    'file:///etc/passwd',
    '//evil.example/x',
  ])('is given up where Twilio names %s, which is asked nothing', async (location) => {
    double.pictures.set('ME1', { content: Buffer.from('picture'), location });
    await expect(see(`${double.url}${MEDIA}`)).rejects.toMatchObject({ code: 'no_picture' });
    expect(double.requests).toHaveLength(1);
  });

  it.each([PATH, `${MEDIA}/..`, `${MEDIA}?x=1`, MEDIA.replace(ACCOUNT, 'AC1')])('is not looked for at %s', async (path) => {
    await expect(see(`https://api.twilio.com${path}`)).rejects.toMatchObject({ code: 'no_picture' });
    await expect(see(`https://evil.example${MEDIA}`)).rejects.toMatchObject({ code: 'no_picture' });
    expect(double.requests).toEqual([]);
  });
});
