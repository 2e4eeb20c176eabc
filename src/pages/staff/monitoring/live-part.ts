import { createHash } from 'node:crypto';
import type { MonitoringState } from '../../../domain/monitoring/alerts/monitoring-state.ts';
import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import { writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';

/** Says nothing of who is monitored. */
export const hashState = (state: MonitoringState): string => createHash('sha256').update(JSON.stringify(state)).digest('base64url');

export const MONITORING_STYLE = '/assets/monitoring.css';
export const MONITORING_SCRIPT = '/assets/client/monitoring.ts';

/** Lines in which the script says that something came, or that the page is old. */
export const LIVE_NEWS = html`
<p id="monitoring-lost" class="alert warning" role="status" hidden>The connection is lost. This page may be out of date; it updates again as soon as possible.</p>
<p id="monitoring-news" class="visually-hidden" role="status"></p>`;

/** The part of a page that its script keeps as the server has it. @param address of the part alone */
export const livePart = (address: string, state: MonitoringState, content: string): string => html`
<div id="monitoring-live" data-address="${address}" data-version="${hashState(state)}" data-open="${state.open}" data-newest="${state.newest}">!${content}</div>`;

export const openAlertsLine = (open: number): string => html`
<p id="open-alerts" data-open="${open}"><a href="/monitoring">${open === 0 ? 'No alert is open' : open === 1 ? '1 alert is open' : `${open} alerts are open`}</a></p>`;

/** The same as a part of its own, for pages that show something else. */
export const openAlertsPart = (state: MonitoringState): string => livePart('/monitoring/open', state, openAlertsLine(state.open));

/**
 * A page of monitoring that shows something else, and on top how many alerts are open.
 * @param page.bar markup of the line above the page
 */
export const livePage = ({ title, practice, bar, state, content }: LivePage): string =>
  writePage({
    title,
    practice,
    layout: 'wide',
    style: MONITORING_STYLE,
    script: MONITORING_SCRIPT,
    back: { href: '/monitoring', label: 'Monitoring' },
    content: html`
!${bar}
!${LIVE_NEWS}
!${openAlertsPart(state)}
!${content}`,
  });

interface LivePage {
  title: string;
  practice: LinkPractice;
  bar: string;
  state: MonitoringState;
  content: string;
}
