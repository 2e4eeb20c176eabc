import { Temporal } from 'temporal-polyfill';
import type { Caller } from '../../../../domain/caller.ts';
import type { AlertView } from '../../../../domain/monitoring/alerts/alert-list.ts';
import type { MonitoringState } from '../../../../domain/monitoring/alerts/monitoring-state.ts';
import type { MonitoringConsent } from '../../../../domain/monitoring/monthly-billing/consents.ts';
import { evidencePath } from '../../../../domain/monitoring/monthly-billing/ledger/ledger-evidence.ts';
import type { MonitoredPatient } from '../../../../domain/monitoring/patients/patients.ts';
import type { ReadingView } from '../../../../domain/monitoring/readings/reading-list.ts';
import type { ReportedCheckIn } from '../../../../domain/monitoring/reviews/check-ins.ts';
import type { Review } from '../../../../domain/monitoring/reviews/reviews.ts';
import type { Trend } from '../../../../domain/monitoring/trends/trend.ts';
import type { Reach } from '../../../../domain/patients/guardians/reach.ts';
import type { LinkPractice } from '../../../../domain/practices/link-practice.ts';
import type { Page } from '../../../../domain/values/paging.ts';
import { describeTrend, writeDayWords, writeMonthWords } from '../../../../http/trend-figures/words.ts';
import { card } from '../../../design/content/card.ts';
import { alert as notice } from '../../../design/feedback/alert.ts';
import { badge } from '../../../design/feedback/badge.ts';
import { html } from '../../../html.ts';
import type { RefusedForm } from '../../forms/form-state.ts';
import { MARKED, refusalAlert } from '../../forms/refusal.ts';
import { acknowledgeAllForm, alertItem } from '../alert-item.ts';
import { livePage } from '../live-part.ts';
import { type PageRange, rangeLinks } from '../page-range.ts';
import { reviewForm } from '../review-form.ts';
import { reviewsList } from '../reviews-list.ts';
import { type CareChoices, checkInForm, conditionsCard, programsCard } from './care-cards.ts';
import { answeredWords, answersList, type ConditionNames } from './check-in-card.ts';
import { consentCard } from './consent-card.ts';
import { type PatientCalls, patientCalls } from './patient-calls.ts';
import { readingsCard } from './readings-card.ts';
import { trendFigure } from './trend-figure.ts';

export interface PatientReview {
  practice: LinkPractice;
  patient: { id: number; name: string; birthDate: string | null; calls: PatientCalls };
  recipient: Reach;
  /** Null for a patient without the flag RPM. */
  /** The newest entry of consent to monitoring. */
  consent: MonitoringConsent | null;
  monitored: MonitoredPatient | null;
  alerts: { waiting: AlertView[]; closed: AlertView[] };
  checkIns: Page<ReportedCheckIn>;
  /** By the ids of their check-ins, the first one first. */
  reviews: ReadonlyMap<number, readonly Review[]>;
  trends: Trend[];
  readings: Page<ReadingView>;
  care: CareChoices;
  range: PageRange;
  state: MonitoringState;
  reader: Pick<Caller, 'role' | 'userId'>;
  refused?: RefusedForm | undefined;
  news?: PatientNews | undefined;
}

/** Results of a form that the page tells, by their names in its query. */
export const PATIENT_NEWS = ['sent', 'sent-in-another-language'] as const;
type PatientNews = (typeof PATIENT_NEWS)[number];
const NEWS: Readonly<Record<PatientNews, string>> = {
  sent: 'The check-in was sent.',
  'sent-in-another-language': 'The check-in was sent. Its survey is not available in the patient’s language, so another language is used.',
};

/**
 * The page of a patient: the trend figures, alerts, readings, check-ins with their answers and reviews, programs, and conditions.
 * @param bar markup of the line above the page
 */
export function patientPage(review: PatientReview, bar: string): string {
  const cards = renderCards(review);
  return livePage({
    title: review.patient.name,
    practice: review.practice,
    bar,
    state: review.state,
    content: html`!${review.refused === undefined ? '' : refusalAlert(review.refused, cards.includes(MARKED))}
!${aboutPatient(review)}
!${patientCalls(review.patient.calls)}
!${renderLinks(review)}
!${cards}`,
  });
}

const renderCards = (review: PatientReview): string => html`
!${trendsCard(review)}
!${alertsCard(review)}
!${readingsCard({ patientId: review.patient.id, refused: review.refused, readings: review.readings, timeZone: review.practice.timeZone, mayMark: ({ recordedByUserId }) => review.reader.role !== 'staff' || recordedByUserId === review.reader.userId })}
!${checkInsCard(review)}
!${programsCard({ patientId: review.patient.id, enrolments: review.monitored?.programs ?? [], programs: review.care.programs, timeZone: review.practice.timeZone })}
!${consentCard({ patientId: review.patient.id, consent: review.consent, timeZone: review.practice.timeZone })}
!${conditionsCard({ patientId: review.patient.id, conditions: review.monitored?.conditions ?? [], items: review.care.items, refused: review.refused })}`;

const renderNews = ({ news }: PatientReview): string => html`
!${news === undefined ? '' : notice({ kind: news === 'sent' ? 'success' : 'warning', content: html`<p>${NEWS[news]}</p>`, attributes: { role: 'status' } })}`;

function aboutPatient({ patient, monitored }: PatientReview): string {
  const programs = (monitored?.programs ?? [])
    .filter(({ removed_at }) => removed_at === null)
    .map(({ program_name, step_name }) => (step_name === null ? program_name : `${program_name}, ${step_name}`));
  const lines = [
    patient.birthDate === null ? '' : `Born ${writeDayWords(patient.birthDate)}`,
    programs.length === 0 ? '' : `In: ${programs.join('; ')}`,
    monitored === null || monitored.conditions.length === 0 ? '' : `Tracked: ${[...conditionNames(monitored).values()].join(', ')}`,
  ].filter(Boolean);
  return lines.length === 0 ? '' : html`<p class="hint patient-lines">!${lines.map((line) => html`<span>${line}</span>`).join(' · ')}</p>`;
}

/** Links to the parts of the page, and to the evidence of this month and the last. */
function renderLinks({ patient: { id }, practice: { timeZone }, alerts, checkIns }: PatientReview): string {
  const present = Temporal.Now.plainDateISO(timeZone).toPlainYearMonth();
  const months = [present, present.subtract({ months: 1 })].map(String);
  const parts = {
    trends: 'Trends',
    alerts: `Alerts (${alerts.waiting.length})`,
    readings: 'Readings',
    'check-ins': `Check-ins (${checkIns.total})`,
    programs: 'Programs',
    consent: 'Consent',
    conditions: 'Conditions',
  };
  return html`<nav class="range-links" aria-label="Parts of the page"><ul>
!${Object.entries(parts)
    .map(([part, label]) => html`<li><a href="#${part}">${label}</a></li>`)
    .join('')}
!${months.map((month) => html`<li><a href="${evidencePath(month, id)}">Ledger of ${writeMonthWords(month)}</a></li>`).join('')}</ul></nav>`;
}

const conditionNames = (monitored: MonitoredPatient | null): ConditionNames =>
  new Map((monitored?.conditions ?? []).map(({ id, icdCode, icdLexCode }) => [id, icdCode ?? `condition ${icdLexCode ?? id}`]));

function alertsCard({ alerts: { waiting, closed }, patient, practice: { timeZone } }: PatientReview): string {
  const renderAlertList = (alerts: readonly AlertView[]) =>
    html`<ul class="list">!${alerts.map((alert) => alertItem({ alert, timeZone })).join('')}</ul>`;
  return card({
    title: 'Alerts',
    attributes: { id: 'alerts' },
    content: html`
!${acknowledgeAllForm(patient.id, waiting)}
!${waiting.length === 0 ? html`<p>No open alerts.</p>` : renderAlertList(waiting)}
!${closed.length === 0 ? '' : html`<details><summary>Closed alerts</summary>!${renderAlertList(closed)}</details>`}`,
  });
}

function checkInsCard(review: PatientReview): string {
  const { checkIns, reviews, practice, monitored, patient, reader, refused } = review;
  const isAdmin = reader.role === 'admin';
  const names = conditionNames(monitored);
  const shown = checkIns.items.map(
    (checkIn) => html`
<article class="check-in" id="checkin-${checkIn.id}" aria-labelledby="checkin-${checkIn.id}-heading">
<h3 id="checkin-${checkIn.id}-heading">${checkIn.survey?.name ?? 'Check-in'}</h3>
<p class="row"><span class="hint">${answeredWords(checkIn, practice.timeZone)}</span>!${stateBadge(checkIn)}</p>
!${checkIn.answeredAt === null ? '' : answersList(checkIn, names)}
!${reviewsList(reviews.get(checkIn.id) ?? [], practice.timeZone, reader)}
!${reviewForm({ patientId: patient.id, checkInId: checkIn.id, isAdmin, refused })}
</article>`,
  );
  return card({
    title: 'Check-ins',
    attributes: { id: 'check-ins' },
    content: html`!${renderNews(review)}!${checkInForm(review.recipient, review.care.surveys, review.refused)}
!${shown.length === 0 ? html`<p>There are none.</p>` : shown.join('')}
!${checkIns.total > checkIns.items.length ? html`<p class="hint">The newest ${checkIns.items.length} of ${checkIns.total} are shown.</p>` : ''}`,
  });
}

function stateBadge({ answeredAt, reviews }: ReportedCheckIn): string {
  if (reviews.length > 0) return badge(reviews.length === 1 ? 'reviewed' : `${reviews.length} reviews`, 'success', 'success');
  return answeredAt === null ? '' : badge('to review', 'accent', 'clock');
}

function trendsCard({ trends, patient: { id }, range }: PatientReview): string {
  const figures = trends.map(
    (trend) => html`
<section class="trend" aria-labelledby="trend-${trend.item.id}">
<h3 id="trend-${trend.item.id}"><a href="/monitoring/patients/${id}/charts/${trend.item.id}">${trend.item.name}</a></h3>
<div class="trend-parts">!${trendFigure(trend)}
<p class="hint">${describeTrend(trend)}</p></div>
</section>`,
  );
  return card({
    title: 'Trends',
    attributes: { id: 'trends' },
    content: html`!${rangeLinks(`/monitoring/patients/${id}`, range)}
!${figures.length === 0 ? html`<p>Nothing has been measured yet.</p>` : figures.join('')}`,
  });
}
