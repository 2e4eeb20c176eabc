import type { Db } from '../../../database/database.ts';

/** The restricted and blocked charts that a user has opened in an emergency. */
export interface OpenedCharts {
  openedCharts?: ReadonlySet<number>;
}

/**
 * Adds the charts that a user has opened and that have not ended.
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
    where: { organizationId, userId, closedAt: null, endsAt: { gt: now }, patientId: { not: null } },
    select: { patientId: true },
  });
  if (openings.length === 0) return user;
  return { ...user, openedCharts: new Set(openings.flatMap(({ patientId }) => patientId ?? [])) };
}
