import { randomBytes, randomUUID } from 'node:crypto';
import { openDatabase } from '../../src/database/database.ts';
import type { Pair } from './messages.ts';

/** A practice with so many rooms of two, whose people are all there. */
export async function openRooms(url: string, count: number): Promise<{ organizationId: number; pairs: Pair[] }> {
  const { prisma, close } = openDatabase({ url, poolSize: 4 });
  const { id: organizationId } = await prisma.organization.create({ data: { name: 'Rooms', timeZone: 'America/New_York' } });
  const { id: hostUserId } = await prisma.user.create({
    data: { organizationId, type: 'provider', firstName: 'Maria', lastName: 'Chen', email: `${randomUUID()}@example.org` },
  });
  const [now, expiresAt] = [new Date(), new Date(Date.now() + 86_400_000)];
  const pairs: Pair[] = [];
  while (pairs.length < count) {
    const { id } = await prisma.videoSession.create({
      data: { organizationId, guid: randomUUID(), hostUserId, guestLinkHash: randomBytes(32), expiresAt, startedAt: now, visit: 1 },
    });
    const here = { organizationId, videoSessionId: id, admittedAt: now, joinedAt: now, lastSeenAt: now };
    const guest = await prisma.sessionParticipant.create({ data: { ...here, role: 'guest', visit: 1, displayName: 'Gus' } });
    const host = await prisma.sessionParticipant.create({ data: { ...here, role: 'host', userId: hostUserId } });
    pairs.push({ sessionId: Number(id), from: Number(guest.id), to: Number(host.id) });
  }
  await close();
  return { organizationId, pairs };
}
