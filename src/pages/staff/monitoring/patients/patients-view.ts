import type { MonitoringState } from '../../../../domain/monitoring/alerts/monitoring-state.ts';
import type { PatientRisk } from '../../../../domain/monitoring/patients/patient-risk.ts';
import type { MonitoredPatient } from '../../../../domain/monitoring/patients/patients.ts';
import type { LinkPractice } from '../../../../domain/practices/link-practice.ts';
import { lastPage, type Page } from '../../../../domain/values/paging.ts';
import { fullName } from '../../../../domain/values/person-names.ts';
import { writeMoment } from '../../../../http/trend-figures/words.ts';
import { card } from '../../../design/content/card.ts';
import { table } from '../../../design/content/table.ts';
import { badge } from '../../../design/feedback/badge.ts';
import { emptyState } from '../../../design/feedback/empty-state.ts';
import { button, linkButton } from '../../../design/forms/button.ts';
import { selectField, selectOptions, textField } from '../../../design/forms/field.ts';
import { html } from '../../../html.ts';
import { livePage } from '../live-part.ts';

export const PATIENTS_ADDRESS = '/monitoring/patients';

export interface PatientsView {
  practice: LinkPractice;
  patients: Page<MonitoredPatient>;
  risks: ReadonlyMap<number, PatientRisk>;
  filter: PatientsFilter;
  /** Programs and codes that the filter offers. */
  programs: readonly { id: number; name: string }[];
  codes: readonly string[];
  state: MonitoringState;
  /** Markup of the line above the page. */
  bar: string;
}

/** The filter as the address has it; empty texts do not filter. */
export interface PatientsFilter {
  search: string;
  program: string;
  condition: string;
  readings: string;
}

/** Choices of the last reading: days since which there is one, or none. */
export const LAST_READING = {
  'within-1': { label: 'Within 24 hours', days: 1, has: true },
  'none-2': { label: 'None for 2 days', days: 2, has: false },
  'none-7': { label: 'None for a week', days: 7, has: false },
  'none-30': { label: 'None for 30 days', days: 30, has: false },
} as const;

/** The monitored patients, who needs somebody first, first. */
export function patientsPage({ practice, patients, risks, state, bar, ...offered }: PatientsView): string {
  const { filter } = offered;
  const isFiltered = Object.values(filter).some((value) => value !== '');
  return livePage({
    title: 'Monitored patients',
    practice,
    bar,
    state,
    content: html`!${card({
      title: `Patients (${patients.total})`,
      content: html`
!${filterForm(offered)}
!${isFiltered ? html`<p><a href="${PATIENTS_ADDRESS}">Show all patients</a></p>` : ''}
!${patients.items.length === 0 ? emptyState({ icon: 'people', title: isFiltered || patients.total > 0 ? 'No one found' : 'No one is monitored yet' }) : patientsTable(patients.items, risks, practice.timeZone)}
!${pageLinks(patients, filter)}
<p>!${linkButton({ href: '/monitoring/enrol', label: 'Enrol a patient', kind: 'plain' })}</p>`,
    })}`,
  });
}

const filterForm = ({ filter, programs, codes }: Pick<PatientsView, 'filter' | 'programs' | 'codes'>): string => html`
<form class="search-form" method="get" action="${PATIENTS_ADDRESS}">
!${textField({ name: 'search', label: 'Name or record number', value: filter.search, attributes: { type: 'search', maxlength: 200 } })}
!${selectField({ name: 'program', label: 'Program', options: selectOptions([{ value: '', label: 'All' }, ...programs.map(({ id, name }) => ({ value: String(id), label: name }))], filter.program) })}
!${textField({ name: 'condition', label: 'Condition (ICD-10 code)', value: filter.condition, attributes: { list: 'codes', maxlength: 20, autocomplete: 'off' } })}
<datalist id="codes">!${selectOptions(codes.map((value) => ({ value, label: value })))}</datalist>
!${selectField({ name: 'readings', label: 'Last reading', options: selectOptions([{ value: '', label: 'At any time' }, ...Object.entries(LAST_READING).map(([value, { label }]) => ({ value, label }))], filter.readings) })}
!${button({ label: 'Filter', kind: 'plain' })}
</form>`;

const COLUMNS = [
  { label: 'Patient' },
  { label: 'Open alerts' },
  { label: 'Last reading' },
  { label: 'Days', isNumber: true },
  { label: 'Minutes', isNumber: true },
  { label: 'To review', isNumber: true },
  { label: 'Programs' },
  { label: 'Conditions' },
];

const patientsTable = (patients: readonly MonitoredPatient[], risks: PatientsView['risks'], timeZone: string): string =>
  html`<p class="hint">Days and minutes are those of this month, as counted in the ledger.</p>` +
  table({
    caption: 'Monitored patients',
    isCaptionHidden: true,
    isStacked: true,
    columns: COLUMNS,
    rows: patients.map(({ patient, programs, conditions, open }) => {
      const risk = risks.get(patient.id);
      const name = fullName(patient) ?? `Patient ${patient.id}`;
      const current = programs.filter(({ removed_at }) => removed_at === null).map(({ program_name }) => program_name);
      return [
        html`<bdi><a href="${PATIENTS_ADDRESS}/${patient.id}">${name}</a></bdi>`,
        renderAlerts(risk),
        html`${risk?.lastReadingAt ? writeMoment(risk.lastReadingAt, timeZone) : 'none'}`,
        html`${risk?.days ?? 0}`,
        html`${risk?.minutes ?? 0}`,
        html`${open}`,
        html`${current.join(', ')}`,
        html`${conditions.map(({ icdCode, icdLexCode }) => icdCode ?? `condition ${icdLexCode ?? ''}`).join(', ')}`,
      ];
    }),
  });

function renderAlerts(risk: PatientRisk | undefined): string {
  if (!risk?.gravest) return '';
  const words = `${risk.gravest}, ${risk.openAlerts} open`;
  return risk.gravest === 'danger'
    ? badge(words, 'danger', 'danger')
    : badge(words, risk.gravest === 'urgent' ? 'warning' : 'accent', 'warning');
}

function pageLinks(patients: Page<unknown>, filter: PatientsFilter): string {
  const link = (page: number, words: string) =>
    html`<a href="${PATIENTS_ADDRESS}?${new URLSearchParams({ ...filter, page: String(page) }).toString()}">${words}</a>`;
  const links = [
    patients.page > 1 ? link(patients.page - 1, 'Before') : '',
    patients.page < lastPage(patients) ? link(patients.page + 1, 'Next') : '',
  ].filter(Boolean);
  return links.length === 0 ? '' : html`<nav class="row" aria-label="More patients">!${links.join('')}</nav>`;
}
