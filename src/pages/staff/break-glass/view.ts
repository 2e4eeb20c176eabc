import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import { type ChartOpening, LONGEST_REASON, OPEN_MINUTES, type OpenChart, SHORTEST_REASON } from '../../../domain/users/chart-openings.ts';
import type { Page } from '../../../domain/values/paging.ts';
import { card } from '../../design/content/card.ts';
import { alert } from '../../design/feedback/alert.ts';
import { badge } from '../../design/feedback/badge.ts';
import { emptyState } from '../../design/feedback/empty-state.ts';
import { button, linkButton } from '../../design/forms/button.ts';
import { textArea, textField } from '../../design/forms/field.ts';
import { writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import { timeIn } from '../administration/layout.ts';
import { type FormState, formState, type RefusedForm } from '../forms/form-state.ts';
import { refusalAlert } from '../forms/refusal.ts';
import { writePatientName } from '../monitoring/alert-item.ts';
import { staffBar } from '../sign-in/staff-bar.ts';
import type { StaffMember } from '../sign-in/staff-scope.ts';

const ADDRESS = '/break-glass';
const NOTHING_TYPED = { patient: '', record_number: '', first_name: '', last_name: '', birth_date: '', reason: '' };

const REASONS = { patient: 'A patient id is a number.' };

export interface BreakGlassView {
  practice: LinkPractice;
  reader: Pick<StaffMember, 'role' | 'privacyOfficer'>;
  /** Whether the user has proved of late who they are; null for a role that opens no chart. */
  opener: 'proven' | 'unproven' | null;
  own: OpenChart[];
  openings: Page<ChartOpening>;
  /** Whether the openings are those of the whole practice. */
  isOfEverybody: boolean;
  /** Whether a privacy officer other than the reader is told of openings. */
  hasOfficer: boolean;
  refused?: RefusedForm | undefined;
  news?: string | undefined;
}

/** The page of emergency access: the open charts of the user, the form that opens one, and the openings on record. */
export function breakGlassPage({
  practice,
  reader,
  opener,
  own,
  openings,
  isOfEverybody,
  hasOfficer,
  refused,
  news,
}: BreakGlassView): string {
  const form = formState({ action: ADDRESS, present: NOTHING_TYPED, refused, reasons: REASONS });
  const mayFill = opener === 'proven' || form.isRefused;
  return writePage({
    title: 'Break-glass',
    practice,
    layout: 'wide',
    content: html`
!${staffBar('/break-glass', reader)}
!${refused === undefined ? '' : refusalAlert(refused, form.isMarked)}
!${news === undefined ? '' : alert({ kind: 'success', content: html`<p>${news}</p>`, attributes: { role: 'status' } })}
!${own.length === 0 ? '' : card({ title: 'Charts open to you', content: renderOwnCharts(own, practice) })}
!${opener === null ? '' : card({ title: 'Open a chart in an emergency', content: mayFill ? openingForm(form, hasOfficer) : proofFirst(hasOfficer) })}
!${card({ title: isOfEverybody ? `Openings in the practice (${openings.total})` : `Your openings (${openings.total})`, content: openingsList(openings, practice) })}`,
  });
}

const renderOwnCharts = (own: readonly OpenChart[], practice: LinkPractice): string => html`
<ul class="list">!${own
  .map(
    ({ id, patientId, endsAt, ...patient }) => html`
<li><div class="list-text"><bdi><a class="list-title" href="/monitoring/patients/${patientId}">${writePatientName({ id: patientId, ...patient })}</a></bdi>
<span class="hint">Patient ${patientId} · open until ${timeIn(endsAt, practice)}</span></div>!${closeForm(id)}</li>`,
  )
  .join('')}</ul>`;

const closeForm = (id: number): string =>
  html`<form method="post" action="/break-glass/${id}/close">!${button({ label: 'Close now', kind: 'plain' })}</form>`;

const whatFollows = (hasOfficer: boolean): string => {
  const told = hasOfficer
    ? 'The privacy officers of the practice are notified immediately'
    : 'The practice has no other privacy officer, so its administrators are notified immediately';
  return html`<p>For ${OPEN_MINUTES} minutes you can open the restricted chart like any other. ${told}, and everything that you look at is recorded.</p>`;
};

const proofFirst = (hasOfficer: boolean): string => html`
!${whatFollows(hasOfficer)}
<p>First confirm that it is you.</p>
<p>!${linkButton({ label: 'Confirm', href: '/sign-in/confirm?to=%2Fbreak-glass' })}</p>`;

const openingForm = (form: FormState, hasOfficer: boolean): string => html`
!${whatFollows(hasOfficer)}
<form class="stack" method="post" action="/break-glass">
<p class="hint" id="ways">Name the patient by id, by record number, or by both names and birth date.</p>
<div class="grid">
!${textField({ ...form.field('patient', { inputmode: 'numeric', maxlength: 10, autocomplete: 'off' }), label: 'Patient id' })}
!${textField({ ...form.field('record_number', { maxlength: 100, autocomplete: 'off' }), label: 'Record number' })}
!${textField({ ...form.field('first_name', { maxlength: 100, autocomplete: 'off' }), label: 'First name' })}
!${textField({ ...form.field('last_name', { maxlength: 100, autocomplete: 'off' }), label: 'Last name' })}
!${textField({ ...form.field('birth_date', { type: 'date', autocomplete: 'off' }), label: 'Day of birth' })}
</div>
!${textArea({ ...form.field('reason', { minlength: SHORTEST_REASON, required: true }), label: 'Reason', hint: `Why you need this chart now, in ${SHORTEST_REASON} to ${LONGEST_REASON} characters.`, required: true, rows: 3 })}
<p>!${button({ label: 'Open the chart', kind: 'danger' })}</p>
</form>`;

function openingsList(openings: Page<ChartOpening>, practice: LinkPractice): string {
  if (openings.items.length === 0)
    return emptyState({
      icon: 'lock',
      title: 'No chart was opened',
      text: 'In an emergency, administrators and providers can open restricted charts.',
    });
  const items = openings.items.map((opening) => openingItem(opening, practice));
  return html`<ul class="list">!${items.join('')}</ul>!${renderPageLinks(openings)}`;
}

function openingItem(opening: ChartOpening, practice: LinkPractice): string {
  const { id, patientId, user, reason, openedAt, endsAt, closedAt } = opening;
  const isOpen = closedAt === null && endsAt > new Date();
  const end = isOpen ? `open until ${timeIn(endsAt, practice)}` : `ended ${timeIn(closedAt ?? endsAt, practice)}`;
  return html`
<li><div class="list-text">
<p class="row"><span class="list-title">!${patientId === null ? 'Nobody was found' : html`Patient ${patientId}`}</span>!${isOpen ? badge('open', 'warning') : ''}!${patientId !== null && closedAt !== null ? badge('closed early') : ''}</p>
<p><bdi>${reason}</bdi></p>
<span class="hint">Opening ${id} · <bdi>${user.firstName} ${user.lastName}</bdi> · ${timeIn(openedAt, practice)}!${patientId === null ? '' : html` · ${end}`}</span>
</div>!${isOpen ? closeForm(id) : ''}</li>`;
}

function renderPageLinks({ page, limit, total }: Page<unknown>): string {
  const link = (to: number, label: string) => html`<a href="/break-glass?page=${to}">${label}</a>`;
  const links = [...(page > 1 ? [link(page - 1, 'Newer')] : []), ...(page * limit < total ? [link(page + 1, 'Older')] : [])];
  return links.length === 0 ? '' : html`<nav class="row" aria-label="More openings">!${links.join(' ')}</nav>`;
}
