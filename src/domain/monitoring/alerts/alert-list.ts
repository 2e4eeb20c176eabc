import type { Db } from '../../../database/database.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordListed, recordReadWithPatients } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';
import { notFound } from '../../errors.ts';
import { DELIVERY_INCLUDE } from '../../messaging/check-ins/check-ins.ts';
import { organizationZoneIn } from '../../practices/organization-zone.ts';
import { readRange, type WrittenRange } from '../../values/date-range.ts';
import { type Page, type PageRequest, window } from '../../values/paging.ts';
import { HAS_LISTED_PATIENT } from '../care-team.ts';
import { byPatientName } from '../patient-order.ts';
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
  const { from, before } = await readRange(dates, () => organizationZoneIn(db, caller));
  const raisedAt = { ...(from ? { gte: from } : {}), ...(before ? { lt: before } : {}) };
  const where = {
    organizationId: caller.organizationId,
    ...HAS_LISTED_PATIENT,
    ...whereOf(filter),
    ...(from || before ? { raisedAt } : {}),
  } satisfies Prisma.MonitoringAlertWhereInput;
  const [items, total] = await Promise.all([
    db.monitoringAlert.findMany({ where, include: ALERT_INCLUDE, orderBy: orderOf(sort), ...window(page) }),
    db.monitoringAlert.count({ where }),
  ]);
  recordListed(caller, 'monitoring_alert', items);
  return { ...page, items, total };
}

function whereOf({ state, severity, kind, patientId, programId }: Omit<AlertFilter, 'dates' | 'sort'>): Prisma.MonitoringAlertWhereInput {
  return {
    ...(state ? { state } : {}),
    ...(severity ? { severity } : {}),
    ...(kind ? { kind } : {}),
    ...(patientId === undefined ? {} : { patientId }),
    ...(programId === undefined ? {} : { programIds: { has: programId } }),
  };
}

function orderOf({ order, descending }: AlertFilter['sort']): Prisma.MonitoringAlertOrderByWithRelationInput[] {
  const direction = descending ? 'desc' : 'asc';
  const last = [{ raisedAt: direction }, { id: direction }] as const;
  if (order === 'severity') return [{ gravity: direction }, ...last];
  return [...(order === 'patientName' ? byPatientName(direction) : [{ [order]: direction }]), { id: direction }];
}

/** Reads an alert. Audited. @throws Failure not_found, also for one of a chart that is not listed */
export async function readAlert(db: Db, caller: Caller, id: number): Promise<AlertView> {
  const where = { organizationId: caller.organizationId, id, ...HAS_LISTED_PATIENT };
  const alert = await db.monitoringAlert.findFirst({ where, include: ALERT_INCLUDE });
  if (!alert) throw notFound('alert');
  recordReadWithPatients(caller, 'monitoring_alert', { ids: [id], patientIds: [alert.patientId] }, 'read');
  return alert;
}
