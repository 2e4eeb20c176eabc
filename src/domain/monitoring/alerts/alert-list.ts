import type { Db } from '../../../database/database.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import { recordListed, recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { DELIVERY_INCLUDE } from '../../messaging/check-ins/check-ins.ts';
import { organizationZoneIn } from '../../practices/organization-zone.ts';
import { type DateRange, readRange, type WrittenRange } from '../../values/date-range.ts';
import { type Page, type PageRequest, totalOf, window } from '../../values/paging.ts';
import { HAS_LISTED_PATIENT } from '../care-team.ts';
import type { AlertKind, Severity } from './new-alerts.ts';

const NAMES = { select: { id: true, firstName: true, lastName: true } } as const;
const ALERT_INCLUDE = {
  patient: NAMES,
  item: { select: { id: true, name: true, unit: true } },
  checkIn: {
    select: { id: true, sentAt: true, answeredAt: true, survey: { select: { id: true, name: true } }, ...DELIVERY_INCLUDE },
  },
  reading: { select: { measuredAt: true } },
  patientText: { select: { id: true, state: true, reason: true, notBefore: true } },
  acknowledgedBy: NAMES,
  closedBy: NAMES,
} as const satisfies Prisma.MonitoringAlertInclude;

/** An alert as the practice sees it. */
export type AlertView = Prisma.MonitoringAlertGetPayload<{ include: typeof ALERT_INCLUDE }>;

export type AlertState = 'open' | 'acknowledged' | 'closed';
/** `severity`: by gravity, then by the time when it was raised. `patientName` is last name, then first name. */
export type AlertOrder = 'severity' | 'raisedAt' | 'occurredAt' | 'patientName' | 'id';

export interface AlertFilter {
  state?: AlertState | undefined;
  severity?: Severity | undefined;
  kind?: AlertKind | undefined;
  patientId?: number | undefined;
  /** Alerts of patients who were in the program when they were raised. */
  programId?: number | undefined;
  /** Range of the times when they were raised. */
  dates: WrittenRange;
  sort: { order: AlertOrder; descending: boolean };
}

/** The alerts of the organization, without those of charts that are not listed. Audited with the patients who are shown. */
export async function listAlerts(
  db: Db,
  caller: Caller,
  { dates, sort, ...filter }: AlertFilter,
  page: PageRequest,
): Promise<Page<AlertView>> {
  const { organizationId } = caller;
  const range = await readRange(dates, () => organizationZoneIn(db, caller));
  const from = fromAlerts(organizationId, filter, range);
  const { take, skip } = window(page);
  const ids = await db.$queryRaw<{ id: number }[]>`SELECT a.id ${from} ORDER BY ${orderOf(sort)} LIMIT ${take} OFFSET ${skip}`;
  const total = await totalOf(page, ids.length, () => db.$queryRaw<{ total: number }[]>`SELECT count(*)::int AS total ${from}`);
  const rows = await db.monitoringAlert.findMany({
    where: { organizationId, id: { in: ids.map(({ id }) => id) } },
    include: ALERT_INCLUDE,
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const items = ids.flatMap(({ id }) => byId.get(id) ?? []);
  recordListed(caller, 'monitoring_alert', items);
  return { ...page, items, total };
}

/**
 * Alerts `a` of listed patients with their name keys `k`. OFFSET 0 keeps PostgreSQL from reading the keys of all patients for each alert,
 * which it does while it knows little of new rows.
 */
function fromAlerts(
  organizationId: number,
  { state, severity, kind, patientId, programId }: Omit<AlertFilter, 'dates' | 'sort'>,
  { from, before }: DateRange,
): Prisma.Sql {
  const conditions = [
    Prisma.sql`a.organization_id = ${organizationId}`,
    ...(state ? [Prisma.sql`a.state = ${state}`] : []),
    ...(severity ? [Prisma.sql`a.severity = ${severity}`] : []),
    ...(kind ? [Prisma.sql`a.kind = ${kind}`] : []),
    ...(patientId === undefined ? [] : [Prisma.sql`a.patient_id = ${patientId}`]),
    ...(programId === undefined ? [] : [Prisma.sql`${programId}::int = ANY (a.program_ids)`]),
    ...(from ? [Prisma.sql`a.raised_at >= ${from}`] : []),
    ...(before ? [Prisma.sql`a.raised_at < ${before}`] : []),
  ];
  return Prisma.sql`
    FROM monitoring_alert a
   CROSS JOIN LATERAL (
     SELECT k.last_key, k.first_key FROM patient_name_key k
      WHERE k.organization_id = a.organization_id AND k.patient_id = a.patient_id AND k.ordinal = 1 OFFSET 0) AS k
   WHERE ${Prisma.join(conditions, ' AND ')}`;
}

const COLUMNS: Record<AlertOrder, string[]> = {
  severity: ['a.gravity', 'a.raised_at'],
  raisedAt: ['a.raised_at'],
  occurredAt: ['a.occurred_at'],
  patientName: ['k.last_key', 'k.first_key'],
  id: [],
};

const orderOf = ({ order, descending }: AlertFilter['sort']): Prisma.Sql =>
  Prisma.raw([...COLUMNS[order], 'a.id'].map((column) => `${column} ${descending ? 'DESC' : 'ASC'}`).join(', '));

/** Reads an alert. Audited. @throws Failure not_found, also for one of a chart that is not listed */
export async function readAlert(db: Db, caller: Caller, id: number): Promise<AlertView> {
  const where = { organizationId: caller.organizationId, id, ...HAS_LISTED_PATIENT };
  const alert = await db.monitoringAlert.findFirst({ where, include: ALERT_INCLUDE });
  if (!alert) throw notFound('alert');
  recordReadWithPatients(caller, 'monitoring_alert', { ids: [id], patientIds: [alert.patientId] }, 'read');
  return alert;
}
