import type { Db } from '../../../database/database.ts';
import type { SortTerm } from '../../../database/statements/list-order.ts';
import { Prisma } from '../../../generated/prisma/client.ts';
import { recordListed, recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { DELIVERY_INCLUDE } from '../../messaging/check-ins/check-ins.ts';
import { organizationZoneIn } from '../../practices/organization-zone.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { type DateRange, readRange, type WrittenRange } from '../../values/time/date-range.ts';
import { hasListedPatient } from '../care-team.ts';
import { BY_PATIENT_NAME } from '../listed-page.sql.ts';
import { findListedPage } from '../listed-page.ts';
import type { Severity } from './new-alerts.sql.ts';
import type { AlertKind } from './new-alerts.ts';

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
  const rows = { table: 'monitoring_alert', caller, which: whichAlerts(filter, range) } as const;
  const order = { name: sort.order, columns: COLUMNS[sort.order], descending: sort.descending };
  const listed = await findListedPage(db, rows, order, page, (ids) =>
    db.monitoringAlert.findMany({ where: { organizationId, id: { in: ids } }, include: ALERT_INCLUDE }),
  );
  recordListed(caller, 'monitoring_alert', listed.items);
  return listed;
}

/** Conditions on alerts `r`. */
export function whichAlerts(
  { state, severity, kind, patientId, programId }: Omit<AlertFilter, 'dates' | 'sort'>,
  { from, before }: DateRange,
): Prisma.Sql[] {
  return [
    ...(state ? [Prisma.sql`r.state = ${state}`] : []),
    ...(severity ? [Prisma.sql`r.severity = ${severity}`] : []),
    ...(kind ? [Prisma.sql`r.kind = ${kind}`] : []),
    ...(patientId === undefined ? [] : [Prisma.sql`r.patient_id = ${patientId}`]),
    ...(programId === undefined ? [] : [Prisma.sql`${programId}::int = ANY (r.program_ids)`]),
    ...(from ? [Prisma.sql`r.raised_at >= ${from}`] : []),
    ...(before ? [Prisma.sql`r.raised_at < ${before}`] : []),
  ];
}

const RAISED_AT = { sql: 'r.raised_at' };
const COLUMNS: Record<AlertOrder, readonly SortTerm[]> = {
  severity: [{ sql: 'r.gravity' }, RAISED_AT],
  raisedAt: [RAISED_AT],
  occurredAt: [{ sql: 'r.occurred_at' }],
  patientName: BY_PATIENT_NAME,
  id: [],
};

/** Reads an alert. Audited. @throws Failure not_found, also for one of a chart that is not listed */
export async function readAlert(db: Db, caller: Caller, id: number): Promise<AlertView> {
  const where = { organizationId: caller.organizationId, id, ...hasListedPatient(caller) };
  const alert = await db.monitoringAlert.findFirst({ where, include: ALERT_INCLUDE });
  if (!alert) throw notFound('alert');
  recordReadWithPatients(caller, 'monitoring_alert', { ids: [id], patientIds: [alert.patientId] }, 'read');
  return alert;
}
