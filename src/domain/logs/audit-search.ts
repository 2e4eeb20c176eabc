import { type AuditEntry, Prisma } from '../../generated/prisma/client.ts';
import { type CallerIdentity, maySeeRestricted, OPERATOR } from '../caller.ts';
import type { AuditAction } from '../journal.ts';
import type { PracticeTx, Tx } from '../tx.ts';
import type { DateRange } from '../values/time/date-range.ts';

/** The place of an entry in the order of the log. */
interface EntryPlace {
  /** Null where only the id is known. */
  transactionId: number | null;
  id: number;
}

interface ChartEntriesSearch {
  organizationId: number;
  patientId: number;
  /** As in AuditSearch. */
  actor?: string | undefined;
  action?: AuditAction | undefined;
  range: DateRange;
  /** Only entries before this place in the order of the log. */
  before?: EntryPlace | undefined;
  limit: number;
}

/**
 * The places of the newest entries about a chart. Each part reads only what its index on patients names; ordered and cut afterwards, so
 * that PostgreSQL does not walk the whole log backwards in the hope of meeting the chart early.
 */
export const chartEntriesQuery = ({
  organizationId,
  patientId,
  actor,
  action,
  range,
  before,
  limit,
}: ChartEntriesSearch): Prisma.Sql => Prisma.sql`
  WITH of_chart AS MATERIALIZED (
    SELECT transaction_id, id, at, actor, action FROM audit_entry
     WHERE organization_id = ${organizationId}::int AND resource = 'patient' AND record_id = ${patientId}::bigint ${whereWithin(range)}
     UNION
    SELECT transaction_id, id, at, actor, action FROM audit_entry
     WHERE organization_id = ${organizationId}::int AND resource = 'patient' AND resource_ids @> ARRAY[${patientId}::bigint] ${whereWithin(range)}
     UNION
    SELECT transaction_id, id, at, actor, action FROM audit_entry
     WHERE organization_id = ${organizationId}::int AND patient_ids @> ARRAY[${patientId}::int] ${whereWithin(range)})
  SELECT transaction_id AS "transactionId", id FROM of_chart
   WHERE (${actor ?? null}::text IS NULL OR actor = ${actor ?? null}::text OR (${actor === OPERATOR} AND starts_with(actor, ${`${OPERATOR}:`})))
     AND (${action ?? null}::text IS NULL OR action = ${action ?? null}::text)
     AND (${before?.id ?? null}::bigint IS NULL
          OR CASE WHEN ${before?.transactionId ?? null}::bigint IS NULL THEN id < ${before?.id ?? null}::bigint
                  ELSE (transaction_id, id) < (${before?.transactionId ?? null}::bigint, ${before?.id ?? null}::bigint) END)
   ORDER BY transaction_id DESC, id DESC
   LIMIT ${limit}::int`;

/** The condition on the instant, in a form by which PostgreSQL passes over the partitions of other months. */
const whereWithin = ({ from, before }: DateRange): Prisma.Sql => Prisma.sql`
  ${from === null ? Prisma.empty : Prisma.sql`AND at >= ${from}::timestamptz`} ${before === null ? Prisma.empty : Prisma.sql`AND at < ${before}::timestamptz`}`;

export interface AuditSearch {
  /** Only entries about this patient's chart. */
  patientId?: number | undefined;
  /** `user:12`, `client:…`, `operator:name`; `operator` for all of those. */
  actor?: string | undefined;
  action?: AuditAction | undefined;
  range: DateRange;
  /** Only entries older than this one. */
  before?: number | undefined;
  limit: number;
}

/** An entry without the ids of charts that do not exist for the reader. */
export interface ShownAuditEntry extends AuditEntry {
  /** Whether ids of patients were left out. */
  patientRestricted: boolean;
}

/** The newest entries first; `next` is what to give as `before` for those that follow. */
export interface AuditPage {
  entries: ShownAuditEntry[];
  next: number | null;
}

/**
 * Entries of the caller's practice. Entries about a restricted chart stand without the patient's id; asked for by that patient, there
 * are none, as of a patient who does not exist. Reading the audit is audited.
 */
export async function searchAudit(tx: Tx, search: AuditSearch): Promise<AuditPage> {
  const { patientId, limit } = search;
  const audited = patientId === undefined ? {} : { patientIds: [patientId] };
  tx.journal.audits.push({ action: 'search', resource: 'audit_entry', ids: [], ...audited });
  if (patientId !== undefined && (await findHiddenPatients(tx, [patientId])).size > 0) return { entries: [], next: null };
  const before = search.before === undefined ? undefined : await findEntryPlace(tx, search.before);
  const placed = { ...search, before };
  const where = patientId === undefined ? conditions(tx, placed) : await entriesOfChart(tx, { ...placed, patientId });
  const orderBy: Prisma.AuditEntryOrderByWithRelationInput[] = [{ transactionId: 'desc' }, { id: 'desc' }];
  const found = await tx.prisma.auditEntry.findMany({ where, orderBy, take: limit + 1 });
  const entries = found.slice(0, limit);
  const hidden = await findHiddenPatients(tx, entries.flatMap(listEntryPatients));
  const next = found.length > limit ? (entries.at(-1)?.id ?? null) : null;
  return { entries: entries.map((entry) => withoutHidden(entry, hidden)), next: next === null ? null : Number(next) };
}

type PlacedSearch = Omit<AuditSearch, 'before'> & { before: EntryPlace | undefined };

/** The place of an entry in the log, which is in the order of transactions: ids have gaps, and overtake each other. */
async function findEntryPlace(tx: PracticeTx, id: number): Promise<EntryPlace> {
  const [entry] = await tx.prisma.$queryRaw<{ transactionId: number }[]>`
    SELECT transaction_id AS "transactionId" FROM audit_entry WHERE organization_id = ${tx.organizationId}::int AND id = ${id}::bigint`;
  return { transactionId: entry?.transactionId ?? null, id };
}

/** The page of entries about a chart: few of the log, which are found by their own index. */
async function entriesOfChart(tx: PracticeTx, search: PlacedSearch & { patientId: number }): Promise<Prisma.AuditEntryWhereInput> {
  const rows = await tx.prisma.$queryRaw<{ transactionId: number; id: number }[]>(
    chartEntriesQuery({ ...search, ...tx.practice, limit: search.limit + 1 }),
  );
  const transactionId = { in: [...new Set(rows.map((row) => row.transactionId))] };
  return { ...tx.practice, transactionId, id: { in: rows.map(({ id }) => id) } };
}

function conditions({ organizationId }: CallerIdentity, { actor, action, range, before }: PlacedSearch): Prisma.AuditEntryWhereInput {
  return {
    organizationId,
    at: { ...(range.from === null ? {} : { gte: range.from }), ...(range.before === null ? {} : { lt: range.before }) },
    ...(actor === undefined ? {} : { AND: actedBy(actor) }),
    ...(action === undefined ? {} : { action }),
    ...(before === undefined ? {} : isBefore(before)),
  };
}

function isBefore({ transactionId, id }: EntryPlace): Prisma.AuditEntryWhereInput {
  if (transactionId === null) return { id: { lt: id } };
  // The bound alone says where the index begins.
  return { transactionId: { lte: transactionId }, OR: [{ transactionId: { lt: transactionId } }, { id: { lt: id } }] };
}

const actedBy = (actor: string): Prisma.AuditEntryWhereInput =>
  actor === OPERATOR ? { OR: [{ actor }, { actor: { startsWith: `${OPERATOR}:` } }] } : { actor };

const listEntryPatients = ({ resource, resourceIds, patientIds }: AuditEntry): number[] => [
  ...patientIds,
  ...(resource === 'patient' ? resourceIds : []),
];

/** The patients among these whose charts do not exist for the caller. */
async function findHiddenPatients(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
  if (maySeeRestricted(tx) || ids.length === 0) return new Set();
  const where = { ...tx.practice, id: { in: [...new Set(ids)] }, restricted: true };
  return new Set((await tx.prisma.patient.findMany({ where, select: { id: true } })).map(({ id }) => id));
}

function withoutHidden(entry: AuditEntry, hidden: ReadonlySet<number>): ShownAuditEntry {
  const patientRestricted = listEntryPatients(entry).some((id) => hidden.has(id));
  if (!patientRestricted) return { ...entry, patientRestricted };
  const keepVisible = (ids: number[]) => ids.filter((id) => !hidden.has(id));
  return {
    ...entry,
    // The records of an entry about a restricted chart lead to it.
    resourceIds: entry.resource === 'patient' ? keepVisible(entry.resourceIds) : [],
    patientIds: keepVisible(entry.patientIds),
    patientRestricted,
  };
}
