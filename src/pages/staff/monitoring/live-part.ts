import { createHash } from 'node:crypto';
import type { MonitoringState } from '../../../domain/monitoring/alerts/monitoring-state.ts';
import { html } from '../../html.ts';

/** Says nothing of who is monitored. */
export const versionOf = (state: MonitoringState): string => createHash('sha256').update(JSON.stringify(state)).digest('base64url');

/** Where the script says that something came, or that the page is old. */
export const LIVE_NEWS = html`
<p id="monitoring-lost" class="alert warning" role="status" hidden>The connection is lost. What is shown may be old; it is read again as soon as possible.</p>
<p id="monitoring-news" class="visually-hidden" role="status"></p>`;

/**
 * The part of a page that its script keeps as the server has it.
 * @param address of the part alone
 */
export const livePart = (address: string, state: MonitoringState, content: string): string => html`
<div id="monitoring-live" data-address="${address}" data-version="${versionOf(state)}" data-open="${state.open}" data-newest="${state.newest}">!${content}</div>`;

/** The number of open alerts, as a link to them. */
export const openAlertsLine = (open: number): string => html`
<p id="open-alerts" data-open="${open}"><a href="/monitoring">${open === 0 ? 'No alert is open' : open === 1 ? '1 alert is open' : `${open} alerts are open`}</a></p>`;

/** The same as a part of its own, for pages that show something else. */
export const openAlertsPart = (state: MonitoringState): string => livePart('/monitoring/open', state, openAlertsLine(state.open));
