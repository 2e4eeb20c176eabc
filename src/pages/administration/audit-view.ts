import type { AuditPage, ShownAuditEntry } from '../../domain/audit/audit-search.ts';
import type { ChainReport } from '../../domain/audit/verify-chain.ts';
import type { LinkPractice } from '../../domain/practices/link-practice.ts';
import { alert } from '../design/alert.ts';
import { button } from '../design/button.ts';
import { card } from '../design/card.ts';
import { emptyState } from '../design/empty-state.ts';
import { textField } from '../design/field.ts';
import { table } from '../design/table.ts';
import { html } from '../html.ts';
import { administrationPage, timeIn } from './layout.ts';

export interface AuditFilterView {
  patient?: number | undefined;
  user?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
  before?: number | undefined;
}

export type Verdict = Pick<ChainReport, 'broken' | 'links' | 'head'>;

export interface AuditView {
  practice: LinkPractice;
  filter: AuditFilterView;
  found: AuditPage;
  /** The result of verifying the chain, where that was asked for. */
  verdict?: Verdict | undefined;
}

export const auditPage = ({ practice, filter, found, verdict }: AuditView): string =>
  administrationPage({
    practice,
    current: '/administration/audit',
    content: html`
!${verdict === undefined ? '' : verdictOf(verdict)}
!${card({ title: 'Find', content: filterForm(filter) })}
!${card({
      title: 'Entries',
      content: html`
!${found.entries.length === 0 ? emptyState({ icon: 'info', title: 'Nothing of that kind was done' }) : entriesOf(found.entries, practice)}
!${found.next === null ? '' : html`<p><a href="/administration/audit?${queryOf({ ...filter, before: found.next })}">Older entries</a></p>`}`,
    })}
!${card({
      title: 'Proof',
      content: html`<p>Every entry is sealed together with the one before it. Verifying shows whether one was changed, added or removed.</p>
<form method="post" action="/administration/audit/verify"><p>!${button({ label: 'Verify', kind: 'plain' })}</p></form>`,
    })}`,
  });

const verdictOf = ({ broken, links, head }: Verdict): string =>
  broken === null
    ? alert({
        kind: 'success',
        title: 'The audit holds',
        content: html`<p>${links} sealed entries are as they were written.!${head === null ? '' : html` The newest seal is <code>${head.position}:${head.hash}</code>: keep it elsewhere.`}</p>`,
        attributes: { role: 'status' },
      })
    : alert({
        kind: 'danger',
        title: 'The audit does not hold',
        content: html`<p>At link ${broken.position}: ${broken.what}.</p>`,
        attributes: { role: 'alert' },
      });

const filterForm = ({ patient, user, from, to }: AuditFilterView): string => html`
<form class="stack" method="get" action="/administration/audit">
<div class="grid">
!${textField({ name: 'patient', label: 'Patient id', value: String(patient ?? ''), attributes: { inputmode: 'numeric', maxlength: 10 } })}
!${textField({ name: 'user', label: 'User id', value: String(user ?? ''), attributes: { inputmode: 'numeric', maxlength: 10 } })}
!${textField({ name: 'from', label: 'From', hint: '30 days ago where it is empty, but of a patient from the beginning.', value: from ?? '', attributes: { type: 'date' } })}
!${textField({ name: 'to', label: 'To', hint: 'This day belongs to it.', value: to ?? '', attributes: { type: 'date' } })}
</div>
<p>!${button({ label: 'Find' })}</p>
</form>`;

const COLUMNS = [{ label: 'When' }, { label: 'Who' }, { label: 'What' }, { label: 'Records' }, { label: 'Patients' }, { label: 'From' }];

const entriesOf = (entries: readonly ShownAuditEntry[], practice: LinkPractice): string =>
  table({
    caption: 'Entries of the audit, the newest first',
    isCaptionHidden: true,
    columns: COLUMNS,
    rows: entries.map((entry) => [
      html`${timeIn(entry.at, practice)}`,
      html`${entry.actor}`,
      html`${entry.action} ${entry.resource}!${entry.detail === null ? '' : html`<br><span class="hint">${entry.detail}</span>`}`,
      html`${idsOf(entry.resourceIds)}`,
      html`${entry.patientRestricted ? 'a restricted chart' : idsOf(entry.patientIds)}`,
      html`${entry.address ?? '–'}`,
    ]),
  });

/** Ids that a cell shows; the others are counted. */
const SHOWN_IDS = 5;

function idsOf(ids: readonly number[]): string {
  const more = ids.length > SHOWN_IDS ? ` and ${ids.length - SHOWN_IDS} more` : '';
  return ids.length === 0 ? '–' : `${ids.slice(0, SHOWN_IDS).join(', ')}${more}`;
}

function queryOf(filter: AuditFilterView): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== undefined) query.set(name, String(value));
  return query.toString();
}
