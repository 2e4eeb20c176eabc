import type { AlertView } from '../../../domain/monitoring/alerts/alert-list.ts';
import type { MonitoringState } from '../../../domain/monitoring/alerts/monitoring-state.ts';
import type { ReportedCheckIn } from '../../../domain/monitoring/reviews/check-ins.ts';
import { judgeSeverity } from '../../../domain/monitoring/targets.ts';
import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import type { Page } from '../../../domain/values/paging.ts';
import { zoneName } from '../../../http/trend-figures/words.ts';
import { card } from '../../design/content/card.ts';
import { badge } from '../../design/feedback/badge.ts';
import { emptyState } from '../../design/feedback/empty-state.ts';
import { writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import { alertItem, writePatientName } from './alert-item.ts';
import { LIVE_NEWS, livePart, MONITORING_SCRIPT, MONITORING_STYLE } from './live-part.ts';
import { answeredWords, answersList } from './patients/check-in-card.ts';

/** All that waits for somebody of the practice. */
export interface WorkList {
  practice: LinkPractice;
  alerts: Page<AlertView>;
  /** Alerts that somebody looks after, newest first. */
  acknowledged: Page<AlertView>;
  checkIns: Page<ReportedCheckIn>;
  state: MonitoringState;
  /** Address of the lists alone. */
  address: string;
}

/**
 * The first page of monitoring: open alerts, check-ins that wait for a review, and alerts that somebody looks after.
 * @param bar markup of the line above the page
 */
export const workListPage = (list: WorkList, bar: string): string =>
  writePage({
    title: 'Monitoring',
    practice: list.practice,
    layout: 'wide',
    style: MONITORING_STYLE,
    script: MONITORING_SCRIPT,
    content: html`
!${bar}
!${LIVE_NEWS}
<p class="row"><a href="/monitoring/patients">All monitored patients</a><a href="/monitoring/ledger">Ledger</a></p>
!${workLists(list)}
<p class="hint">Times are in the practice’s time zone (${zoneName(new Date(), list.practice.timeZone)}). This page updates automatically.</p>`,
  });

/** The lists alone, which the script asks for. */
export const workLists = ({ practice, alerts, acknowledged, checkIns, state, address }: WorkList): string =>
  livePart(
    address,
    state,
    html`
!${card({ title: writeHeading('Open alerts', alerts), content: renderAlerts(alerts, practice.timeZone) })}
!${card({ title: writeHeading('Check-ins to review', checkIns), content: renderCheckIns(checkIns, practice.timeZone) })}
!${acknowledged.total === 0 ? '' : card({ title: writeHeading('Acknowledged alerts', acknowledged), content: alertList(acknowledged, 'acknowledged', practice.timeZone) })}`,
  );

const writeHeading = (title: string, { total }: { total: number }): string => (total === 0 ? title : `${title} (${total})`);

function renderAlerts(alerts: Page<AlertView>, timeZone: string): string {
  if (alerts.items.length === 0)
    return emptyState({
      icon: 'success',
      title: 'No alert is open',
      text: 'Values outside their targets, urgent symptoms and missed check-ins appear here.',
    });
  return alertList(alerts, 'alerts', timeZone);
}

const alertList = (alerts: Page<AlertView>, name: string, timeZone: string): string =>
  html`<ul class="list">!${alerts.items.map((alert) => alertItem({ alert, timeZone, isNamed: true })).join('')}</ul>!${renderPageLinks(alerts, name)}`;

function renderCheckIns(checkIns: Page<ReportedCheckIn>, timeZone: string): string {
  if (checkIns.items.length === 0) return emptyState({ icon: 'success', title: 'No check-in to review' });
  return html`<ul class="list">!${checkIns.items.map((checkIn) => checkInItem(checkIn, timeZone)).join('')}</ul>!${renderPageLinks(checkIns, 'checkins')}`;
}

const NO_NAMES = new Map<number, string>();

const checkInItem = (checkIn: ReportedCheckIn, timeZone: string): string => html`
<li id="checkin-${checkIn.id}" class="monitoring-item"><div class="list-text">
<p class="row"><bdi><a class="list-title" href="/monitoring/patients/${checkIn.patientId}#checkin-${checkIn.id}">${writePatientName(checkIn.patient)}</a></bdi>!${marksOfCheckIn(checkIn)}</p>
<span class="hint"><bdi>${checkIn.survey?.name ?? 'Check-in'}</bdi> · ${answeredWords(checkIn, timeZone)}</span>
<details><summary>Answers</summary>!${answersList(checkIn, NO_NAMES)}</details>
</div></li>`;

/** The gravest of the values, and whether a symptom is urgent. */
function marksOfCheckIn({ answers, isOutOfTarget }: ReportedCheckIn): string {
  const isDanger = answers.some(
    ({ answer, target }) => typeof answer === 'number' && target !== null && judgeSeverity(target, answer) === 'danger',
  );
  const value = isDanger ? badge('danger', 'danger', 'danger') : isOutOfTarget === true ? badge('out of target', 'warning', 'warning') : '';
  return `${value}${answers.some(({ isUrgent }) => isUrgent === true) ? badge('urgent', 'warning', 'warning') : ''}`;
}

/** Links to the pages before and after. */
function renderPageLinks({ page, limit, total }: Page<unknown>, list: string): string {
  const link = (to: number, words: string) => html`<a href="/monitoring?${list}=${to}">${words}</a>`;
  const links = [page > 1 ? link(page - 1, 'Newer') : '', page * limit < total ? link(page + 1, 'Older') : ''].filter(Boolean);
  return links.length === 0 ? '' : html`<nav class="row" aria-label="More ${list}">!${links.join('')}</nav>`;
}
