import type { MonitoringState } from '../../../../domain/monitoring/alerts/monitoring-state.ts';
import type { ListedPatient } from '../../../../domain/patients/search/list.ts';
import type { LinkPractice } from '../../../../domain/practices/link-practice.ts';
import type { Page } from '../../../../domain/values/paging.ts';
import { writeDayWords } from '../../../../http/trend-figures/words.ts';
import { card } from '../../../design/content/card.ts';
import { list } from '../../../design/content/list.ts';
import { emptyState } from '../../../design/feedback/empty-state.ts';
import { button } from '../../../design/forms/button.ts';
import { textField } from '../../../design/forms/field.ts';
import { html } from '../../../html.ts';
import { writePatientName } from '../alert-item.ts';
import { livePage } from '../live-part.ts';
import { PATIENTS_ADDRESS } from './patients-view.ts';

interface EnrolView {
  practice: LinkPractice;
  names: { last: string; first: string };
  /** Null before somebody searches. */
  found: Page<ListedPatient> | null;
  state: MonitoringState;
  /** Markup of the line above the page. */
  bar: string;
}

/** The search for a patient who is not monitored yet; their page enrols them. */
export const enrolPage = ({ practice, names, found, state, bar }: EnrolView): string =>
  livePage({
    title: 'Enrol a patient',
    practice,
    bar,
    state,
    content: card({
      title: 'Find the chart',
      content: html`
<form class="search-form" method="get" action="/monitoring/enrol">
!${textField({ name: 'last', label: 'Last name', value: names.last, attributes: { type: 'search', maxlength: 200 } })}
!${textField({ name: 'first', label: 'First name', value: names.first, attributes: { type: 'search', maxlength: 200 } })}
!${button({ label: 'Find', kind: 'plain' })}
</form>
!${found === null ? html`<p class="hint">The first letters of the names are enough.</p>` : renderFoundCharts(found)}`,
    }),
  });

function renderFoundCharts({ items, total }: Page<ListedPatient>): string {
  if (items.length === 0) return emptyState({ icon: 'people', title: 'No one found' });
  const rows = items.map((patient) => ({
    title: writePatientName(patient),
    href: `${PATIENTS_ADDRESS}/${patient.id}#programs`,
    detail: patient.birthDate === null ? '' : `Born ${writeDayWords(patient.birthDate)}`,
  }));
  return html`!${list(rows)}!${total > items.length ? html`<p class="hint">${total - items.length} more: write more of the name.</p>` : ''}`;
}
