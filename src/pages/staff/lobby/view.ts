import { Failure } from '../../../domain/errors.ts';
import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import type { DaySchedule } from '../../../domain/scheduling/lists/day-schedule.ts';
import { writeAppointmentTime } from '../../../domain/telehealth/sessions/appointment-times.ts';
import type { SessionRecord } from '../../../domain/telehealth/sessions/session-lists.ts';
import { writeWaitingKey } from '../../../domain/telehealth/sessions/waiting-key.ts';
import { LATE_MINUTES } from '../../../domain/telehealth/waiting/late-notices.ts';
import type { LobbyGuest, VisitUnderWay } from '../../../domain/telehealth/waiting/lobby.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { alert } from '../../design/feedback/alert.ts';
import { badge } from '../../design/feedback/badge.ts';
import { emptyState } from '../../design/feedback/empty-state.ts';
import { button, linkButton } from '../../design/forms/button.ts';
import { selectOptions } from '../../design/forms/field.ts';
import { writePage } from '../../design/layout/page.ts';
import { html } from '../../html.ts';
import type { RefusedForm } from '../forms/form-state.ts';
import { refusalAlert } from '../forms/refusal.ts';
import { openAlertsLine } from '../monitoring/live-part.ts';
import { scheduleList, timeIn, writePatientName } from './schedule-view.ts';
import { visitSummary } from './visit-summary.ts';

/** The content of the page and of the part that its script asks for. */
type ShownLobby = Pick<LobbyView, 'practice' | 'guests' | 'openAlerts' | 'underWay' | 'schedule'> & Partial<Pick<LobbyView, 'linkSent'>>;

interface LobbyView {
  practice: LinkPractice;
  guests: readonly LobbyGuest[];
  version: string;
  openAlerts: number;
  underWay: readonly VisitUnderWay[];
  schedule: DaySchedule;
  /** Somebody whose visit was to be opened has left meanwhile. */
  isGone: boolean;
  /** The appointment whose link has just been sent. */
  linkSent: number | null;
  /** The visit that its host comes from. */
  lastVisit: SessionRecord | null;
  refused?: RefusedForm | undefined;
  /** Markup of the line above the page. */
  bar: string;
}

/** The lobby: who waits now. The script keeps the list as it is; without it, the page is loaded again by hand. */
export const lobbyPage = (lobby: LobbyView): string =>
  writePage({
    title: 'Lobby',
    practice: lobby.practice,
    layout: 'wide',
    style: '/assets/lobby.css',
    script: '/assets/client/lobby.ts',
    content: html`
!${lobby.bar}
!${lobby.isGone ? alert({ kind: 'warning', content: html`<p>This person has left or was already admitted. The list below is up to date.</p>`, attributes: { role: 'status' } }) : ''}
!${lobby.lastVisit === null ? '' : visitSummary(lobby.lastVisit, lobby.practice.timeZone)}
!${lobby.refused === undefined ? '' : renderRefusal(lobby.refused, lobby.schedule)}
<div class="row lobby-hint"><form method="post" action="/lobby/start" target="_blank" rel="noopener">!${button({ label: 'Start a visit', icon: 'camera' })}</form>!${linkButton({ href: '/lobby/invite', label: 'Invite someone', kind: 'plain' })}</div>
<p class="hint lobby-hint">Everyone waiting for a video visit. This page updates automatically.</p>
<noscript><p><a href="/lobby">Refresh the list</a></p></noscript>
<p id="lobby-lost" class="alert warning" role="status" hidden>The connection is lost. This list may be out of date; it updates again as soon as possible.</p>
<p id="lobby-news" class="visually-hidden" role="status"></p>
<section id="lobby" class="card" aria-label="Who is waiting" data-version="${lobby.version}">!${lobbyList(lobby)}</section>`,
  });

/** The reason of a refusal. That of a step of an appointment names the patient, and leads back to the row. */
function renderRefusal(refused: RefusedForm, { appointments }: DaySchedule): string {
  const appointment = appointments?.find(({ id }) => refused.action.startsWith(`/lobby/appointments/${id}/`));
  if (!appointment) return refusalAlert(refused, false);
  const { kind, code, message } = refused.failure;
  const failure = new Failure(kind, code, `${writePatientName(appointment)}: ${message}`);
  return html`!${refusalAlert({ failure }, false)}<p class="lobby-hint"><a href="#appointment-${appointment.id}">Back to the appointment</a></p>`;
}

/** The list alone, which the script asks for. */
export const lobbyList = ({ practice: { timeZone }, guests, openAlerts, underWay, schedule, linkSent }: ShownLobby): string => html`
!${openAlertsLine(openAlerts)}
<div id="nobody"!${guests.length > 0 ? ' hidden' : ''}>!${emptyState({ icon: 'people', title: 'No one is waiting', text: 'Patients appear here as soon as they open the link to a visit or a waiting room.' })}</div>
<ul id="lobby-guests" class="list lobby-guests">!${guests.map((guest) => renderRow(guest, timeZone)).join('')}</ul>
<form id="late-everybody" class="lobby-late" method="post" action="/lobby/late/everybody"!${guests.length > 1 ? '' : ' hidden'}><span class="hint">Running late?</span>!${lateFields('everybody', 'Tell everyone', 'Tell everyone who is waiting that you are late')}</form>
<div id="under-way">!${underWay.length === 0 ? '' : html`<h2>Visits in progress</h2><ul class="list lobby-guests">!${underWay.map((visit) => visitRow(visit, timeZone)).join('')}</ul>`}</div>
<div id="schedule">!${scheduleList(schedule.appointments ?? [], schedule.total, linkSent)}</div>`;

/** A visit with its guests; one without a host says since when they are alone, and one with a host alone takes invitations too. */
function visitRow({ waiting, guid, names, host, aloneSince, mayOpen }: VisitUnderWay, timeZone: string): string {
  const guests = names.map((name) => name ?? 'Patient').join(', ');
  const whose = guests || host;
  const isAlone = aloneSince !== null;
  const state = isAlone ? badge(`alone since ${timeIn(aloneSince, timeZone)}`, 'danger', 'warning') : badge('with the practice', 'success');
  return html`
<li><div class="list-text lobby-who"><span class="list-title"><bdi>${guests || 'No one has joined yet'}</bdi></span><span class="hint">With ${host}</span><span class="lobby-badges">!${guests && state}</span></div>
<div class="lobby-actions">!${linkButton({ href: `/lobby/invite?visit=${guid}`, label: 'Invite', kind: 'plain', attributes: { 'aria-label': `Invite to the visit of ${whose}` } })}!${mayOpen ? visitForm(waiting === null ? { visit: guid } : { guest: writeWaitingKey(waiting) }, whose) : html`<p class="hint">Only the host can open this visit, because a patient in it has a restricted chart.</p>`}</div></li>`;
}

function renderRow(guest: LobbyGuest, timeZone: string): string {
  const { waiting, since, late } = guest;
  const key = `${waiting.kind}:${waiting.id}`;
  const name = guest.name ?? 'Patient';
  return html`
<li data-guest="${key}" data-name="${name}">
<div class="list-text lobby-who">
<span class="list-title"><bdi>${name}</bdi> !${guest.kind === 'guest' ? badge('guest, no chart', 'warning') : ''}!${guest.name === null ? badge('restricted chart', 'warning') : ''}</span>
<span>Waiting since <time datetime="${writeInstant(since)}">${timeIn(since, timeZone)}</time><span class="lobby-minutes"></span></span>
<span class="hint">${describePlace(guest)}</span>
<span class="lobby-badges">!${renderDevices(guest)}!${late === null ? '' : badge(`told ${timeIn(late.at, timeZone)}: ${late.minutes} minutes late`, 'accent')}</span>
</div>
<div class="lobby-actions">
<form method="post" action="/lobby/late" class="lobby-late"><input type="hidden" name="guest" value="${key}"><input type="hidden" name="seen" value="${late === null ? '' : writeInstant(late.at)}">
<span class="hint">${guest.hasPhone ? 'Running late? Tell by text' : 'Running late? Tell on the page'}</span>
!${lateFields(key, 'Tell', `Tell ${name}`)}</form>
!${guest.mayOpen ? visitForm({ guest: key }, name) : html`<p class="hint">Only the host can open this visit, because a patient in it has a restricted chart.</p>`}
</div></li>`;
}

/** The choice of the minutes, and the button. */
const lateFields = (id: string, label: string, heard: string): string => html`
<span class="row"><select class="input" name="minutes" aria-label="Minutes late: ${heard}" id="minutes-${id}">!${selectOptions(LATE_MINUTES.map((minutes) => ({ value: String(minutes), label: `${minutes} min late` })))}</select>!${button({ label, kind: 'plain', attributes: { 'aria-label': heard } })}</span>`;

/** Opens the visit of somebody who is in it or waits for it, or the visit itself. */
const visitForm = (of: { guest: string } | { visit: string }, name: string): string => html`
<form method="post" action="/lobby/${'guest' in of ? 'visit' : 'open'}" target="_blank" rel="noopener">!${'guest' in of ? html`<input type="hidden" name="guest" value="${of.guest}">` : html`<input type="hidden" name="visit" value="${of.visit}">`}!${button({ label: 'Go to the visit', icon: 'camera', attributes: { 'aria-label': `Go to the visit of ${name}` } })}</form>`;

/** `For Dr. Maria Chen · Video desk · Tuesday, December 29, 10:00 AM EST` */
function describePlace({ host, waitingRoom, appointment }: LobbyGuest): string {
  return [
    host === null ? 'For the next available colleague' : `For ${host.name}`,
    waitingRoom,
    appointment && writeAppointmentTime(appointment, 'en'),
  ]
    .filter(Boolean)
    .join(' · ');
}

function renderDevices({ devices }: LobbyGuest): string {
  if (devices === null) return badge('devices not checked');
  if (devices.camera && devices.microphone) return badge('camera and microphone work', 'success');
  if (devices.camera) return badge('no microphone', 'danger');
  return badge(devices.microphone ? 'no camera' : 'no camera, no microphone', devices.microphone ? 'warning' : 'danger');
}
