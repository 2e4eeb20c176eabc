import type { ListedPatient } from '../../../domain/patients/search/list.ts';
import type { Colleague } from '../../../domain/practices/colleagues.ts';
import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import type { Page } from '../../../domain/values/paging.ts';
import { fullName } from '../../../domain/values/person-names.ts';
import { writeDayWords } from '../../../http/trend-figures/words.ts';
import { card } from '../../design/content/card.ts';
import { list } from '../../design/content/list.ts';
import { alert } from '../../design/feedback/alert.ts';
import { button } from '../../design/forms/button.ts';
import { selectField, selectOptions, textField } from '../../design/forms/field.ts';
import { writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import { formState, type RefusedForm } from '../forms/form-state.ts';
import { refusalAlert } from '../forms/refusal.ts';

/** Address of the page and of its forms. */
export const INVITE = '/lobby/invite';

const NOTHING_TYPED = { phone: '', email: '' };

interface InviteView {
  practice: LinkPractice;
  colleagues: readonly Colleague[];
  names: { last: string; first: string };
  /** Null before somebody searches. */
  found: Page<ListedPatient> | null;
  /** GUID of the visit to invite to; a new one where it is absent. */
  visit: string | undefined;
  isSent: boolean;
  refused?: RefusedForm | undefined;
  /** Markup of the line above the page. */
  bar: string;
}

/** Invites a patient, a guest or a colleague to a video visit. */
export function invitePage({ practice, colleagues, names, found, visit, isSent, refused, bar }: InviteView): string {
  const form = formState({ action: INVITE, present: NOTHING_TYPED, refused });
  const ofVisit = visit === undefined ? '' : html`<input type="hidden" name="visit" value="${visit}">`;
  return writePage({
    title: 'Invite to a video visit',
    practice,
    layout: 'wide',
    style: '/assets/lobby.css',
    back: { href: '/lobby', label: 'Lobby' },
    content: html`
!${bar}
!${refused === undefined ? '' : refusalAlert(refused, form.isMarked)}
!${isSent ? alert({ kind: 'success', content: html`<p>The invitation was sent. Anyone who opens its link waits in the lobby until you admit them.</p>`, attributes: { role: 'status' } }) : ''}
!${visit === undefined ? html`<p class="hint">An invitation opens a new visit that you lead.</p>` : html`<form method="post" action="/lobby/open" target="_blank" rel="noopener">!${ofVisit}!${button({ label: 'Go to the visit', icon: 'camera' })}</form>`}
<div class="lobby-parts">
!${card({ title: 'A patient', content: patientPart(names, found, ofVisit) })}
!${card({
      title: 'A guest',
      content: html`<form class="stack" method="post" action="/lobby/invite">!${ofVisit}
!${textField({ ...form.field('phone', { type: 'tel', autocomplete: 'off', maxlength: 100 }), label: 'Mobile number' })}
!${textField({ ...form.field('email', { type: 'email', autocomplete: 'off', maxlength: 254 }), label: 'Or email' })}
<p>!${button({ label: 'Invite the guest', kind: 'plain' })}</p></form>`,
    })}
!${card({
      title: 'A colleague',
      content: html`<form class="stack" method="post" action="/lobby/invite">!${ofVisit}
!${selectField({ name: 'colleague', label: 'Colleague', options: selectOptions(colleagues.map((one) => ({ value: String(one.id), label: fullName(one) ?? `User ${one.id}` }))) })}
<p>!${button({ label: 'Invite the colleague', kind: 'plain' })}</p></form>`,
    })}
</div>`,
  });
}

function patientPart(names: InviteView['names'], found: InviteView['found'], ofVisit: string): string {
  const rows = (found?.items ?? []).map((patient) => ({
    title: fullName(patient) ?? `Patient ${patient.id}`,
    detail: [patient.birthDate && `born ${writeDayWords(patient.birthDate)}`, patient.medicalRecordNo].filter(Boolean).join(' · '),
    end: html`<form method="post" action="/lobby/invite">!${ofVisit}<input type="hidden" name="patient" value="${patient.id}">!${button({ label: 'Invite', kind: 'plain', attributes: { 'aria-label': `Invite ${fullName(patient) ?? `patient ${patient.id}`}` } })}</form>`,
  }));
  return html`
<form class="search-form" method="get" action="/lobby/invite">!${ofVisit}
!${textField({ name: 'last', label: 'Last name', value: names.last, attributes: { type: 'search', maxlength: 200 } })}
!${textField({ name: 'first', label: 'First name', value: names.first, attributes: { type: 'search', maxlength: 200 } })}
!${button({ label: 'Find', kind: 'plain' })}</form>
!${rows.length > 0 ? list(rows) : html`<p class="hint">${found === null ? 'The first letters of the names are enough.' : 'No matching patient.'}</p>`}
!${found !== null && found.total > rows.length ? html`<p class="hint">${found.total - rows.length} more: enter more of the name.</p>` : ''}`;
}
