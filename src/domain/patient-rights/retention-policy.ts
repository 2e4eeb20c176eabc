import type { Db } from '../../database/database.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { recordChange } from '../audit/journal-entries.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import { changesTo } from '../values/changed-fields.ts';

/** The rules by which a practice deletes by age; null: kept permanently. */
export interface Ages {
  /** Days for which an uploaded file is kept that no record names. */
  draftDays: number | null;
  /** Days for which pictures, recordings and files of messages are kept. */
  mediaDays: number | null;
  /** Days for which texts and mails are kept. */
  textDays: number | null;
}

export interface RetentionPolicy extends Ages {
  /** Whether an operator may erase a person. */
  erasure: boolean;
  /** Years for which charts are kept after the last visit, those of minors after they came of age. */
  chartYears: number;
  /** Years for which the archive of the audit is kept: HIPAA asks for six. */
  auditYears: number;
}

/** Smallest and largest days and years. A quarter of texts is what the open month of the ledger, its appointments and reports rest on. */
export const RETENTION_LIMITS = {
  draftDays: [1, 36_500],
  mediaDays: [30, 36_500],
  textDays: [90, 36_500],
  chartYears: [1, 100],
  auditYears: [6, 100],
} as const satisfies Record<keyof Ages | 'chartYears' | 'auditYears', readonly [number, number]>;

const KEEP_ALL: Readonly<RetentionPolicy> = {
  draftDays: null,
  mediaDays: null,
  textDays: null,
  erasure: false,
  chartYears: 10,
  auditYears: 6,
};

const SHOWN = {
  draftDays: true,
  mediaDays: true,
  textDays: true,
  erasure: true,
  chartYears: true,
  auditYears: true,
} as const satisfies Prisma.RetentionPolicySelect;

/** The rules of a practice; one that has set none keeps all. */
export async function readRetentionPolicy(tx: PracticeTx): Promise<RetentionPolicy> {
  return (await tx.prisma.retentionPolicy.findUnique({ where: tx.practice, select: SHOWN })) ?? { ...KEEP_ALL };
}

/** Absent means unchanged; null clears. The database refuses numbers outside of RETENTION_LIMITS. */
export type RetentionChanges = { [K in keyof RetentionPolicy]?: RetentionPolicy[K] | undefined };

export async function changeRetentionPolicy(tx: Tx, input: RetentionChanges): Promise<RetentionPolicy> {
  const { organizationId } = tx;
  const before = await readRetentionPolicy(tx);
  const changes = changesTo(before, input);
  const changed = Object.keys(changes);
  if (changed.length === 0) return before;
  const after = await tx.prisma.retentionPolicy.upsert({
    where: { organizationId },
    update: changes,
    create: { organizationId, ...changes },
    select: SHOWN,
  });
  recordChange(tx, 'administer', { name: 'retention_policy.changed', id: organizationId, changed });
  return after;
}

/** The practices that delete anything by age, and their rules. */
export function listRetentionPolicies(db: Db): Promise<(RetentionPolicy & { organizationId: number })[]> {
  return db.retentionPolicy.findMany({
    where: { OR: [{ draftDays: { not: null } }, { mediaDays: { not: null } }, { textDays: { not: null } }] },
    orderBy: { organizationId: 'asc' },
    select: { organizationId: true, ...SHOWN },
  });
}
