import { describe, expect, it } from 'vitest';
import { PNG, storedFiles } from '../apis/mobile/messaging/attachments/uploading.ts';
import { WEBM } from '../apis/mobile/telehealth/telehealth.ts';
import { enter, join, openMeeting } from '../realtime/room.ts';
import { signedInUser } from '../support/actors.ts';
import { ownTestApp } from '../support/app.ts';

const test = await ownTestApp();
const provider = await signedInUser(test, { type: 'provider' });
const session = await openMeeting(provider);
/** The response to the host's join. */
const token = (await join(test, session.host)).token;

/** As the page sends what it took. */
async function send(path: string, parts: Record<string, Uint8Array<ArrayBuffer>>, roomToken: string | null) {
  const form = new FormData();
  for (const [name, part] of Object.entries(parts)) form.append(name, new Blob([part]), name);
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

  it('is still taken when the visit was ended while it was on its way', async () => {
    const ending = await openMeeting(provider);
    const { send: say, closed, answer } = await enter(test, ending.host);
    say({ type: 'end' });
    await closed;
    expect((await send(`${ending.host}/images`, { file }, answer.token)).status).toBe(201);
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
