import { type FiltersOf, filter, type SortOf, sortBy } from '../../../database/statements/list.ts';
import type { Prisma } from '../../../generated/prisma/client.ts';
import { recordListed, recordReadWithPatients } from '../../audit/journal-entries.ts';
import { notFound } from '../../errors.ts';
import { DELIVERY_INCLUDE } from '../../messaging/check-ins/check-ins.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { readRecords } from '../../values/list-page.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { readRange, toGiven, type WrittenRange } from '../../values/time/date-range.ts';
import { hasListedPatient } from '../care-team.ts';
import { BY_PATIENT_NAME, listOfPatients } from '../listed-page.sql.ts';
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
export const ALERTS = listOfPatients({
  table: 'monitoring_alert',
  filters: {
    state: filter<AlertState>('text', (state) => `r.state = ${state}`),
    severity: filter<Severity>('text', (severity) => `r.severity = ${severity}`),
    kind: filter<AlertKind>('text', (kind) => `r.kind = ${kind}`),
    patientId: filter<number>('int', (id) => `r.patient_id = ${id}`),
    /** Alerts of patients who were in the program when they were raised. */
    programId: filter<number>('int', (id) => `${id} = ANY (r.program_ids)`),
    /** When they were raised. */
    from: filter<Date>('timestamptz', (from) => `r.raised_at >= ${from}`),
    before: filter<Date>('timestamptz', (before) => `r.raised_at < ${before}`),
  },
  orders: {
    severity: sortBy('r.gravity', 'r.raised_at', 'r.id'),
    raisedAt: sortBy('r.raised_at', 'r.id'),
    occurredAt: sortBy('r.occurred_at', 'r.id'),
    patientName: BY_PATIENT_NAME,
    id: sortBy('r.id'),
  },
});

export interface AlertFilter extends Omit<FiltersOf<typeof ALERTS>, 'from' | 'before'> {
  /** Range of the times when they were raised. */
  dates: WrittenRange;
  sort: SortOf<typeof ALERTS>;
}

/** The alerts of the organization, without those of charts that are not listed. Audited with the patients who are shown. */
export async function listAlerts(tx: Tx, { dates, sort, ...filter }: AlertFilter, page: PageRequest): Promise<Page<AlertView>> {
  const range = await readRange(dates, () => organizationZone(tx));
  const wanted = { filter: { ...filter, ...toGiven(range) }, sort, page };
  const listed = await readRecords(tx, ALERTS, wanted, (ids) =>
    tx.prisma.monitoringAlert.findMany({ where: { ...tx.practice, id: { in: ids } }, include: ALERT_INCLUDE }),
  );
  recordListed(tx, 'monitoring_alert', listed.items);
  return listed;
}

/** Reads an alert. Audited. @throws Failure not_found, also for one of a chart that is not listed */
export async function readAlert(tx: Tx, id: number): Promise<AlertView> {
  const where = { ...tx.practice, id, ...hasListedPatient(tx) };
  const alert = await tx.prisma.monitoringAlert.findFirst({ where, include: ALERT_INCLUDE });
  if (!alert) throw notFound('alert');
  recordReadWithPatients(tx, 'monitoring_alert', { ids: [id], patientIds: [alert.patientId] }, 'read');
  return alert;
}
