import type { ReadingView } from '../../../../domain/monitoring/readings/reading-list.ts';
import type { Page } from '../../../../domain/values/paging.ts';
import { inUnit, writeMoment } from '../../../../http/trend-figures/words.ts';
import { card } from '../../../design/content/card.ts';
import { badge } from '../../../design/feedback/badge.ts';
import { button } from '../../../design/forms/button.ts';
import { atMost, textField } from '../../../design/forms/field.ts';
import { html } from '../../../html.ts';
import { formState, type RefusedForm } from '../../forms/form-state.ts';
import { SOURCES } from './trend-figure.ts';

/** Readings that the page shows, and shows at most where somebody asks for more. */
export const [USUAL_READINGS, MOST_READINGS] = [10, 100];

interface ReadingsCard {
  patientId: number;
  readings: Page<ReadingView>;
  timeZone: string;
  refused: RefusedForm | undefined;
  /** Whether the reader may mark a reading as entered in error. */
  mayMark: (reading: ReadingView) => boolean;
}

/** The newest readings of all items, each with the way to say that it is wrong. */
export const readingsCard = ({ readings, ...shown }: ReadingsCard): string =>
  card({
    title: 'Readings',
    attributes: { id: 'readings' },
    content:
      readings.items.length === 0
        ? html`<p>Nothing was measured yet.</p>`
        : html`<ul class="list">!${readings.items.map((reading) => readingItem(reading, shown)).join('')}</ul>
!${readings.total > readings.items.length ? html`<p class="hint">The newest ${readings.items.length} of ${readings.total} are shown; the trends show the rest.</p>` : ''}
!${readings.items.length === readings.limit && readings.limit < MOST_READINGS ? html`<p><a href="?readings=more#readings">Show up to ${MOST_READINGS}</a></p>` : ''}`,
  });

function readingItem(reading: ReadingView, { patientId, timeZone, refused, mayMark }: Omit<ReadingsCard, 'readings'>): string {
  const { id, item, value, measuredAt, source, device, enteredInError } = reading;
  const by = device === null ? SOURCES[source] : `${SOURCES[source]}: ${device.identifier}`;
  return html`
<li id="reading-${id}" class="monitoring-item"><div class="list-text">
<p class="row"><bdi class="list-title">${item.name} ${inUnit(value, item.unit)}</bdi>!${stateBadge(reading)}</p>
<span class="hint"><bdi>${writeMoment(new Date(measuredAt), timeZone)}, ${by}</bdi></span>
!${enteredInError === null ? '' : html`<span class="hint"><bdi>Entered in error: ${enteredInError.reason}</bdi></span>`}
</div>
!${mayMark(reading) ? markForm(patientId, reading, refused) : ''}</li>`;
}

function stateBadge({ state, enteredInError }: ReadingView): string {
  if (enteredInError !== null) return badge('entered in error');
  if (state === 'danger') return badge('danger', 'danger', 'danger');
  if (state === 'watch') return badge('out of target', 'warning', 'warning');
  return state === 'implausible' ? badge('implausible', 'warning', 'warning') : '';
}

function markForm(patientId: number, { id, enteredInError }: ReadingView, refused: RefusedForm | undefined): string {
  const action = `/monitoring/patients/${patientId}/readings/${id}/entered-in-error`;
  const form = formState({ action, present: { reason: '' }, refused });
  const isMarked = enteredInError !== null;
  return html`
<details class="monitoring-form"!${form.isRefused ? ' open' : ''}><summary>${isMarked ? 'Undo the mark' : 'Entered in error?'}</summary>
<form class="stack" method="post" action="${action}">
!${isMarked ? html`<input type="hidden" name="undone" value="yes">` : ''}
!${textField({ ...form.field('reason', { id: `reason-${id}`, ...atMost(1_000), required: true, autocomplete: 'off' }), label: 'Reason' })}
<p>!${button({ label: isMarked ? 'The reading is correct' : 'Mark as entered in error', kind: 'plain' })}</p></form></details>`;
}
