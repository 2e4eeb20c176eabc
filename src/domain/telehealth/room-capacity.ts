import type { Db } from '../../database/database.ts';
import type { VideoSession } from '../../generated/prisma/client.ts';
import type { Caller } from '../caller.ts';
import { conflict } from '../errors.ts';
import { capacityOf } from './sessions.ts';

/** @throws Failure conflict where the room of a locked session is full. Admitted participants who are still connecting count. */
export async function requireCapacity(db: Db, { organizationId }: Caller, session: VideoSession): Promise<void> {
  const capacity = capacityOf(session);
  const occupied = await db.sessionParticipant.count({
    where: { organizationId, videoSessionId: session.id, admittedAt: { not: null }, leftAt: null },
  });
  if (occupied >= capacity) throw conflict('room_full', `The room is full: ${capacity} people are in it.`);
}
