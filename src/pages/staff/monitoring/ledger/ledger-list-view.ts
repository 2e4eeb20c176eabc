import { Temporal } from 'temporal-polyfill';
import type { ClosingState } from '../../../../domain/monitoring/monthly-billing/closing/closing.ts';
import type { Ledger, LedgerRow } from '../../../../domain/monitoring/monthly-billing/ledger/ledger.ts';
import { evidencePath } from '../../../../domain/monitoring/monthly-billing/ledger/ledger-evidence.ts';
import type { LinkPractice } from '../../../../domain/practices/link-practice.ts';
import { lastPage } from '../../../../domain/values/paging.ts';
import { fullName } from '../../../../domain/values/person-names.ts';
import { writeMoment, writeMonthWords } from '../../../../http/trend-figures/words.ts';
import { writeCodes } from '../../../../http/wire/ledger-table.ts';
import { card } from '../../../design/content/card.ts';
import { table } from '../../../design/content/table.ts';
import { badge } from '../../../design/feedback/badge.ts';
import { emptyState } from '../../../design/feedback/empty-state.ts';
import { progress } from '../../../design/feedback/progress.ts';
import { linkButton } from '../../../design/forms/button.ts';
import { confirmedButton } from '../../../design/forms/confirmed-button.ts';
import { writePage } from '../../../design/layout/page.ts';
import { html } from '../../../html.ts';
import type { RefusedForm } from '../../forms/form-state.ts';
import { refusalAlert } from '../../forms/refusal.ts';
import { writePatientName } from '../alert-item.ts';
import { MONITORING_STYLE } from '../live-part.ts';

export interface LedgerListView {
  practice: LinkPractice;
  ledger: Ledger;
  /** Null for who is no admin. */
  closing: ClosingState | null;
  refused?: RefusedForm | undefined;
  /** Markup of the line above the page. */
  bar: string;
}

export const ledgerAddress = (month: string): string => `/monitoring/ledger/${month}`;

/** The ledger of a month: a row for each patient, and the closing for admins. */
export const ledgerListPage = ({ practice, ledger, closing, refused, bar }: LedgerListView): string => {
  const { period, items, total } = ledger;
  const { month, closed } = period;
  return writePage({
    title: `Ledger of ${writeMonthWords(month)}`,
    practice,
    layout: 'wide',
    style: MONITORING_STYLE,
    back: { href: '/monitoring', label: 'Monitoring' },
    content: html`
!${bar}
!${refused === undefined ? '' : refusalAlert(refused, false)}
!${monthLinks(month, practice.timeZone)}
!${card({
      title: `Patients (${total})`,
      content: html`
<p class="hint">${closed === null ? 'The month is open.' : `Closed on ${writeMoment(closed.at, period.timeZone)} by ${fullName(closed.by) ?? 'a user'}. SHA-256 of the month: ${closed.hash}`}</p>
<p class="row">!${linkButton({ href: `${ledgerAddress(month)}.csv`, label: 'Download as CSV' })}</p>
!${items.length === 0 ? emptyState({ icon: 'people', title: 'No patient was monitored in this month' }) : rowsTable(items, month)}
!${pageLinks(ledger)}`,
    })}
!${closing === null ? '' : closingCard(closing, period.span.before <= Date.now())}`,
  });
};

function monthLinks(month: string, timeZone: string): string {
  const shown = Temporal.PlainYearMonth.from(month);
  const present = Temporal.Now.plainDateISO(timeZone).toPlainYearMonth();
  const next = shown.add({ months: 1 });
  const links = [shown.subtract({ months: 1 }), ...(Temporal.PlainYearMonth.compare(next, present) > 0 ? [] : [next])].map(String);
  return html`<nav class="row month-links" aria-label="Other months">!${links.map((one) => html`<a href="${ledgerAddress(one)}">${writeMonthWords(one)}</a>`).join('')}</nav>`;
}

const COLUMNS = [
  { label: 'Patient' },
  { label: 'Codes' },
  { label: 'Days', isNumber: true },
  { label: 'Minutes', isNumber: true },
  { label: 'Missing' },
  { label: 'To check' },
  { label: 'Evidence' },
];

const rowsTable = (rows: readonly LedgerRow[], month: string): string =>
  table({
    caption: 'Codes, days with readings and minutes',
    isCaptionHidden: true,
    isStacked: true,
    columns: COLUMNS,
    rows: rows.map((row) => [
      html`<bdi><a href="/monitoring/patients/${row.patient.id}">${writePatientName(row.patient)}</a></bdi>`,
      html`${writeCodes(row)}`,
      html`${row.days}`,
      html`${row.minutes}`,
      html`${row.missing.map(({ text }) => text).join('; ')}`,
      renderMarks(row),
      linkButton({
        href: evidencePath(month, row.patient.id),
        label: 'Evidence',
        kind: 'plain',
        attributes: { 'aria-label': `Evidence of ${writePatientName(row.patient)}` },
      }),
    ]),
  });

function renderMarks({ holds, leftOut, pendingCorrections }: LedgerRow): string {
  const held = holds.filter(({ release }) => release === null).length;
  return [
    held === 0 ? '' : badge(held === 1 ? '1 hold' : `${held} holds`, 'warning', 'warning'),
    pendingCorrections.length === 0 ? '' : badge('changed since the closing', 'warning'),
    leftOut.length === 0 ? '' : badge('some records do not count'),
  ].join('');
}

function closingCard({ month, state, patients, done, held }: ClosingState, isOver: boolean): string {
  if (state === 'closed') return '';
  if (!isOver) return card({ title: 'Closing', content: html`<p>An administrator closes the month once it is over.</p>` });
  const words = {
    open: 'Closing a month fixes its rows. Later changes are recorded as corrections.',
    closing: 'The month is being closed. This page reloads every few seconds.',
    refused: `The month was not closed: ${held === 1 ? '1 hold is' : `${held} holds are`} open.`,
  }[state];
  const close = (id: string, label: string, question: string, text: string, leaveHeld: boolean) =>
    confirmedButton({
      id,
      label,
      kind: 'plain',
      question,
      words: text,
      form: { action: `${ledgerAddress(month)}/close${leaveHeld ? '?leave_held=1' : ''}` },
    });
  return card({
    title: 'Closing',
    content: html`<p>${words}</p>!${
      state === 'closing'
        ? progress({ id: 'closing', label: 'Closing', value: done, max: Math.max(patients, 1), text: `${done} of ${patients} patients` })
        : html`<div class="row">!${close('close', 'Close the month', `Close ${writeMonthWords(month)}?`, 'Its rows do not change after that.', false)}!${close('close-held', 'Close, and bill nothing that is held', `Close ${writeMonthWords(month)} with open holds?`, 'Held records are never billed.', true)}</div>`
    }`,
  });
}

function pageLinks({ page, limit, total, period }: Ledger): string {
  const link = (to: number, words: string) => html`<a href="${ledgerAddress(period.month)}?page=${to}">${words}</a>`;
  const links = [page > 1 ? link(page - 1, 'Before') : '', page < lastPage({ limit, total }) ? link(page + 1, 'Next') : ''].filter(Boolean);
  return links.length === 0 ? '' : html`<nav class="row" aria-label="More patients">!${links.join('')}</nav>`;
}
