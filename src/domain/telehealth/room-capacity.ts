import type { Db } from '../../database/database.ts';
import type { VideoSession } from '../../generated/prisma/client.ts';
import type { Caller } from '../caller.ts';
import { conflict } from '../errors.ts';
import { capacityOf } from './sessions.ts';

/** @throws Failure conflict where the room of a held session has no place for one more; who was admitted and is on the way counts */
export async function requireCapacity(db: Db, { organizationId }: Caller, session: VideoSession): Promise<void> {
  const capacity = capacityOf(session);
  const taken = await db.sessionParticipant.count({
    where: { organizationId, videoSessionId: session.id, admittedAt: { not: null }, leftAt: null },
  });
  if (taken >= capacity) throw conflict('room_full', `The room is full: ${capacity} people are in it.`);
}
