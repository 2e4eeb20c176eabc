import { describe, expect, it } from 'vitest';
import { sendMedia, WEBM } from '../apis/mobile/telehealth/telehealth.ts';
import { signedInUser } from '../support/actors.ts';
import { secondTestApp, sharedTestApp } from '../support/app.ts';
import { enter, meet, openMeeting } from './room.ts';

const test = await sharedTestApp();
/** A second process on the same database. */
const other = await secondTestApp();
const host = await signedInUser(test, { type: 'provider' });

const isList = (names: unknown): boolean => Array.isArray(names) && names.length > 0;

describe('a visit', () => {
  it('is recorded when everybody has agreed, and not while somebody has come in who has not', async () => {
    const session = await openMeeting(host);
    const { leader, visitor } = await meet(test, session);
    leader.send({ type: 'recording', on: true });
    await visitor.next('room', ({ recording, recording_asked }) => recording === false && recording_asked === true);
    // The host who asks has agreed, maybe a message later.
    await leader.next('room', ({ recording_waits }) => Array.isArray(recording_waits) && recording_waits.join() === 'Gus');
    visitor.send({ type: 'recording_consent', given: false });
    expect(await leader.next('room', ({ recording_declined }) => isList(recording_declined))).toMatchObject({
      recording: false,
      recording_declined: ['Gus'],
    });
    const keep = () => sendMedia(test, host, `/video-session/${session.guid}/videos`, { file: WEBM });
    const refused = await keep();
    expect([refused.status, refused.body.code]).toEqual([409, 'recording_not_agreed']);
    leader.send({ type: 'recording', on: true });
    await visitor.next('room', ({ recording_asked }) => recording_asked === true);
    visitor.send({ type: 'recording_consent', given: true });
    await visitor.next('room', ({ recording }) => recording === true);
    const later = await enter(other, session.host);
    await later.next('room', ({ recording, recording_asked }) => recording === false && recording_asked === true);
    await visitor.next('room', ({ recording }) => recording === false);
    later.send({ type: 'recording_consent', given: true });
    // Who came last has seen no earlier recording.
    await later.next('room', ({ recording }) => recording === true);
    leader.send({ type: 'recording', on: false });
    await visitor.next('room', ({ recording }) => recording === false);
    expect((await keep()).status).toBe(201);
    const { body } = await host.get(`/video-session/${session.guid}`).expect(200);
    const answers = body.data.participants.map(({ recording_consent: consent }: { recording_consent: { words: string } }) => consent);
    expect(answers).toEqual([
      { given: true, at: expect.any(String), words: 'Started the recording.' },
      { given: true, at: expect.any(String), words: expect.stringContaining('would like to record this visit') },
      { given: true, at: expect.any(String), words: expect.stringContaining('would like to record this visit') },
    ]);
  });

  it('is no longer shown as recorded once its last host has left', async () => {
    const { leader, visitor } = await meet(test, await openMeeting(host));
    leader.send({ type: 'recording', on: true });
    await visitor.next('room', ({ recording_asked }) => recording_asked === true);
    visitor.send({ type: 'recording_consent', given: true });
    await visitor.next('room', ({ recording }) => recording === true);
    leader.send({ type: 'leave' });
    await visitor.next('room', ({ recording, recording_asked }) => recording === false && recording_asked === undefined);
  });

  it('is not recorded where the practice does not', async () => {
    const key = { id: host.organizationId };
    await test.database.prisma.organization.update({ where: key, data: { recordsVisits: false } });
    const { leader } = await meet(test, await openMeeting(host));
    leader.send({ type: 'recording', on: true });
    expect(await leader.next('problem')).toMatchObject({ code: 'recording_refused' });
    await test.database.prisma.organization.update({ where: key, data: { recordsVisits: true } });
  });
});
