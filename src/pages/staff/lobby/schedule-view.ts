import { findNextStatuses } from '../../../domain/scheduling/appointment/appointment-statuses.ts';
import type { Appointment } from '../../../domain/scheduling/appointment/appointment-view.ts';
import { type AppointmentStatus, isOpenAppointment } from '../../../domain/values/appointment-status.ts';
import { fullName } from '../../../domain/values/person-names.ts';
import { badge } from '../../design/feedback/badge.ts';
import { emptyState } from '../../design/feedback/empty-state.ts';
import type { Attributes } from '../../design/forms/attributes.ts';
import { button } from '../../design/forms/button.ts';
import { selectOptions } from '../../design/forms/field.ts';
import { html } from '../../html.ts';

const STATUS_WORDS: Readonly<Record<AppointmentStatus, string>> = {
  scheduled: 'Scheduled',
  arrived: 'Arrived',
  roomed: 'Roomed',
  in_progress: 'In progress',
  checked_out: 'Checked out',
  completed: 'Completed',
  no_show: 'Did not come',
  cancelled: 'Cancelled',
};
/** The status that usually comes next, which has a button of its own. */
const USUAL_NEXT: Partial<Record<AppointmentStatus, AppointmentStatus>> = {
  scheduled: 'arrived',
  arrived: 'roomed',
  roomed: 'in_progress',
  in_progress: 'checked_out',
  checked_out: 'completed',
};
const PRESENT: readonly AppointmentStatus[] = ['arrived', 'roomed', 'in_progress'];
const ANSWERS = { Yes: ['confirmed', 'success'], No: ['declined', 'danger'], Pending: ['not confirmed', undefined] } as const;

const renderRows = (appointments: readonly Appointment[], linkSent: number | null): string =>
  html`<ul class="list lobby-guests">!${appointments.map((one) => scheduleRow(one, one.id === linkSent)).join('')}</ul>`;

/**
 * The schedule of today: who comes when, whether they said so, and whether they are there. Visits that are over are folded away below.
 * @param linkSent the appointment whose link has just been sent
 */
export const scheduleList = (appointments: readonly Appointment[], total: number, linkSent: number | null = null): string => {
  const [open = [], over = []] = [true, false].map((isOpen) => appointments.filter(({ status }) => isOpenAppointment(status) === isOpen));
  return html`
<h2>Today</h2>
!${open.length === 0 ? emptyState({ icon: 'clock', title: over.length === 0 ? 'Nothing is scheduled today' : 'Nothing more is scheduled today' }) : renderRows(open, linkSent)}
!${over.length === 0 ? '' : html`<details><summary>Over (${over.length})</summary>!${renderRows(over, linkSent)}</details>`}
!${total > appointments.length ? html`<p class="hint">The first ${appointments.length} of ${total} are shown.</p>` : ''}`;
};

export const writePatientName = ({ patient, patientRestricted }: Appointment): string =>
  patient ? (fullName(patient) ?? `Patient ${patient.id}`) : patientRestricted ? 'Patient' : 'No patient yet';

function scheduleRow(appointment: Appointment, isLinkSent: boolean): string {
  const { id, patient, patientRestricted, users, type, office, status, confirmation, startsAt, timeZone } = appointment;
  const name = writePatientName(appointment);
  const [answer, kind] = ANSWERS[confirmation];
  const details = [users.map((user) => fullName(user)).join(', '), type?.name, office?.name].filter(Boolean).join(' · ');
  return html`
<li id="appointment-${id}"><div class="list-text lobby-who">
<span class="list-title">${timeIn(new Date(startsAt ?? 0), timeZone)} <bdi>${name}</bdi></span>
<span class="hint"><bdi>${details}</bdi></span>
<span class="lobby-badges">!${badge(STATUS_WORDS[status].toLowerCase(), PRESENT.includes(status) ? 'success' : undefined)}!${status === 'scheduled' ? badge(answer, kind) : ''}!${patientRestricted ? badge('restricted chart', 'warning') : ''}!${isLinkSent ? badge('link on its way', 'success') : ''}</span></div>
<div class="lobby-actions">!${patient === null ? '' : renderActions(appointment, name)}</div></li>`;
}

/** `10:05 AM` */
export const timeIn = (at: Date, timeZone: string): string =>
  at.toLocaleTimeString('en-US', { timeZone, hour: 'numeric', minute: '2-digit' }).replaceAll(/\s/g, ' ');

function renderActions(appointment: Appointment, name: string): string {
  const { id, status } = appointment;
  const form = (path: string, content: string, target = '') =>
    html`<form method="post" action="/lobby/appointments/${id}/${path}"!${target}>!${content}</form>`;
  const action = (label: string, attributes: Attributes = {}) =>
    button({ label, kind: 'plain', attributes: { 'aria-label': `${label}: ${name}`, ...attributes } });
  const visit = html`!${form('invite', action('Send the link'))}!${form('visit', action('Start a video visit'), ' target="_blank" rel="noopener"')}`;
  return html`!${form('status', statusFields(appointment, name, action))}!${isOpenAppointment(status) ? visit : ''}`;
}

/** The usual next status as a button, and the others to choose from. */
function statusFields(appointment: Appointment, name: string, action: (label: string, attributes: Attributes) => string): string {
  const usual = USUAL_NEXT[appointment.status];
  const others = findNextStatuses(appointment).filter((other) => other !== appointment.status && other !== usual);
  const choices = [{ value: '', label: 'Other status' }, ...others.map((value) => ({ value, label: STATUS_WORDS[value] }))];
  return html`
!${usual === undefined ? '' : action(STATUS_WORDS[usual], { name: 'status', value: usual })}
!${
    others.length === 0
      ? ''
      : html`<span class="row"><select class="input" name="other" aria-label="Other status: ${name}" id="status-${appointment.id}">!${selectOptions(choices)}</select>!${action('Set', { 'aria-label': `Set the other status: ${name}` })}</span>`
  }`;
}
