import { expect, it } from 'vitest';
import { openMeeting } from '../../../../realtime/room.ts';
import { signedInUser } from '../../../../support/actors.ts';
import { sharedTestApp } from '../../../../support/app.ts';

const test = await sharedTestApp();
const user = await signedInUser(test);

it('opens a new session at each call, with links of which only hashes are kept', async () => {
  const [one, two] = [await openMeeting(user), await openMeeting(user)];
  expect(new Set([one, two].flatMap(({ host, guest, guid }) => [host, guest, guid])).size).toBe(6);
  const row = await test.database.prisma.videoSession.findUniqueOrThrow({
    where: { organizationId_guid: { organizationId: user.organizationId, guid: one.guid } },
  });
  expect(row).toMatchObject({ id: one.uuid, kind: 'meet', hostUserId: user.user.id, endedAt: null });
  expect(JSON.stringify(row)).not.toContain(one.host.slice(3));
  expect(new Date(one.expires_at).getTime() - Date.now()).toBeGreaterThan(23 * 3_600_000);
});

it('is a write: kept by no cache, told as an event, audited, and not done for a HEAD', async () => {
  const { prisma } = test.database;
  const before = await prisma.videoSession.count();
  expect((await test.http.head('/meet-session').set('authorization', `Bearer ${user.token}`)).status).toBe(405);
  expect(await prisma.videoSession.count()).toBe(before);
  const answer = await user.get('/meet-session').expect(200);
  expect(answer.headers).toMatchObject({ 'cache-control': 'no-store' });
  expect(answer.headers).not.toHaveProperty('etag');
  const about = { organizationId: user.organizationId, actor: `user:${user.user.id}` };
  const { uuid } = answer.body.data;
  expect(await prisma.event.count({ where: { ...about, name: 'video_session.opened', subjectId: uuid } })).toBe(1);
  const audits = await prisma.auditEntry.findMany({
    where: { ...about, resource: 'video_session', resourceIds: { has: uuid } },
    orderBy: { id: 'asc' },
  });
  expect(audits).toMatchObject([{ action: 'create', operation: 'GET /meet-session' }]);
});
