import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { jobCaller } from '../../src/domain/caller.ts';
import { MAX_RECORDING_BYTES } from '../../src/domain/messaging/calls/recordings.ts';
import { recordVoiceMessage } from '../../src/domain/messaging/calls/voice-messages.ts';
import { CarrierRefusal } from '../../src/gateways/carrier/carrier.ts';
import { fetchRecordings } from '../../src/jobs/calls/fetch-recordings.ts';
import { createNumber } from '../apis/mobile/messaging/numbers.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
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
    await test.services.unitOfWork.write(jobCaller(organizationId, 'test'), (db, caller) =>
      recordVoiceMessage(db, caller, { ...event, id: carrierId, recordingUrl }),
    );
  return (await rows().voicePagerMessage.findFirstOrThrow({ where: { organizationId, carrierId } })).id;
}
const find = (id: number) =>
  rows().voicePagerMessage.findUniqueOrThrow({ where: { organizationId_id: { organizationId: who.organizationId, id } } });
const run = (fetchRecording: (url: string) => Promise<Readable>, files = gateways.files) =>
  fetchRecordings({ ...test.services, carrier: { ...gateways.carrier, fetchRecording }, store: { db: rows(), files } });
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
    ['it is larger than a file may be', async () => Readable.from([Buffer.alloc(MAX_RECORDING_BYTES), Buffer.alloc(1)])],
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
