import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { jobCaller } from '../../src/domain/caller.ts';
import { MAX_FETCHED_BYTES } from '../../src/domain/messaging/attachments/due-files.ts';
import { recordVoiceMessage } from '../../src/domain/messaging/calls/voice-messages.ts';
import { CarrierRefusal } from '../../src/gateways/carrier/carrier.ts';
import { fetchPictures, fetchRecordings } from '../../src/jobs/calls/fetch-files.ts';
import { createNumber } from '../apis/mobile/messaging/numbers.ts';
import { sendWebhook } from '../callbacks/signing.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';
import { anyNumber } from '../support/phone-numbers.ts';

/** The beginning of an MP3 file, and further bytes. */
const SOUND = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(2_000)]);
const URL_OF_IT = 'https://api.twilio.com/RE1';

const test = await ownTestApp();
const { gateways } = test.services;
let who: Awaited<ReturnType<typeof signedInUser>>;
beforeEach(async () => {
  who = await signedInUser(test);
  // Each test sees only its own message.
  await rows().voicePagerMessage.updateMany({ data: { recordingDueAt: null } });
  await rows().textPicture.updateMany({ data: { dueAt: null } });
});

const rows = () => test.database.prisma;

/**
 * Stores a message whose recording the carrier has.
 * @returns its id
 */
async function message(): Promise<number> {
  const { organizationId } = who;
  const { number: to } = await createNumber(test, organizationId, { number: anyNumber('1984') });
  const event = { kind: 'voice_message', from: '+13365550140', to, transcript: null, durationSeconds: 9, at: new Date() } as const;
  const carrierId = randomUUID();
  for (const recordingUrl of [null, URL_OF_IT])
    await test.services.unitOfWork.write(jobCaller(organizationId, 'test'), (tx) =>
      recordVoiceMessage(tx, { ...event, id: carrierId, recordingUrl }),
    );
  return (await rows().voicePagerMessage.findFirstOrThrow({ where: { organizationId, carrierId } })).id;
}
const find = (id: number) =>
  rows().voicePagerMessage.findUniqueOrThrow({ where: { organizationId_id: { organizationId: who.organizationId, id } } });
const run = (fetchRecording: (url: string) => Promise<Readable>, files = gateways.files) =>
  fetchRecordings({
    ...test.services,
    findSenders: async () => ({ carrier: { ...gateways.carrier, fetchRecording } }),
    store: { db: rows(), files },
  });
const sound = async () => Readable.from([SOUND]);
const makeDue = (id: number) =>
  rows().voicePagerMessage.updateMany({ where: { id, organizationId: who.organizationId }, data: { recordingDueAt: new Date() } });
const left = async () => ({
  unclaimed: await rows().unclaimedFile.count({ where: { organizationId: who.organizationId } }),
  attachments: await rows().attachment.count({ where: { organizationId: who.organizationId } }),
});

describe('the recording of a message', () => {
  it('becomes its attachment, once, though several look at the same time', async () => {
    const id = await message();
    const asked: string[] = [];
    const slow = async (url: string) => {
      asked.push(url);
      return sound();
    };
    await Promise.all([run(slow), run(slow), run(slow)]);
    await run(slow);
    expect(asked).toEqual([URL_OF_IT]);
    expect(await find(id)).toMatchObject({ recordingDueAt: null, recordingAttempts: 1 });
    const { body } = await who.get('/voice-pager-number-messages');
    expect(body.data).toMatchObject([
      { uuid: id, attachment: { file_name: `voice-message-${id}.mp3`, media_type: 'audio/mpeg', byte_length: SOUND.length } },
    ]);
    const { pathname } = new URL(body.data[0].attachment.url);
    const content = await who
      .get(pathname)
      .buffer(true)
      .parse((response, done) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => void chunks.push(chunk));
        response.on('end', () => done(null, Buffer.concat(chunks)));
      });
    expect(content.body).toEqual(SOUND);
    const events = await rows().event.findMany({
      where: { organizationId: who.organizationId, subjectId: id, subjectType: 'voice_pager_message' },
      orderBy: { id: 'asc' },
    });
    expect(events.map(({ name, changed }) => [name, changed])).toEqual([
      ['voice_message.received', []],
      ['voice_message.changed', ['recordingUrl']],
      ['voice_message.changed', ['attachment']],
    ]);
  });

  it('is tried again later, each time after a longer while, and then there', async () => {
    const id = await message();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await expect(run(() => Promise.reject(new Error('not now')))).rejects.toThrow('not now');
      const { recordingDueAt } = await find(id);
      waits.push(Math.round(((recordingDueAt?.getTime() ?? 0) - Date.now()) / 10_000));
      await run(sound);
      expect(await find(id)).toMatchObject({ attachmentId: null });
      await makeDue(id);
    }
    expect(waits).toEqual([2, 4, 8]);
    await run(sound);
    expect(await find(id)).toMatchObject({ attachmentId: expect.any(Number), recordingAttempts: 4 });
  });

  it('that breaks off, or cannot be stored, leaves no bytes behind and comes with the next attempt', async () => {
    const id = await message();
    const broken = async () =>
      Readable.from(
        (async function* () {
          yield SOUND;
          throw new Error('cut');
        })(),
      );
    await expect(run(broken)).rejects.toThrow();
    await makeDue(id);
    const full = { ...gateways.files, write: () => Promise.reject(new Error('no space')) };
    await expect(run(sound, full)).rejects.toThrow();
    expect(await left()).toEqual({ unclaimed: 0, attachments: 0 });
    await makeDue(id);
    await run(sound);
    expect(await left()).toEqual({ unclaimed: 0, attachments: 1 });
  });

  it.each([
    ['the carrier has none', () => Promise.reject(new CarrierRefusal('no_recording', 'gone'))],
    ['it is larger than a file may be', async () => Readable.from([Buffer.alloc(MAX_FETCHED_BYTES), Buffer.alloc(1)])],
  ])('is given up where %s', async (_, fetchRecording) => {
    const id = await message();
    await run(fetchRecording);
    expect(await find(id)).toMatchObject({ attachmentId: null, recordingDueAt: null });
    expect(await rows().event.count({ where: { organizationId: who.organizationId, name: 'voice_message.recording_lost' } })).toBe(1);
    expect(await left()).toEqual({ unclaimed: 0, attachments: 0 });
  });

  it('is given up after the last attempt', async () => {
    const id = await message();
    await rows().voicePagerMessage.updateMany({ where: { id, organizationId: who.organizationId }, data: { recordingAttempts: 13 } });
    await run(() => Promise.reject(new Error('not now')));
    expect(await find(id)).toMatchObject({ attachmentId: null, recordingDueAt: null, recordingAttempts: 14 });
  });

  it('is not there at the local carrier, which records nothing', async () => {
    const id = await message();
    await run(gateways.carrier.fetchRecording);
    expect(await find(id)).toMatchObject({ attachmentId: null, recordingDueAt: null });
  });
});

describe('a picture that comes with a text', () => {
  const take = async (form: Partial<Record<'body' | 'pictures', string>>) => {
    const { number: to } = await createNumber(test, who.organizationId, { number: anyNumber('1984') });
    const from = anyNumber();
    const text = { kind: 'text', id: `SM-${randomUUID()}`, from, to, body: '', at: new Date().toISOString(), ...form };
    expect((await sendWebhook(test, text)).status).toBe(200);
    return from;
  };
  const fetchAll = (carrier = gateways.carrier, files = gateways.files) =>
    fetchPictures({ ...test.services, findSenders: async () => ({ carrier }), store: { db: rows(), files } });
  const readMessage = async (from: string) => (await who.get(`/conversations/${from}/messages`).expect(200)).body.data[0];

  it('is no empty text: it waits in the inbox, and becomes an attachment that staff see', async () => {
    const from = await take({ pictures: '2' });
    expect(await readMessage(from)).toMatchObject({
      message: '',
      pictures: [{ state: 'waiting', attachment: null }, { state: 'waiting' }],
    });
    await fetchAll();
    await fetchAll();
    const { pictures } = await readMessage(from);
    expect(pictures).toMatchObject([{ state: 'stored', attachment: { media_type: 'image/png' } }, { state: 'stored' }]);
    await who.get(new URL(pictures[0].attachment.url).pathname).expect(200);
    const [item] = (await who.get('/inbox')).body.data;
    expect((await who.get(`/inbox/${item.uuid}`)).body.data.entries).toMatchObject([{ kind: 'text', text: '', pictures: 2 }]);
    expect((await who.get('/sms-messages')).body.data[0].pictures).toEqual(pictures);
  });

  it('is seen by nobody who may not see its patient', async () => {
    const from = await take({ body: 'My rash', pictures: '1' });
    await fetchAll();
    const [{ attachment }] = (await readMessage(from)).pictures;
    const { organizationId } = who;
    const { id: patientId } = await createPatient(rows(), { organizationId, mobilePhone: from });
    await rows().privacyRestriction.create({ data: { organizationId, patientId, kind: 'record' } });
    await who.get(new URL(attachment.url).pathname).expect(404);
    expect((await who.get('/sms-messages')).body.data[0]).toMatchObject({ message: null, pictures: [] });
  });

  it.each([
    ['a program', async () => Readable.from([Buffer.concat([Buffer.from('MZ'), Buffer.alloc(600)])])],
    ['larger than an upload', async () => Readable.from([Buffer.alloc(MAX_FETCHED_BYTES), Buffer.alloc(1)])],
    ['gone', () => Promise.reject(new CarrierRefusal('no_picture', 'gone'))],
  ])('is lost where it is %s, and leaves nothing', async (_, fetchPicture) => {
    const from = await take({ body: 'See', pictures: '1' });
    await fetchAll({ ...gateways.carrier, fetchPicture });
    expect((await readMessage(from)).pictures).toEqual([{ state: 'lost', attachment: null }]);
    expect(await left()).toEqual({ unclaimed: 0, attachments: 0 });
    expect(await rows().event.count({ where: { organizationId: who.organizationId, name: 'text.picture_lost' } })).toBe(1);
  });
});
