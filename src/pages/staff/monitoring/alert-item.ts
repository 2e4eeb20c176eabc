import type { AlertView } from '../../../domain/monitoring/alerts/alert-list.ts';
import { fullName, type PersonName } from '../../../domain/values/person-names.ts';
import { inUnit, writeDanger, writeMoment, writeTarget } from '../../../http/trend-figures/words.ts';
import { describeReason } from '../../../http/wire/text-reasons.ts';
import { badge } from '../../design/feedback/badge.ts';
import { button } from '../../design/forms/button.ts';
import { atMost, textField } from '../../design/forms/field.ts';
import { html } from '../../html.ts';

/** Patients of many practices have one name only, or none. */
export const writePatientName = (person: PersonName & { id: number }): string => fullName(person) ?? `Patient ${person.id}`;

/** The gravity of an alert, in a word and with a sign. */
function severityBadge(severity: string): string {
  if (severity === 'danger') return badge('Danger', 'danger', 'danger');
  return severity === 'urgent' ? badge('Urgent', 'warning', 'warning') : badge('Watch', 'accent', 'info');
}

/** The occasion of an alert: `Systolic blood pressure 210 mmHg`, an answer, or a check-in without one. */
function describeSubject({ kind, item, value, question, answer, checkIn }: AlertView): string {
  if (kind === 'missed_check_in') return `Not answered: ${checkIn?.survey?.name ?? 'a check-in'}`;
  if (kind === 'urgent_symptom') return `${question ?? ''} ${answer ?? ''}`;
  return item === null || value === null ? 'A value' : `${item.name} ${inUnit(value.toNumber(), item.unit)}`;
}

/** The target that was applied, when it happened, and who has looked after it; each a line. */
function listDetails(alert: AlertView, timeZone: string): string[] {
  const target = writeLimits(alert);
  const writeHandled = (step: string, at: Date | null, by: PersonName | null, note: string | null) =>
    at === null
      ? ''
      : `${step} ${writeMoment(at, timeZone)}${by === null ? '' : ` by ${fullName(by) ?? 'a user'}`}${note?.trim() ? `: ${note}` : ''}`;
  return [
    `${alert.kind === 'missed_check_in' ? 'Due' : 'Measured or answered'} ${writeMoment(alert.occurredAt, timeZone)}`,
    target,
    describePatientText(alert),
    writeHandled('Acknowledged', alert.acknowledgedAt, alert.acknowledgedBy, alert.acknowledgedNote),
    writeHandled('Closed', alert.closedAt, alert.closedBy, alert.closedNote),
  ].filter(Boolean);
}

/** Whether the patient of a danger value was told by text what to do, and why not. */
function describePatientText({ kind, patientText, patientTextReason }: AlertView): string {
  if (kind !== 'danger_value') return '';
  const { state, reason } = patientText ?? { state: patientTextReason === null ? 'queued' : 'suppressed', reason: patientTextReason };
  if (state === 'queued') return 'The text that tells the patient what to do has not been sent yet.';
  if (state === 'suppressed') return `The patient was not texted what to do. ${describeReason(reason) ?? ''}`.trim();
  if (state === 'failed') return `The text that tells the patient what to do failed. ${describeReason(reason) ?? ''}`.trim();
  return state === 'delivered'
    ? 'The patient was texted what to do; the text arrived.'
    : 'The patient was texted what to do; its delivery is not confirmed yet.';
}

function writeLimits({ minTarget, maxTarget, dangerMin, dangerMax, item }: AlertView): string {
  const [min, max, low, high] = [minTarget, maxTarget, dangerMin, dangerMax].map((limit) => limit?.toNumber() ?? null);
  const target = writeTarget({ min: min ?? null, max: max ?? null }, item?.unit ?? null);
  const danger = writeDanger({ dangerMin: low ?? null, dangerMax: high ?? null }, item?.unit ?? null);
  return [target && `Target ${target}`, danger && `danger ${danger}`].filter(Boolean).join('; ');
}

interface AlertItem {
  alert: AlertView;
  timeZone: string;
  /** The alert stands among those of other patients, whom it names. */
  isNamed?: boolean;
}

/** An alert with the forms that are still open to it. */
export const alertItem = ({ alert, timeZone, isNamed = false }: AlertItem): string => html`
<li id="alert-${alert.id}" class="monitoring-item">
<div class="list-text">
<p class="row">!${severityBadge(alert.severity)}!${alert.state === 'open' ? '' : badge(alert.state)}</p>
!${isNamed ? html`<bdi><a class="list-title" href="/monitoring/patients/${alert.patientId}#alert-${alert.id}">${writePatientName(alert.patient)}</a></bdi>` : ''}
<p!${isNamed ? '' : ' class="list-title"'}><bdi>${describeSubject(alert)}</bdi></p>
!${listDetails(alert, timeZone)
  .map((line) => html`<span class="hint"><bdi>${line}</bdi></span>`)
  .join('')}
</div>
!${isNamed || alert.state === 'closed' ? '' : alertForm(alert)}
</li>`;

const LONGEST_NOTE = 1_000;

/** One form for all open alerts of a patient; nothing where there are not several. */
export function acknowledgeAllForm(patientId: number, alerts: readonly AlertView[]): string {
  const open = alerts.filter(({ state }) => state === 'open').map(({ id }) => id);
  if (open.length < 2) return '';
  return html`
<form class="monitoring-form" method="post" action="/monitoring/patients/${patientId}/alerts/acknowledge">
<input type="hidden" name="up_to" value="${Math.max(...open)}">
!${textField({ name: 'note', label: 'Note for all open alerts', optional: '(optional)', attributes: { id: 'note-all', ...atMost(LONGEST_NOTE), autocomplete: 'off' } })}
<p class="row">!${button({ label: 'Acknowledge all open alerts' })}</p>
</form>`;
}

function alertForm(alert: AlertView): string {
  const path = `/monitoring/patients/${alert.patientId}/alerts/${alert.id}`;
  const about = describeSubject(alert);
  const action = (step: 'acknowledge' | 'close', label: string, kind: 'primary' | 'plain') =>
    button({ label, kind, attributes: { formaction: `${path}/${step}`, 'aria-label': `${label}: ${about}` } });
  return html`
<form class="monitoring-form" method="post" action="${path}/close">
!${textField({ name: 'note', label: 'Note', optional: '(optional)', attributes: { id: `note-${alert.id}`, ...atMost(LONGEST_NOTE), autocomplete: 'off' } })}
<p class="row">!${alert.state === 'open' ? action('acknowledge', 'Acknowledge', 'primary') : ''}!${action('close', 'Close', 'plain')}</p>
</form>`;
}
