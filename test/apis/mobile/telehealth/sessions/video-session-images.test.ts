import { crc32 } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';
import { PNG, rawForm, storedFiles } from '../../messaging/attachments/uploading.ts';
import { type Person, uuids } from '../../people/people.ts';
import { audited, bytesAt, createSession, createVisit, newPatient, sendMedia } from '../telehealth.ts';

const test = await sharedTestApp();
const person: Person = await signedInUser(test);

const db = () => test.database.prisma;
const PLAIN = { create: { width: 800, height: 600, channels: 3 as const, background: '#aa5544' } };
/** Two pictures of 8 x 8. */
const MOVING = { width: 8, height: 16, channels: 3 as const, pageHeight: 8 };
const SOON = { timeout: 10_000 };

function pngChunk(type: string, data: Buffer): Buffer {
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}

/** A PNG with further chunks before its pixels. */
const withChunks = (png: Buffer, chunks: Buffer[]) => Buffer.concat([png.subarray(0, 33), ...chunks, png.subarray(33)]);

const keep = (who: Person, key: number | string, parts: Record<string, Uint8Array | string>, headers = {}) =>
  sendMedia(test, who, `/video-session/${key}/images`, parts, headers);

describe('keeping a picture', () => {
  it('draws it anew, upright and without what the file says beside it, and makes a thumbnail', async () => {
    const { id, guid } = await createSession(test, person);
    // A telephone writes pictures lying on their side, with where and by what they were taken.
    const exif = { IFD0: { Model: 'Secret camera' }, IFD3: { GPSLatitude: '35/1 46/1 0/1' } };
    const sent = await sharp(PLAIN).jpeg().withExif(exif).withMetadata({ orientation: 6, exif }).toBuffer();
    expect(sent.includes('Secret camera')).toBe(true);
    const answer = await keep(person, guid, { file: sent, title: 'Left forearm' });
    expect(answer.status, answer.text).toBe(201);
    const { data } = answer.body;
    expect(data).toEqual({
      uuid: expect.any(Number),
      title: 'Left forearm',
      video_session_uuid: id,
      video_session_guid: guid,
      host_user_id: person.user.id,
      user_id: person.user.id,
      maker_user_id: person.user.id,
      patient_uuid: null,
      patients: [],
      body_site: null,
      file_name: 'picture.jpg',
      media_type: 'image/jpeg',
      byte_length: expect.any(Number),
      width: 600,
      height: 800,
      url: `${test.address}/video-session-image/${data.uuid}/body`,
      thumbnail_url: expect.stringContaining(`${test.address}/attachment/`),
      taken_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    const content = await bytesAt(data.url, person);
    expect([content.status, content.bytes.length, content.headers.get('content-type')]).toEqual([200, data.byte_length, 'image/jpeg']);
    const read = await sharp(content.bytes).metadata();
    expect([read.width, read.height, read.orientation, read.exif]).toEqual([600, 800, undefined, undefined]);
    const small = await bytesAt(data.thumbnail_url, person);
    expect(await sharp(small.bytes).metadata()).toMatchObject({ format: 'jpeg', width: 240, height: 320 });
  });

  it.each(['png', 'webp'] as const)('keeps a %s as one', async (format) => {
    const { id } = await createSession(test, person);
    const { data } = (await keep(person, id, { file: await sharp(PLAIN).toFormat(format).toBuffer() })).body;
    expect(data).toMatchObject({ media_type: `image/${format}`, file_name: `picture.${format}`, title: null, width: 800, height: 600 });
  });

  it('keeps the colours: every pixel of a PNG, of 8 and of 16 bits, and the profile of a camera', async () => {
    const { id } = await createSession(test, person);
    const noise = { create: { ...PLAIN.create, width: 64, height: 64, noise: { type: 'gaussian' as const, mean: 128, sigma: 60 } } };
    const kept = async (file: Buffer) => (await bytesAt((await keep(person, id, { file })).body.data.url, person)).bytes;
    const pixels = (file: Buffer) => sharp(file).keepIccProfile().raw().toBuffer();
    const fine = await sharp(await sharp(noise).png().toBuffer())
      .withIccProfile('p3')
      .png()
      .toBuffer();
    expect(await pixels(await kept(fine))).toEqual(await pixels(fine));
    const deep = await sharp(fine).toColourspace('rgb16').png().toBuffer();
    expect(await sharp(await kept(deep)).metadata()).toMatchObject({ depth: 'ushort', space: 'rgb16' });
    const photo = await sharp(noise).withIccProfile('p3').jpeg({ chromaSubsampling: '4:4:4' }).toBuffer();
    const read = await sharp(await kept(photo)).metadata();
    expect([read.icc?.length, read.chromaSubsampling, read.exif]).toEqual([
      (await sharp(photo).metadata()).icc?.length,
      '4:4:4',
      undefined,
    ]);
  });

  it('keeps gamma and primaries of a PNG, and nothing else that its file says beside the pixels', async () => {
    const { id } = await createSession(test, person);
    const plain = await sharp(PLAIN).png().toBuffer();
    const colours = [pngChunk('gAMA', Buffer.from([0, 1, 0x86, 0xa0])), pngChunk('cHRM', Buffer.alloc(32, 1))];
    const file = withChunks(plain, [...colours, pngChunk('gAMA', Buffer.from('hide')), pngChunk('tEXt', Buffer.from('Secret\0camera'))]);
    const { data } = (await keep(person, id, { file })).body;
    const { bytes } = await bytesAt(data.url, person);
    expect([bytes.length, bytes.indexOf(Buffer.concat(colours)), bytes.includes('hide'), bytes.includes('Secret')]).toEqual([
      data.byte_length,
      33,
      false,
      false,
    ]);
    expect((await sharp(bytes).raw().toBuffer()).equals(await sharp(plain).raw().toBuffer())).toBe(true);
    const kept = async (sent: Buffer) => (await bytesAt((await keep(person, id, { file: sent })).body.data.url, person)).bytes;
    expect((await kept(withChunks(plain, [pngChunk('gAMA', Buffer.alloc(20))]))).includes('gAMA')).toBe(false);
  });

  it('leaves events and audit rows, two files, and nothing unclaimed', async () => {
    const who = await signedInUser(test);
    const { organizationId } = who;
    const { id } = await createSession(test, who);
    const { uuid } = (await keep(who, id, { file: PNG })).body.data;
    const events = await db().event.findMany({ where: { organizationId }, orderBy: { id: 'asc' } });
    expect(events.map(({ name }) => name)).toEqual(['attachment.uploaded', 'attachment.uploaded', 'session_image.kept']);
    expect(await audited(test, who)).toContainEqual(['create', 'session_image', [uuid], []]);
    expect(await storedFiles(test, who)).toHaveLength(2);
    expect(await db().unclaimedFile.count({ where: { organizationId } })).toBe(0);
  });

  it('under an Idempotency-Key keeps it once', async () => {
    const who = await signedInUser(test);
    const { id } = await createSession(test, who);
    const key = { 'idempotency-key': 'picture-1' };
    const first = await keep(who, id, { file: PNG, title: 'One' }, key);
    const second = await keep(who, id, { file: PNG, title: 'One' }, key);
    expect([second.status, second.text, second.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
    expect((await keep(who, id, { file: PNG, title: 'Two' }, key)).status).toBe(422);
    expect(await db().sessionImage.count({ where: { organizationId: who.organizationId } })).toBe(1);
    await expect.poll(() => storedFiles(test, who), SOON).toHaveLength(2);
  });

  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>');
  it.each<[string, () => Promise<Uint8Array> | Uint8Array]>([
    ['a text', () => Buffer.from('this is no picture')],
    ['a drawing that is a program', () => svg],
    ['a GIF', () => Buffer.from('R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=', 'base64')],
    ['half a picture', async () => (await sharp(PLAIN).jpeg().toBuffer()).subarray(0, 700)],
    ['nothing', () => new Uint8Array()],
    ['a WebP that moves', () => sharp(Buffer.alloc(384).fill(255, 192), { raw: MOVING }).webp().toBuffer()],
    ['a PNG that moves', () => withChunks(PNG, [pngChunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]))])],
    [
      'a small file of a huge picture',
      () =>
        sharp({ create: { width: 9_000, height: 9_000, channels: 3, background: '#000' } })
          .png()
          .toBuffer(),
    ],
  ])('refuses %s, and keeps nothing', async (_, make) => {
    const who = await signedInUser(test);
    const { id } = await createSession(test, who);
    const answer = await keep(who, id, { file: await make() });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer: '/file' }]);
    expect(await storedFiles(test, who)).toEqual([]);
    expect(await db().unclaimedFile.count({ where: { organizationId: who.organizationId } })).toBe(0);
  });

  it.each<[string, Record<string, Uint8Array | string>, string]>([
    ['no file', { title: 'x' }, '/file'],
    ['a file that nobody asked for', { file: PNG, other: PNG }, '/other'],
    ['a title that is too long', { file: PNG, title: 'x'.repeat(201) }, '/title'],
  ])('refuses a form with %s', async (_, parts, pointer) => {
    const { id } = await createSession(test, person);
    const answer = await keep(person, id, parts);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.errors).toMatchObject([{ pointer }]);
  });

  it('refuses more than 25 MiB with 413', async () => {
    const { id } = await createSession(test, person);
    const answer = await keep(person, id, { file: new Uint8Array(25 * 1024 * 1024 + 1) });
    expect([answer.status, answer.body.detail]).toEqual([413, 'The file is larger than 25 MiB.']);
  });

  it.each([
    ['a form that breaks off', (whole: Buffer) => whole.subarray(0, -12), 'multipart/form-data; boundary=edge'],
    ['a form without its boundary', (whole: Buffer) => whole, 'multipart/form-data'],
  ])('refuses %s, and keeps nothing', async (_, make, type) => {
    const who = await signedInUser(test);
    const { id } = await createSession(test, who);
    const whole = rawForm([{ head: 'Content-Disposition: form-data; name="file"; filename="a.png"', body: PNG }]);
    const answer = await fetch(`${test.address}/video-session/${id}/images`, {
      method: 'POST',
      headers: { authorization: `Bearer ${who.token}`, 'content-type': type },
      body: new Uint8Array(make(whole)),
    });
    expect(answer.status).toBe(400);
    expect(await storedFiles(test, who)).toEqual([]);
  });
});

describe('pictures', () => {
  it('are listed, searched and read, at either spelling of the path', async () => {
    const path = '/video-session-image';
    const who = await signedInUser(test);
    const patient = await newPatient(test, who, { lastName: 'Quill' });
    const [one, two] = [await createSession(test, who), await createSession(test, who)];
    await createVisit(test, who, { videoSessionId: one.id, patientId: patient.id });
    const first = (await keep(who, one.id, { file: PNG, title: 'Left forearm' })).body.data.uuid;
    const second = (await keep(who, two.id, { file: PNG, title: 'Ankle' })).body.data.uuid;
    for (const spelled of [path, '/video-session-Image', '/video-session-Image/search'])
      expect(uuids(await who.get(spelled)), spelled).toEqual([second, first]);
    expect(uuids(await who.get(`${path}?limit=1&page=2`))).toEqual([first]);
    const found = async (query: string) => uuids(await who.get(`${path}/search?${query}`));
    for (const query of [
      `patient_id=${patient.id}`,
      'search=quill',
      `video_session_id=${one.id}`,
      `video_session_id=${one.guid}`,
      'title=FOREARM',
    ])
      expect(await found(query), query).toEqual([first]);
    expect(await found(`user_id=${who.user.id}`)).toEqual([second, first]);
    expect(await found('max-date=2031-03-10')).toEqual([second, first]);
    for (const query of ['min-date=2031-03-10', 'title=knee', 'appointment_id=7', 'user_id=2000000001'])
      expect(await found(query), query).toEqual([]);
    expect((await who.get(`${path}/${first}`)).body.data).toMatchObject({
      uuid: first,
      patients: [{ uuid: patient.id, lastname: 'Quill' }],
    });
    expect((await who.get(`${path}/${first}/body`)).headers['content-disposition']).toBe('attachment; filename="picture.png"');
    expect(await audited(test, who)).toContainEqual(['search', 'session_image', [second, first], [patient.id]]);
    expect(await audited(test, who)).toContainEqual(['read', 'session_image', [first], [patient.id]]);
    expect((await who.get(`/video-session/${one.id}`)).body.data).toMatchObject({ image_count: 1, video_count: 0 });
  });
});
