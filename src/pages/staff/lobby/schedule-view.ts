import type { Appointment } from '../../../domain/scheduling/lists/appointment-view.ts';
import { fullName } from '../../../domain/values/person-names.ts';
import { badge } from '../../design/feedback/badge.ts';
import { emptyState } from '../../design/feedback/empty-state.ts';
import { button } from '../../design/forms/button.ts';
import { html } from '../../html.ts';

/** The steps of a visit that the lobby offers, each after the one before. */
export const VISIT_STEPS = ['arrived', 'completed'] as const;

/** Statuses of visits that nothing follows. */
const OVER: readonly string[] = ['checked_out', 'completed', 'no_show', 'cancelled'];
const STEPS = { arrived: 'Arrived', completed: 'Completed' } as const;
const ANSWERS = { Yes: ['confirmed', 'success'], No: ['declined', 'danger'], Pending: ['not confirmed', undefined] } as const;

/** The schedule of today: who comes when, whether they said so, and whether they are there. */
export const scheduleList = (appointments: readonly Appointment[], total: number): string => html`
<h2>Today</h2>
!${
  appointments.length === 0
    ? emptyState({ icon: 'clock', title: 'Nothing is scheduled today' })
    : html`<ul class="list lobby-guests">!${appointments.map(scheduleRow).join('')}</ul>`
}
!${total > appointments.length ? html`<p class="hint">The first ${appointments.length} of ${total} are shown.</p>` : ''}`;

function scheduleRow(appointment: Appointment): string {
  const { id, patient, patientRestricted, users, type, office, status, confirmation, startsAt, timeZone } = appointment;
  const name = patient ? (fullName(patient) ?? `Patient ${patient.id}`) : patientRestricted ? 'Patient' : 'No patient yet';
  const [answer, kind] = ANSWERS[confirmation];
  const details = [users.map((user) => fullName(user)).join(', '), type?.name, office?.name].filter(Boolean).join(' · ');
  return html`
<li id="appointment-${id}"><div class="list-text lobby-who">
<span class="list-title">${timeIn(new Date(startsAt ?? 0), timeZone)} <bdi>${name}</bdi></span>
<span class="hint"><bdi>${details}</bdi></span>
<span class="lobby-badges">!${badge(status === 'no_show' ? 'did not come' : status.replaceAll('_', ' '), status === 'arrived' ? 'success' : undefined)}!${status === 'scheduled' ? badge(answer, kind) : ''}!${patientRestricted ? badge('restricted chart', 'warning') : ''}</span></div>
<div class="lobby-actions">!${patient === null ? '' : actionsOf(appointment, name)}</div></li>`;
}

/** `10:05 AM` */
export const timeIn = (at: Date, timeZone: string): string =>
  at.toLocaleTimeString('en-US', { timeZone, hour: 'numeric', minute: '2-digit' }).replaceAll(/\s/g, ' ');

function actionsOf({ id, status }: Appointment, name: string): string {
  if (OVER.includes(status)) return '';
  const next = status === 'scheduled' ? VISIT_STEPS[0] : VISIT_STEPS[1];
  const form = (path: string, content: string, target = '') =>
    html`<form method="post" action="/lobby/appointments/${id}/${path}"!${target}>!${content}</form>`;
  const step = button({
    label: STEPS[next],
    kind: 'plain',
    attributes: { name: 'status', value: next, 'aria-label': `${STEPS[next]}: ${name}` },
  });
  const invite = button({
    label: 'Send the link',
    kind: 'plain',
    attributes: { 'aria-label': `Send the link: ${name}` },
  });
  const start = button({
    label: 'Start a video visit',
    kind: 'plain',
    icon: 'camera',
    attributes: { 'aria-label': `Start a video visit: ${name}` },
  });
  return html`!${form('status', step)}!${form('invite', invite)}!${form('visit', start, ' target="_blank" rel="noopener"')}`;
}
