import type { Db } from '../../../database/database.ts';

/** The restricted and blocked charts that a user has opened in an emergency, while they are restricted. */
export interface OpenedCharts {
  openedCharts?: ReadonlySet<number>;
}

/**
 * Adds the restricted and blocked charts that a user has opened, while the opening lasts.
 * @param until the end of the newest opening: after it, and for all who never opened a chart, nothing is queried
 */
export async function withOpenedCharts<U extends { organizationId: number; userId: number }>(
  db: Db,
  user: U,
  until: Date | null,
): Promise<U & OpenedCharts> {
  const now = new Date();
  if (until === null || until <= now) return user;
  const { organizationId, userId } = user;
  const openings = await db.chartOpening.findMany({
    where: { organizationId, userId, closedAt: null, endsAt: { gt: now }, patient: { organizationId, restricted: true } },
    select: { patientId: true },
  });
  if (openings.length === 0) return user;
  return { ...user, openedCharts: new Set(openings.flatMap(({ patientId }) => patientId ?? [])) };
}
