import type { Db } from '../../database/database.ts';
import type { AuditEntry } from '../../generated/prisma/client.ts';
import { type CallerIdentity, OPERATOR } from '../caller.ts';

export type { AuditEntry };

/** Filter of a practice's audit entries. */
export interface AuditFilter {
  /** Only entries about this patient's chart. */
  patientId?: number;
  /** `user:12`, `client:…`, `operator:name`; `operator` for all of those. */
  actor?: string;
  since?: Date;
  /** Only entries older than this one. */
  before?: bigint;
  limit: number;
}

const actorFilter = (actor: string) =>
  actor === OPERATOR ? { AND: { OR: [{ actor }, { actor: { startsWith: `${OPERATOR}:` } }] } } : { actor };

/** Entries of the caller's practice, the newest first; `next` is what to give as `before` for those that follow. */
export async function listAudit(
  db: Db,
  { organizationId }: CallerIdentity,
  { patientId, actor, since, before, limit }: AuditFilter,
): Promise<{ entries: AuditEntry[]; next: bigint | null }> {
  const entries = await db.auditEntry.findMany({
    where: {
      organizationId,
      ...(patientId === undefined
        ? {}
        : { OR: [{ resource: 'patient', resourceIds: { has: patientId } }, { patientIds: { has: patientId } }] }),
      ...(actor === undefined ? {} : actorFilter(actor)),
      ...(since === undefined ? {} : { at: { gte: since } }),
      ...(before === undefined ? {} : { id: { lt: before } }),
    },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const shown = entries.slice(0, limit);
  return { entries: shown, next: entries.length > limit ? (shown.at(-1)?.id ?? null) : null };
}
