import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { PNG, storedFiles } from '../apis/mobile/messaging/attachments/uploading.ts';
import { WEBM } from '../apis/mobile/telehealth/telehealth.ts';
import { enter, join, meet, openMeeting } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';
import { createPatient } from '../support/factories.ts';

const test = await ownTestApp();
const provider = await signedInUser(test, { type: 'provider' });
const session = await openMeeting(provider);
/** The response to the host's join. */
const token = (await join(test, session.host)).token;

/** As the page sends what it took. */
async function send(path: string, parts: Record<string, Uint8Array<ArrayBuffer> | string>, roomToken: string | null) {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts))
    if (typeof part === 'string') form.append(name, part);
    else form.append(name, new Blob([part]), name);
  const headers: Record<string, string> = roomToken === null ? {} : { authorization: `Bearer ${roomToken}` };
  const answer = await fetch(`${test.address}${path}`, { method: 'POST', headers, body: form });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}
const file = new Uint8Array(PNG);
const images = () => `${session.host}/images`;
const videos = () => `${session.host}/videos`;
const kept = async () => (await test.database.prisma.sessionImage.count()) + (await test.database.prisma.sessionVideo.count());

describe('what a host takes on the page', () => {
  it('is kept with the session: a picture, and a recording in which one can jump', async () => {
    const picture = await send(images(), { file }, token);
    expect(picture, JSON.stringify(picture)).toMatchObject({ status: 201, body: { uuid: expect.any(Number) } });
    const image = (await provider.get(`/video-session-image/${picture.body.uuid}`).expect(200)).body.data;
    expect(image).toMatchObject({ video_session_guid: session.guid, media_type: 'image/png' });
    const recording = await send(videos(), { file: new Uint8Array(WEBM), thumbnail: file }, token);
    expect(recording.status).toBe(201);
    const video = (await provider.get(`/video-session-video/${recording.body.uuid}`).expect(200)).body.data;
    expect(video).toMatchObject({ video_session_guid: session.guid, seekable: true, thumbnail_url: expect.any(String) });
  });

  it('belongs to the patient whom the host chose, where several came', async () => {
    const { organizationId } = provider;
    const [ann, bob] = [
      await createPatient(test.database.prisma, { organizationId, lastName: 'Quill' }),
      await createPatient(test.database.prisma, { organizationId }),
    ];
    const { host, guid, uuid } = await openMeeting(provider);
    const { token: roomToken } = await join(test, host);
    const came = (patientId: number, visit: number) =>
      test.database.prisma.sessionParticipant.create({
        data: { organizationId, videoSessionId: uuid, role: 'guest', patientId, visit, admittedAt: new Date(), lastSeenAt: new Date() },
      });
    const first = await came(ann.id, 1);
    expect((await send(`${host}/images`, { file }, roomToken)).body.patient).toEqual({ name: expect.stringContaining('Quill') });
    await came(bob.id, 2);
    const refused = await send(`${host}/images`, { file }, roomToken);
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringMatching(/^patient: /)]);
    expect((await send(`${host}/images`, { file, patient: '2000000001' }, roomToken)).status).toBe(400);
    const kept = await send(`${host}/images`, { file, patient: String(first.id), body_site: 'Left forearm' }, roomToken);
    expect(kept).toMatchObject({ status: 201, body: { patient: { name: expect.stringContaining('Quill') } } });
    const image = (await provider.get(`/video-session-image/${kept.body.uuid}`).expect(200)).body.data;
    expect(image).toMatchObject({
      video_session_guid: guid,
      patient_uuid: ann.id,
      body_site: 'Left forearm',
      maker_user_id: provider.user.id,
    });
  });

  it('is still taken when the visit was ended while it was on its way', async () => {
    const ending = await openMeeting(provider);
    const { send: say, closed, answer } = await enter(test, ending.host);
    say({ type: 'end' });
    await closed;
    expect((await send(`${ending.host}/images`, { file }, answer.token)).status).toBe(201);
  });
});

describe('a still that the host asks for', () => {
  const body_site = 'Left forearm';

  it('is sent by the guest of whom it was asked, once, and keeps every pixel', async () => {
    const meeting = await openMeeting(provider);
    const { leader, visitor } = await meet(test, meeting);
    leader.send({ type: 'still', to: visitor.answer.you.id, body_site });
    const { id } = await visitor.next('still');
    expect(await leader.next('still')).toMatchObject({ id, state: 'asked' });
    const photo = new Uint8Array(
      await sharp({ create: { width: 60, height: 40, channels: 3, background: '#a54' } })
        .jpeg()
        .toBuffer(),
    );
    const answer = () => send(`${meeting.guest}/images`, { file: photo, still: String(id) }, visitor.answer.token);
    expect(await answer()).toMatchObject({ status: 201, body: { patient: null } });
    const { image_uuid } = await leader.next('still', ({ state }) => state === 'taken');
    const image = (await provider.get(`/video-session-image/${image_uuid}`).expect(200)).body.data;
    expect(image).toMatchObject({ body_site, media_type: 'image/png', maker_user_id: provider.user.id, user_id: null });
    expect((await answer()).body.error.code).toBe('still_over');
  });

  it('is taken of nobody else, not without being asked, not after a refusal, and not too late', async () => {
    const meeting = await openMeeting(provider);
    const { leader, visitor } = await meet(test, meeting);
    const other = await enter(test, meeting.guest, { name: 'Oda' });
    leader.send({ type: 'still', to: other.answer.you.id, body_site });
    expect(await leader.next('problem')).toMatchObject({ code: 'unknown_peer' });
    visitor.send({ type: 'still', to: visitor.answer.you.id, body_site });
    expect(await visitor.next('problem')).toMatchObject({ code: 'not_host' });
    const ask = async (browser: typeof visitor) => {
      leader.send({ type: 'still', to: browser.answer.you.id, body_site });
      return (await browser.next('still')).id;
    };
    const refused = async (id: unknown, browser: Pick<typeof visitor, 'answer'>) =>
      (await send(`${meeting.guest}/images`, { file, still: String(id) }, browser.answer.token)).body.error.code;
    const id = await ask(visitor);
    expect(await refused(id, other)).toBe('not_asked');
    visitor.send({ type: 'still_refused', id: Number(id) });
    await leader.next('still', ({ state }) => state === 'refused');
    expect(await refused(id, visitor)).toBe('still_over');
    const late = Number(await ask(visitor));
    await test.database.prisma.stillRequest.updateMany({ where: { id: late }, data: { askedAt: new Date(Date.now() - 301_000) } });
    expect(await refused(late, visitor)).toBe('still_over');
  });
});

describe('nothing is kept', () => {
  it('of who does not lead this session', async () => {
    const other = await openMeeting(provider);
    const [guest, elsewhere] = [await join(test, session.guest, { name: 'Gus' }), await join(test, other.host)];
    const before = await kept();
    const refused = async (path: string, roomToken: string | null) => {
      const { status, body } = await send(path, { file }, roomToken);
      return [status, body.error.code];
    };
    expect(await refused(images(), null)).toEqual([401, 'bad_token']);
    expect(await refused(images(), 'x.y.z')).toEqual([401, 'bad_token']);
    expect(await refused(images(), (await join(test, session.host)).resume)).toEqual([401, 'bad_token']);
    expect(await refused(images(), provider.token)).toEqual([401, 'bad_token']);
    expect(await refused(images(), guest.token)).toEqual([403, 'not_host']);
    expect(await refused(`${session.guest}/images`, guest.token)).toEqual([403, 'not_host']);
    expect(await refused(videos(), elsewhere.token)).toEqual([403, 'not_host']);
    expect(await refused('/v/x/images', token)).toEqual([404, 'link_unknown']);
    expect(await kept()).toBe(before);
  });

  it('of what is no picture, no recording, no form, or too large; and no file is left of it', async () => {
    const before = [await kept(), (await storedFiles(test, provider)).length];
    const words = new TextEncoder().encode('no picture');
    const faults: Record<string, Awaited<ReturnType<typeof send>>> = {
      picture: await send(images(), { file: words }, token),
      recording: await send(videos(), { file: words }, token),
      still: await send(videos(), { file: new Uint8Array(WEBM), thumbnail: words }, token),
      nothing: await send(images(), { thing: file }, token),
    };
    for (const [name, { status, body }] of Object.entries(faults))
      expect([name, status, body.error.code]).toEqual([name, 400, 'invalid_input']);
    expect(faults.picture?.body.error.message).toBe('file: must be a JPEG, PNG or WebP picture that can be read');
    const large = await send(videos(), { file: new Uint8Array(25 * 1024 * 1024 + 1) }, token);
    expect([large.status, large.body.error.code]).toEqual([413, 'file_too_large']);
    expect([await kept(), (await storedFiles(test, provider)).length]).toEqual(before);
  });
});
