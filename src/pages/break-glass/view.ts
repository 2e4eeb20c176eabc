import { type ChartOpening, LONGEST_REASON, OPEN_MINUTES, type OpenChart, SHORTEST_REASON } from '../../domain/accounts/chart-openings.ts';
import type { LinkPractice } from '../../domain/practices/link-practice.ts';
import type { Page } from '../../domain/values/paging.ts';
import { timeIn } from '../administration/layout.ts';
import { alert } from '../design/alert.ts';
import { badge } from '../design/badge.ts';
import { button, linkButton } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty-state.ts';
import { textArea, textField } from '../design/field.ts';
import { writePage } from '../design/page.ts';
import { html } from '../html.ts';
import { nameOf } from '../monitoring/alert-item.ts';
import { staffBar } from '../sign-in/staff-bar.ts';
import type { StaffMember } from '../sign-in/staff-scope.ts';

/** A form that was refused, as it was typed, and the reason for it. */
export interface OpeningFormView {
  problem?: string;
  form?: Partial<Record<'patient' | 'record_number' | 'first_name' | 'last_name' | 'birth_date' | 'reason', string>>;
}

export interface BreakGlassView extends OpeningFormView {
  practice: LinkPractice;
  reader: Pick<StaffMember, 'role' | 'privacyOfficer'>;
  /** Whether the user has proved of late who they are; null for a role that opens no chart. */
  opener: 'proven' | 'unproven' | null;
  /** The open charts of the user. */
  own: OpenChart[];
  openings: Page<ChartOpening>;
  /** Whether the openings are those of the whole practice. */
  isOfEverybody: boolean;
}

/** The page of emergency access: the open charts of the user, the form that opens one, and the openings on record. */
export const breakGlassPage = ({ practice, reader, opener, own, openings, isOfEverybody, problem, form = {} }: BreakGlassView): string =>
  writePage({
    title: 'Break-glass',
    practice,
    layout: 'wide',
    content: html`
!${staffBar('/break-glass', reader)}
!${problem === undefined ? '' : alert({ kind: 'danger', content: html`<p>${problem}</p>`, attributes: { role: 'alert' } })}
!${own.length === 0 ? '' : card({ title: 'Charts that are open to you', content: ownCharts(own, practice) })}
!${opener === null ? '' : card({ title: 'Open a chart in an emergency', content: opener === 'proven' ? openingForm(form) : proofFirst })}
!${card({ title: isOfEverybody ? `Openings in the practice (${openings.total})` : `Your openings (${openings.total})`, content: openingsList(openings, practice) })}`,
  });

const ownCharts = (own: readonly OpenChart[], practice: LinkPractice): string => html`
<ul class="list">!${own
  .map(
    ({ id, patientId, endsAt, ...patient }) => html`
<li><div class="list-text"><bdi><a class="list-title" href="/monitoring/patients/${patientId}">${nameOf({ id: patientId, ...patient })}</a></bdi>
<span class="hint">Patient ${patientId} · open until ${timeIn(endsAt, practice)}</span></div>!${closeForm(id)}</li>`,
  )
  .join('')}</ul>`;

const closeForm = (id: number): string =>
  html`<form method="post" action="/break-glass/${id}/close">!${button({ label: 'Close now', kind: 'plain' })}</form>`;

const WHAT_FOLLOWS = html`<p>For ${OPEN_MINUTES} minutes a restricted chart is open to you as any other is. The privacy officers of the practice are told at once, and everything that you look at is on record.</p>`;

const proofFirst = html`
!${WHAT_FOLLOWS}
<p>Confirm first that it is you.</p>
<p>!${linkButton({ label: 'Confirm', href: '/sign-in/confirm?to=%2Fbreak-glass' })}</p>`;

const openingForm = ({
  patient,
  record_number,
  first_name,
  last_name,
  birth_date,
  reason,
}: NonNullable<OpeningFormView['form']>): string => html`
!${WHAT_FOLLOWS}
<form class="stack" method="post" action="/break-glass">
<p class="hint" id="ways">Name the patient by the id, by the record number, or by both names and the day of birth.</p>
<div class="grid">
!${textField({ name: 'patient', label: 'Patient id', value: patient ?? '', attributes: { inputmode: 'numeric', maxlength: 10, autocomplete: 'off' } })}
!${textField({ name: 'record_number', label: 'Record number', value: record_number ?? '', attributes: { maxlength: 100, autocomplete: 'off' } })}
!${textField({ name: 'first_name', label: 'First name', value: first_name ?? '', attributes: { maxlength: 100, autocomplete: 'off' } })}
!${textField({ name: 'last_name', label: 'Last name', value: last_name ?? '', attributes: { maxlength: 100, autocomplete: 'off' } })}
!${textField({ name: 'birth_date', label: 'Day of birth', value: birth_date ?? '', attributes: { type: 'date', autocomplete: 'off' } })}
</div>
!${textArea({ name: 'reason', label: 'Reason', hint: `Why you need this chart now, in ${SHORTEST_REASON} to ${LONGEST_REASON} characters.`, value: reason ?? '', required: true, rows: 3, attributes: { minlength: SHORTEST_REASON, maxlength: LONGEST_REASON, required: true } })}
<p>!${button({ label: 'Open the chart', kind: 'danger' })}</p>
</form>`;

function openingsList(openings: Page<ChartOpening>, practice: LinkPractice): string {
  if (openings.items.length === 0) return emptyState({ icon: 'lock', title: 'No chart was opened' });
  const items = openings.items.map((opening) => openingItem(opening, practice));
  return html`<ul class="list">!${items.join('')}</ul>!${pagesOf(openings)}`;
}

function openingItem(opening: ChartOpening, practice: LinkPractice): string {
  const { id, patientId, user, reason, openedAt, endsAt, closedAt } = opening;
  const isOpen = closedAt === null && endsAt > new Date();
  const end = isOpen ? `open until ${timeIn(endsAt, practice)}` : `ended ${timeIn(closedAt ?? endsAt, practice)}`;
  return html`
<li><div class="list-text">
<p class="row"><span class="list-title">!${patientId === null ? 'Nobody was found' : html`Patient ${patientId}`}</span>!${isOpen ? badge('open', 'warning') : ''}!${patientId !== null && closedAt !== null ? badge('closed early') : ''}</p>
<p><bdi>${reason}</bdi></p>
<span class="hint"><bdi>${user.firstName} ${user.lastName}</bdi> · ${timeIn(openedAt, practice)}!${patientId === null ? '' : html` · ${end}`}</span>
</div>!${isOpen ? closeForm(id) : ''}</li>`;
}

function pagesOf({ page, limit, total }: Page<unknown>): string {
  const link = (to: number, label: string) => html`<a href="/break-glass?page=${to}">${label}</a>`;
  const links = [...(page > 1 ? [link(page - 1, 'Newer')] : []), ...(page * limit < total ? [link(page + 1, 'Older')] : [])];
  return links.length === 0 ? '' : html`<nav class="row" aria-label="More openings">!${links.join(' ')}</nav>`;
}
