import type { MonitoringState } from '../../../domain/monitoring/alerts/monitoring-state.ts';
import type { PatientRisk } from '../../../domain/monitoring/patients/patient-risk.ts';
import type { MonitoredPatient } from '../../../domain/monitoring/patients/patients.ts';
import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import { lastPage, type Page } from '../../../domain/values/paging.ts';
import { fullName } from '../../../domain/values/person-names.ts';
import { writeMoment } from '../../../http/trend-figures/words.ts';
import { card } from '../../design/content/card.ts';
import { table } from '../../design/content/table.ts';
import { badge } from '../../design/feedback/badge.ts';
import { emptyState } from '../../design/feedback/empty-state.ts';
import { button } from '../../design/forms/button.ts';
import { textField } from '../../design/forms/field.ts';
import { html } from '../../html.ts';
import { livePage } from './live-part.ts';

export const PATIENTS_ADDRESS = '/monitoring/patients';

export interface PatientsView {
  practice: LinkPractice;
  patients: Page<MonitoredPatient>;
  risks: ReadonlyMap<number, PatientRisk>;
  search: string;
  state: MonitoringState;
  /** Markup of the line above the page. */
  bar: string;
}

/** The monitored patients, who needs somebody first, first. */
export const patientsPage = ({ practice, patients, risks, search, state, bar }: PatientsView): string =>
  livePage({
    title: 'Monitored patients',
    practice,
    bar,
    state,
    content: html`!${card({
      title: `Patients (${patients.total})`,
      content: html`
<form class="search-form" method="get" action="${PATIENTS_ADDRESS}">
!${textField({ name: 'search', label: 'Name or record number', value: search, attributes: { type: 'search', maxlength: 200 } })}
!${button({ label: 'Search', kind: 'plain' })}
</form>
!${search === '' ? '' : html`<p><a href="${PATIENTS_ADDRESS}">Show all patients</a></p>`}
!${patients.items.length === 0 ? emptyState({ icon: 'people', title: search === '' ? 'Nobody is monitored' : 'Nobody is found' }) : patientsTable(patients.items, risks, practice.timeZone)}
!${pageLinks(patients, search)}`,
    })}`,
  });

const COLUMNS = [
  { label: 'Patient' },
  { label: 'Open alerts' },
  { label: 'Programs' },
  { label: 'Conditions' },
  { label: 'Last reading' },
  { label: 'To review', isNumber: true },
  { label: 'Days', isNumber: true },
  { label: 'Minutes', isNumber: true },
];

const patientsTable = (patients: readonly MonitoredPatient[], risks: PatientsView['risks'], timeZone: string): string =>
  table({
    caption: 'Days and minutes are those of this month, as the ledger counts them.',
    columns: COLUMNS,
    rows: patients.map(({ patient, programs, conditions, open }) => {
      const risk = risks.get(patient.id);
      const name = fullName(patient) ?? `Patient ${patient.id}`;
      const current = programs.filter(({ removed_at }) => removed_at === null).map(({ program_name }) => program_name);
      return [
        html`<bdi><a href="${PATIENTS_ADDRESS}/${patient.id}">${name}</a></bdi>`,
        alertsOf(risk),
        html`${current.join(', ')}`,
        html`${conditions.map(({ icdCode, icdLexCode }) => icdCode ?? `condition ${icdLexCode ?? ''}`).join(', ')}`,
        html`${risk?.lastReadingAt ? writeMoment(risk.lastReadingAt, timeZone) : 'none'}`,
        html`${open}`,
        html`${risk?.days ?? 0}`,
        html`${risk?.minutes ?? 0}`,
      ];
    }),
  });

function alertsOf(risk: PatientRisk | undefined): string {
  if (!risk?.gravest) return '';
  const words = `${risk.openAlerts} ${risk.gravest}`;
  return risk.gravest === 'danger'
    ? badge(words, 'danger', 'danger')
    : badge(words, risk.gravest === 'urgent' ? 'warning' : 'accent', 'warning');
}

function pageLinks(patients: Page<unknown>, search: string): string {
  const link = (page: number, words: string) =>
    html`<a href="${PATIENTS_ADDRESS}?${new URLSearchParams({ search, page: String(page) }).toString()}">${words}</a>`;
  const links = [
    patients.page > 1 ? link(patients.page - 1, 'Before') : '',
    patients.page < lastPage(patients) ? link(patients.page + 1, 'Next') : '',
  ].filter(Boolean);
  return links.length === 0 ? '' : html`<nav class="row" aria-label="More patients">!${links.join('')}</nav>`;
}
