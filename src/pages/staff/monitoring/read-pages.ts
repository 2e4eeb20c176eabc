import { notFound } from '../../../domain/errors.ts';
import { listSurveyTypes } from '../../../domain/messaging/check-ins/survey-types.ts';
import { type AlertFilter, type AlertState, listAlerts } from '../../../domain/monitoring/alerts/alert-list.ts';
import { readMonitoringState } from '../../../domain/monitoring/alerts/monitoring-state.ts';
import { listMonitoringConsents } from '../../../domain/monitoring/monthly-billing/consents.ts';
import { findMonitoredPatient } from '../../../domain/monitoring/patients/patients.ts';
import { listItems } from '../../../domain/monitoring/programs/items.ts';
import { listPrograms } from '../../../domain/monitoring/programs/programs.ts';
import { listReadings } from '../../../domain/monitoring/readings/reading-list.ts';
import { listOpenCheckIns, listPatientCheckIns } from '../../../domain/monitoring/reviews/check-ins.ts';
import { findReviewsOfCheckIns } from '../../../domain/monitoring/reviews/reviews.ts';
import { readTrends } from '../../../domain/monitoring/trends/read-trend.ts';
import { readPatient } from '../../../domain/patients/chart/find-patient.ts';
import { findPatientReach } from '../../../domain/patients/guardians/reach.ts';
import { requireLinkPractice } from '../../../domain/practices/link-practice.ts';
import type { Tx } from '../../../domain/tx.ts';
import { writeDay } from '../../../domain/values/time/time.ts';
import { writePatientName } from './alert-item.ts';
import type { PageRange } from './page-range.ts';
import { toPatientCalls } from './patients/patient-calls.ts';
import type { PatientReview } from './patients/patient-view.ts';
import { MOST_READINGS, USUAL_READINGS } from './patients/readings-card.ts';
import type { WorkList } from './work-list-view.ts';

const ALWAYS = { min: undefined, max: undefined, fields: { min: 'start_date', max: 'end_date' } };
/** Alerts and check-ins of one page of the list. */
const [ALERTS_LISTED, CHECK_INS_LISTED] = [50, 20];
/** Alerts of one patient in each state, check-ins, and readings. */
const [MOST_ALERTS, MOST_CHECK_INS, MOST_CLOSED] = [100, 10, 20];

/** Choices that a form offers. */
const CHOICES = { page: 1, limit: 200 };

/** Pages of the lists, from 1 on. */
export interface ListPages {
  alerts: number;
  acknowledged: number;
  checkIns: number;
}

/** The open alerts, the gravest first, those that somebody looks after, and the check-ins that wait for a review. */
export async function readWorkList(tx: Tx, pages: ListPages): Promise<WorkList> {
  const alertsIn = (state: AlertState, order: AlertFilter['sort']['order'], page: number) =>
    listAlerts(tx, { state, dates: ALWAYS, sort: { order, descending: true } }, { page, limit: ALERTS_LISTED });
  return {
    practice: await requireLinkPractice(tx),
    state: await readMonitoringState(tx),
    address: `/monitoring/waiting?alerts=${pages.alerts}&acknowledged=${pages.acknowledged}&checkins=${pages.checkIns}`,
    alerts: await alertsIn('open', 'severity', pages.alerts),
    acknowledged: await alertsIn('acknowledged', 'raisedAt', pages.acknowledged),
    checkIns: await listOpenCheckIns(tx, { page: pages.checkIns, limit: CHECK_INS_LISTED }),
  };
}

/** All that the page of a patient shows. Audited. @throws Failure not_found */
export async function readPatientReview(
  tx: Tx,
  { patientId, range, allReadings }: { patientId: number; range: PageRange; allReadings: boolean },
): Promise<PatientReview> {
  const patient = await readPatient(tx, patientId);
  const recipient = await findPatientReach(tx, patientId);
  if (!recipient) throw notFound('patient');
  const alertsIn = async (state: AlertState, most: number) => {
    const sort =
      state === 'closed' ? ({ order: 'raisedAt', descending: true } as const) : ({ order: 'severity', descending: true } as const);
    return (await listAlerts(tx, { state, patientId, dates: ALWAYS, sort }, { page: 1, limit: most })).items;
  };
  const sort = { order: 'sentAt', descending: true } as const;
  const checkIns = await listPatientCheckIns(tx, { patientId, dates: ALWAYS, sort }, { page: 1, limit: MOST_CHECK_INS });
  const checkInIds = checkIns.items.map(({ id }) => id);
  const reviews = await findReviewsOfCheckIns(tx, checkInIds);
  return {
    practice: await requireLinkPractice(tx),
    patient: { id: patientId, name: writePatientName(patient), birthDate: writeDay(patient.birthDate), calls: toPatientCalls(patient) },
    recipient,
    consent: (await listMonitoringConsents(tx, patientId, { page: 1, limit: 1 })).items[0] ?? null,
    monitored: await findMonitoredPatient(tx, patientId),
    alerts: {
      waiting: [...(await alertsIn('open', MOST_ALERTS)), ...(await alertsIn('acknowledged', MOST_ALERTS))],
      closed: await alertsIn('closed', MOST_CLOSED),
    },
    checkIns,
    reviews: Map.groupBy(reviews, ({ checkInId }) => checkInId),
    trends: await readTrends(tx, { patientId, ...range }),
    range,
    state: await readMonitoringState(tx),
    readings: await listReadings(
      tx,
      { patientId, itemIds: undefined, source: undefined, dates: ALWAYS },
      { order: 'measuredAt', descending: true },
      { page: 1, limit: allReadings ? MOST_READINGS : USUAL_READINGS },
    ),
    care: {
      programs: (await listPrograms(tx, { order: 'name', descending: false }, CHOICES)).items,
      surveys: (await listSurveyTypes(tx, true, CHOICES)).items,
      items: (await listItems(tx, { order: 'name', descending: false }, CHOICES)).items,
    },
    reader: tx,
  };
}
