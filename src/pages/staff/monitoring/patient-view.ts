import { Temporal } from 'temporal-polyfill';
import type { AlertView } from '../../../domain/monitoring/alerts/alert-list.ts';
import type { MonitoringState } from '../../../domain/monitoring/alerts/monitoring-state.ts';
import { evidencePath } from '../../../domain/monitoring/monthly-billing/ledger/ledger-evidence.ts';
import type { MonitoredPatient } from '../../../domain/monitoring/patients/patients.ts';
import type { ReportedCheckIn } from '../../../domain/monitoring/reviews/check-ins.ts';
import type { Review } from '../../../domain/monitoring/reviews/reviews.ts';
import type { Trend } from '../../../domain/monitoring/trends/trend.ts';
import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import type { Page } from '../../../domain/values/paging.ts';
import { describeTrend } from '../../../http/trend-figures/words.ts';
import { card } from '../../design/content/card.ts';
import { alert as notice } from '../../design/feedback/alert.ts';
import { badge } from '../../design/feedback/badge.ts';
import { html } from '../../html.ts';
import { acknowledgeAllForm, alertItem } from './alert-item.ts';
import { answeredWords, answersList, type ConditionNames } from './check-in-card.ts';
import { livePage } from './live-part.ts';
import { type PageRange, rangeLinks } from './page-range.ts';
import { type PatientCalls, patientCalls } from './patient-calls.ts';
import { type RefusedReview, reviewForm } from './review-form.ts';
import { reviewsList } from './reviews-list.ts';
import { trendFigure, trendTable } from './trend-figure.ts';

/** All that the page of a patient shows. */
export interface PatientReview {
  practice: LinkPractice;
  patient: { id: number; name: string; birthDate: string | null; calls: PatientCalls };
  /** Null for a patient without the flag RPM. */
  monitored: MonitoredPatient | null;
  alerts: { waiting: AlertView[]; closed: AlertView[] };
  checkIns: Page<ReportedCheckIn>;
  /** By the ids of their check-ins, the first one first. */
  reviews: ReadonlyMap<number, readonly Review[]>;
  trends: Trend[];
  range: PageRange;
  state: MonitoringState;
  isAdmin: boolean;
  /** A review that could not be stored. */
  refused?: RefusedReview | undefined;
  /** The reason for which another form was refused. */
  problem?: string | undefined;
}

/**
 * The page of a patient: alerts, check-ins with their answers and targets, and the trend figures.
 * @param bar markup of the line above the page
 */
export const patientPage = (review: PatientReview, bar: string): string =>
  livePage({
    title: review.patient.name,
    practice: review.practice,
    bar,
    state: review.state,
    content: html`!${review.problem === undefined ? '' : notice({ kind: 'danger', content: html`<p>${review.problem}</p>`, attributes: { role: 'alert' } })}
!${aboutPatient(review)}
!${patientCalls(review.patient.calls)}
!${ledgerLinks(review)}
!${alertsCard(review)}
!${checkInsCard(review)}
!${trendsCard(review)}`,
  });

function aboutPatient({ patient, monitored }: PatientReview): string {
  const programs = (monitored?.programs ?? [])
    .filter(({ removed_at }) => removed_at === null)
    .map(({ program_name, step_name }) => (step_name === null ? program_name : `${program_name}, ${step_name}`));
  const lines = [
    patient.birthDate === null ? '' : `Born ${patient.birthDate}`,
    programs.length === 0 ? '' : `In: ${programs.join('; ')}`,
    monitored === null || monitored.conditions.length === 0 ? '' : `Tracked: ${[...conditionNames(monitored).values()].join(', ')}`,
  ].filter(Boolean);
  return lines.length === 0 ? '' : html`<p class="hint patient-lines">!${lines.map((line) => html`<span>${line}</span>`).join(' · ')}</p>`;
}

/** Links to the evidence of this month and the last. */
function ledgerLinks({ patient: { id }, practice: { timeZone } }: PatientReview): string {
  const present = Temporal.Now.plainDateISO(timeZone).toPlainYearMonth();
  const months = [present, present.subtract({ months: 1 })].map(String);
  return html`<p class="row">!${months.map((month) => html`<a href="${evidencePath(month, id)}">Ledger of ${month}</a>`).join('')}</p>`;
}

const conditionNames = (monitored: MonitoredPatient | null): ConditionNames =>
  new Map((monitored?.conditions ?? []).map(({ id, icdCode, icdLexCode }) => [id, icdCode ?? `condition ${icdLexCode ?? id}`]));

function alertsCard({ alerts: { waiting, closed }, patient, practice: { timeZone } }: PatientReview): string {
  const listed = (alerts: readonly AlertView[]) =>
    html`<ul class="list">!${alerts.map((alert) => alertItem({ alert, timeZone })).join('')}</ul>`;
  return card({
    title: 'Alerts',
    content: html`
!${acknowledgeAllForm(patient.id, waiting)}
!${waiting.length === 0 ? html`<p>No alert waits.</p>` : listed(waiting)}
!${closed.length === 0 ? '' : html`<details><summary>Closed alerts</summary>!${listed(closed)}</details>`}`,
  });
}

function checkInsCard(review: PatientReview): string {
  const { checkIns, reviews, practice, monitored, patient, isAdmin, refused } = review;
  const names = conditionNames(monitored);
  const shown = checkIns.items.map(
    (checkIn) => html`
<section class="check-in" id="checkin-${checkIn.id}" aria-labelledby="checkin-${checkIn.id}-heading">
<h3 id="checkin-${checkIn.id}-heading">${checkIn.survey?.name ?? 'Check-in'}</h3>
<p class="row"><span class="hint">${answeredWords(checkIn, practice.timeZone)}</span>!${stateBadge(checkIn)}</p>
!${checkIn.answeredAt === null ? '' : answersList(checkIn, names)}
!${reviewsList(reviews.get(checkIn.id) ?? [], practice.timeZone)}
!${reviewForm({ patientId: patient.id, checkInId: checkIn.id, isAdmin, refused: refused?.values.checkin === checkIn.id ? refused : null })}
</section>`,
  );
  return card({
    title: 'Check-ins',
    content: html`!${shown.length === 0 ? html`<p>None in this time.</p>` : shown.join('')}
!${checkIns.total > checkIns.items.length ? html`<p class="hint">The newest ${checkIns.items.length} of ${checkIns.total} are shown.</p>` : ''}`,
  });
}

function stateBadge({ answeredAt, reviews }: ReportedCheckIn): string {
  if (reviews.length > 0) return badge(reviews.length === 1 ? 'reviewed' : `${reviews.length} reviews`, 'success', 'success');
  return answeredAt === null ? '' : badge('waits for a review', 'accent', 'clock');
}

function trendsCard({ trends, patient: { id }, range }: PatientReview): string {
  const figures = trends.map(
    (trend) => html`
<section class="trend" aria-labelledby="trend-${trend.item.id}">
<h3 id="trend-${trend.item.id}"><a href="/monitoring/patients/${id}/charts/${trend.item.id}">${trend.item.name}</a></h3>
<div class="trend-parts">!${trendFigure(trend)}
<div class="trend-table"><p class="hint">${describeTrend(trend)}</p>!${trend.points.length === 0 ? '' : trendTable(trend)}</div></div>
</section>`,
  );
  return card({
    title: 'Readings',
    content: html`!${rangeLinks(`/monitoring/patients/${id}`, range)}
!${figures.length === 0 ? html`<p>Nothing was measured yet.</p>` : figures.join('')}`,
  });
}
