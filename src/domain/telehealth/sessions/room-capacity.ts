import type { SessionParticipant, VideoSession } from '../../../generated/prisma/client.ts';
import { conflict } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { findCapacity } from './sessions.ts';

/**
 * People who are connected count, and so do admitted guests who are still connecting: a host gave them the place. A host who joined
 * by HTTP alone has none yet.
 * @throws Failure conflict where the room of a locked session is full
 */
export async function requireCapacity(tx: Tx, session: VideoSession): Promise<void> {
  const capacity = findCapacity(session);
  const occupied = await tx.prisma.sessionParticipant.count({
    where: {
      ...tx.practice,
      videoSessionId: session.id,
      admittedAt: { not: null },
      leftAt: null,
      OR: [{ joinedAt: { not: null } }, { role: 'guest' }],
    },
  });
  if (occupied >= capacity) throw conflict('room_full', `The room is full: ${capacity} people are in it.`);
}

/** As requireCapacity, for an admitted participant, who may have a place already. */
export async function requirePlace(tx: Tx, session: VideoSession, { role, joinedAt, leftAt }: SessionParticipant): Promise<void> {
  if (leftAt !== null || (role === 'host' && joinedAt === null)) await requireCapacity(tx, session);
}
