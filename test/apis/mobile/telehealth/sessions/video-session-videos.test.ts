import { BufferSource, BufferTarget, Conversion, EncodedPacketSink, Input, Mp4OutputFormat, Output, WEBM as WEBM_FORMAT } from 'mediabunny';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { PNG, storedFiles } from '../../messaging/attachments/uploading.ts';
import { type Person, uuids } from '../../people/people.ts';
import { audited, bytesAt, createSession, createVisit, newPatient, sendMedia, WEBM } from '../telehealth.ts';

const test = await sharedTestApp();
const person: Person = await signedInUser(test);

const db = () => test.database.prisma;

const keep = (who: Person, key: number | string, parts: Record<string, Uint8Array | string>, headers = {}) =>
  sendMedia(test, who, `/video-session/${key}/videos`, parts, headers);

/** Properties of a file, as a player reads them. */
async function playable(content: Uint8Array) {
  const input = new Input({ formats: [WEBM_FORMAT], source: new BufferSource(new Uint8Array(content)) });
  const packets: Record<string, number> = {};
  for (const track of await input.getTracks()) {
    for await (const _ of new EncodedPacketSink(track).packets()) packets[track.type] = (packets[track.type] ?? 0) + 1;
  }
  // Cues: the index of key frames.
  return { length: await input.getDurationFromMetadata(), cues: Buffer.from(content).includes(Buffer.from('1c53bb6b', 'hex')), packets };
}

describe('keeping a recording', () => {
  it('makes it one in which a player can jump, with all its pictures and sounds, and a thumbnail of the still', async () => {
    const { id, guid } = await createSession(test, person);
    const sent = await playable(WEBM);
    expect([sent.length, sent.cues]).toEqual([null, false]);
    const still = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#336699' } })
      .png()
      .toBuffer();
    const answer = await keep(person, guid, { file: WEBM, thumbnail: still, title: 'Range of motion' });
    expect(answer.status, answer.text).toBe(201);
    const { data } = answer.body;
    expect(data).toEqual({
      uuid: expect.any(Number),
      title: 'Range of motion',
      video_session_uuid: id,
      video_session_guid: guid,
      host_user_id: person.user.id,
      user_id: person.user.id,
      maker_user_id: person.user.id,
      patient_uuid: null,
      patients: [],
      body_site: null,
      file_name: 'recording.webm',
      media_type: 'video/webm',
      byte_length: expect.any(Number),
      width: 160,
      height: 120,
      duration_seconds: 2,
      seekable: true,
      playable: true,
      url: `${test.address}/video-session-video/${data.uuid}/body`,
      thumbnail_url: `${test.address}/video-session-video/${data.uuid}/body-thumbnail`,
      recorded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    const content = await bytesAt(data.url, person);
    expect([content.status, content.bytes.length]).toEqual([200, data.byte_length]);
    const kept = await playable(content.bytes);
    expect(kept).toEqual({ length: expect.closeTo(2.2, 1), cues: true, packets: sent.packets });
    const small = await bytesAt(data.thumbnail_url, person);
    expect(small.headers.get('content-type')).toBe('image/jpeg');
    expect(await sharp(small.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 320, height: 240 });
  });

  it('without a still has no thumbnail', async () => {
    const { id } = await createSession(test, person);
    const { data } = (await keep(person, id, { file: WEBM })).body;
    expect(data.thumbnail_url).toBeNull();
    expect((await person.get(`/video-session-video/${data.uuid}/body-thumbnail`)).status).toBe(404);
  });

  const cutMp4 = async () => {
    const target = new BufferTarget();
    const input = new Input({ formats: [WEBM_FORMAT], source: new BufferSource(new Uint8Array(WEBM)) });
    const output = new Output({ format: new Mp4OutputFormat({ fastStart: false }), target });
    await (await Conversion.init({ input, output, copy: { mode: 'forced' }, showWarnings: false })).execute();
    return Buffer.from(target.buffer ?? new ArrayBuffer(0)).subarray(0, -50);
  };
  it.each<[string, string, () => Buffer | Promise<Buffer>]>([
    // The head of the file says what is in it; the pictures break off in the middle.
    ['with noise in the middle', 'video/webm', () => Buffer.concat([WEBM.subarray(0, 600), Buffer.alloc(3_000, 0xff)])],
    ['cut before its first picture', 'video/webm', () => WEBM.subarray(0, 1_347)],
    ['cut in its last cluster', 'video/webm', () => WEBM.subarray(0, 4_042)],
    ['cut in its head', 'video/webm', () => WEBM.subarray(0, 89)],
    ['as an MP4 without its index', 'video/mp4', cutMp4],
  ])('keeps a recording %s as it came, and says that it is not whole', async (_, type, make) => {
    const who = await signedInUser(test);
    const { id } = await createSession(test, who);
    const torn = await make();
    const { status, body } = await keep(who, id, { file: torn });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      playable: false,
      seekable: false,
      duration_seconds: null,
      byte_length: torn.length,
      media_type: type,
    });
    expect((await bytesAt(body.data.url, who)).bytes.equals(torn)).toBe(true);
  });

  it.each<[string, Record<string, Uint8Array | string>, string]>([
    ['a picture', { file: PNG }, '/file'],
    ['a text', { file: Buffer.from('no video') }, '/file'],
    ['nothing', { file: new Uint8Array() }, '/file'],
    ['the head of an MP4 alone', { file: Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isomavc1', 'latin1') }, '/file'],
    ['the head of a WebM alone', { file: WEBM.subarray(0, WEBM.indexOf('18538067', 0, 'hex')) }, '/file'],
    ['a still that is none', { file: WEBM, thumbnail: Buffer.from('no picture') }, '/thumbnail'],
    ['a still alone', { thumbnail: PNG }, '/file'],
  ])('refuses %s, and keeps nothing', async (_, parts, pointer) => {
    const who = await signedInUser(test);
    const { id } = await createSession(test, who);
    const answer = await keep(who, id, parts);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer }]);
    expect(await storedFiles(test, who)).toEqual([]);
    expect(await db().sessionVideo.count({ where: { organizationId: who.organizationId } })).toBe(0);
  });

  it('refuses more than 25 MiB with 413', async () => {
    const { id } = await createSession(test, person);
    const answer = await keep(person, id, { file: new Uint8Array(25 * 1024 * 1024 + 1) });
    expect([answer.status, answer.body.detail]).toEqual([413, 'The file is larger than 25 MiB.']);
  });
});

describe('recordings', () => {
  it('are read by ranges, as a player asks for them', async () => {
    const { id } = await createSession(test, person);
    const { data } = (await keep(person, id, { file: WEBM })).body;
    const whole = await bytesAt(data.url, person);
    const part = await bytesAt(data.url, person, { range: 'bytes=1000-1999' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 1000-1999/${data.byte_length}`]);
    expect(part.bytes.equals(whole.bytes.subarray(1000, 2000))).toBe(true);
    expect(part.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await bytesAt(data.url, person, { range: `bytes=${data.byte_length}-` })).status).toBe(416);
  });

  it('are listed, searched and read', async () => {
    const who = await signedInUser(test);
    const patient = await newPatient(test, who, { lastName: 'Quill' });
    const [one, two] = [await createSession(test, who), await createSession(test, who)];
    await createVisit(test, who, { videoSessionId: one.id, patientId: patient.id });
    const first = (await keep(who, one.id, { file: WEBM, title: 'Range of motion' })).body.data.uuid;
    const second = (await keep(who, two.id, { file: WEBM })).body.data.uuid;
    expect(uuids(await who.get('/video-session-video'))).toEqual([second, first]);
    const found = async (query: string) => uuids(await who.get(`/video-session-video/search?${query}`));
    for (const query of [`patient_id=${patient.id}`, 'keyword=quill', `video_session_id=${one.guid}`, 'title=of mot'])
      expect(await found(query), query).toEqual([first]);
    expect(await found('min-date=2031-03-10')).toEqual([]);
    const read = await who.get(`/video-session-video/${first}`);
    expect(read.body.data).toMatchObject({ uuid: first, patients: [{ uuid: patient.id }] });
    expect(read.headers.etag).toBeDefined();
    expect(await audited(test, who)).toContainEqual(['search', 'session_video', [second, first], [patient.id]]);
    expect((await who.get(`/video-session/${one.id}`)).body.data).toMatchObject({ image_count: 0, video_count: 1 });
  });

  it('are corrected and deleted by who took them, in the record of one patient', async () => {
    const who = await signedInUser(test);
    const colleague = await signedInUser(test, { organizationId: who.organizationId });
    const [ann, bob] = [await newPatient(test, who), await newPatient(test, who)];
    const { guid } = await createSession(test, who);
    const { uuid } = (await keep(who, guid, { file: WEBM, patient_uuid: String(ann.id) })).body.data;
    const path = `/video-session/${guid}/videos/${uuid}`;
    for (const answer of [await colleague.put(path).send({ title: 'x' }), await colleague.delete(path)]) expect(answer.status).toBe(403);
    expect((await who.put(path).send({ patient_uuid: bob.id }).expect(200)).body.data).toMatchObject({ patient_uuid: bob.id });
    expect(uuids(await who.get(`/video-session-video/search?patient_id=${ann.id}`))).toEqual([]);
    expect(await audited(test, who)).toContainEqual(['update', 'session_video', [uuid], [ann.id, bob.id]]);
    expect((await who.delete(path)).status).toBe(204);
    expect((await who.get(`/video-session-video/${uuid}`)).status).toBe(404);
  });
});
