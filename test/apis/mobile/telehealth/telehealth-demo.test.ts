import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { beforeAll, expect, it } from 'vitest';
import { type DemoPractice, seedDemo } from '../../../../prisma/seed/demo.ts';
import { keepDemoMedia } from '../../../../prisma/seed/session-media.ts';
import { createLocalFiles } from '../../../../src/gateways/files/local-files.ts';
import { signedInUser } from '../../../support/actors.ts';
import { ownTestApp } from '../../../support/app.ts';
import { bytesAt } from './telehealth.ts';

const test = await ownTestApp();
const { database, keyring, config } = test;
const randomSecret = () => randomBytes(16).toString('hex');
const practices: DemoPractice[] = await seedDemo(database.prisma, {
  now: new Date(),
  keyring,
  hash: async (secret) => `hash of ${secret}`,
  randomSecret,
});
beforeAll(async () => {
  const store = { db: database.prisma, files: createLocalFiles(`${config.DATA_DIR}/files`) };
  for (const { practiceid } of practices) await keepDemoMedia(database, store, practiceid);
}, 60_000);

it('the demo shows something in every list of telehealth, and pictures that can be looked at', { timeout: 30_000 }, async () => {
  const lists = ['', '/search?search=a', '/search?kind=meet', '/telehealth-sessions'].map((path) => `/video-session${path}`);
  const kept = ['/video-session-image', '/video-session-video', '/user-review-url/', '/user-review-url/listUsersWithReviewUrl'];
  for (const { practiceid: organizationId } of practices) {
    const who = await signedInUser(test, { organizationId });
    for (const path of [...lists, ...kept]) expect((await who.get(path)).body.meta.total, path).toBeGreaterThan(0);
    const [image] = (await who.get('/video-session-image')).body.data;
    const [video] = (await who.get('/video-session-video')).body.data;
    for (const address of [image.url, image.thumbnail_url, video.thumbnail_url])
      expect((await sharp((await bytesAt(address, who)).bytes).metadata()).width).toBeGreaterThan(100);
    expect(video).toMatchObject({ seekable: true, duration_seconds: 2 });
    const visits = await who.get(`/patients/${video.patients[0].uuid}/telehealth-and-waiting-room-visits`);
    expect(new Set(visits.body.data.map(({ kind }: { kind: string }) => kind))).toEqual(new Set(['telehealth', 'waiting_room']));
    const since = new Date(Date.now() - 300 * 86_400_000).toISOString().slice(0, 10);
    const { totals } = (await who.get(`/video-session/telehealth-data?min-date=${since}`)).body.data;
    expect(totals.visits).toBeGreaterThan(0);
  }
});

it('the demo has a confirmed appointment in the second of two hours, which stays there when it is sent back', async () => {
  for (const { practiceid: organizationId } of practices) {
    const who = await signedInUser(test, { organizationId });
    const today = new Date().toISOString().slice(0, 10);
    const listed = (await who.get(`/appointments/all?limit=1000&min_appointment_date=${today}`)).body.data;
    const data = listed.filter(({ appointment_date_local: at }: { appointment_date_local: string }) => at.endsWith('T01:30:00'));
    expect(data).toHaveLength(1);
    const [{ uuid, appointment_date, appointment_date_local: local }] = data;
    for (const body of [data[0], { appointment_date: local, appointment_timezone: data[0].appointment_timezone }])
      expect((await who.post(`/appointments/${uuid}`).send(body)).body.data).toEqual(data[0]);
    expect(data[0].confirmation.status).toBe('Yes');
    const first = (await who.post('/appointments/').send({ appointment_date: local })).body.data;
    expect(new Date(appointment_date).getTime() - new Date(first.appointment_date).getTime()).toBe(3_600_000);
    await who.delete(`/appointments/${first.uuid}`).expect(204);
  }
});

it('the places of demo appointments are of their offices, and texts tell whether patients were told', async () => {
  const elsewhere = await database.prisma.$queryRaw`
    SELECT a.id FROM appointment a
      LEFT JOIN location l ON l.organization_id = a.organization_id AND l.id = a.location_id
      LEFT JOIN waiting_room w ON w.organization_id = a.organization_id AND w.id = a.waiting_room_id
     WHERE l.office_id <> a.office_id OR w.office_id <> a.office_id`;
  expect(elsewhere).toEqual([]);
  const told = await database.prisma.appointment.groupBy({ by: ['initialSmsSent'] });
  expect(new Set(told.map(({ initialSmsSent }) => initialSmsSent))).toEqual(new Set([null, true, false]));
});
