import type { ChainReport } from '../../../domain/audit/chain/verify-chain.ts';
import { AUDIT_ACTIONS, type AuditAction } from '../../../domain/journal.ts';
import type { AuditPage, ShownAuditEntry } from '../../../domain/logs/audit-search.ts';
import type { LinkPractice } from '../../../domain/practices/link-practice.ts';
import { writeInstant } from '../../../domain/values/time/time.ts';
import { card } from '../../design/content/card.ts';
import { table } from '../../design/content/table.ts';
import { alert } from '../../design/feedback/alert.ts';
import { emptyState } from '../../design/feedback/empty-state.ts';
import { button } from '../../design/forms/button.ts';
import { selectField, textField } from '../../design/forms/field.ts';
import { html } from '../../html.ts';
import { type FormState, type FormValues, formState, type RefusedForm } from '../forms/form-state.ts';
import { administrationPage, renderOptions, timeIn } from './layout.ts';

const ADDRESS = '/administration/audit';
const CSV = '/administration/audit.csv';

const REASONS = { patient: 'A patient id is a number.' };

export type Verdict = Pick<ChainReport, 'broken' | 'links' | 'unsealed' | 'head' | 'unverifiable'>;

interface Named {
  id: number;
  /** As entries name who acted. */
  actor: string;
  name: string;
}

/** Those who may have done something. */
export interface Names {
  users: readonly Named[];
  clients: readonly Named[];
}

export interface AuditView {
  practice: LinkPractice;
  /** As it was typed. */
  filter: FormValues;
  names: Names;
  found: AuditPage;
  refused?: RefusedForm | undefined;
  news?: string | undefined;
  /** The result of verifying the chain, where that was asked for. */
  verdict?: Verdict | undefined;
}

export function auditPage({ practice, filter, names, found, refused, news, verdict }: AuditView): string {
  const form = formState({ action: ADDRESS, present: filter, refused, reasons: REASONS });
  return administrationPage({
    practice,
    current: ADDRESS,
    ...(form.isMarked ? {} : { refused }),
    news,
    content: html`
!${verdict === undefined ? '' : renderVerdict(verdict)}
!${card({ title: 'Find', content: filterForm(form, names) })}
!${card({ title: 'Entries', content: refused === undefined ? entriesFound({ practice, filter, names, found }) : html`<p>Nothing was searched, because the filter is invalid.</p>` })}
!${card({
      title: 'Proof',
      content: html`<p>Each entry is sealed together with the previous one. Verifying shows whether an entry was changed, added or removed.</p>
<form method="post" action="${ADDRESS}/verify"><p>!${button({ label: 'Verify', kind: 'plain' })}</p></form>`,
    })}`,
  });
}

const renderVerdict = ({ broken, links, unsealed, head, unverifiable }: Verdict): string =>
  broken === null
    ? alert({
        kind: 'success',
        title: 'The audit is intact',
        content: html`<p>${links} sealed entries are unchanged.!${unsealed === 0 ? '' : html` ${unsealed} newer ones are sealed within seconds.`}!${head === null ? '' : html` The newest seal is <code>${head.position}:${head.hash}</code>: store it elsewhere.`}</p>!${unverifiable === null ? '' : html`<p>Entries until ${writeInstant(unverifiable.at)} include some sealed under a lost key, which cannot be verified.</p>`}`,
        attributes: { role: 'status' },
      })
    : alert({
        kind: 'danger',
        title: 'The audit was changed',
        content: html`<p>At link ${broken.position}: ${broken.what}.</p>`,
        attributes: { role: 'alert' },
      });

const ACTIONS: Readonly<Record<AuditAction, string>> = {
  create: 'created',
  read: 'read',
  search: 'searched',
  update: 'changed',
  cancel: 'cancelled',
  delete: 'deleted',
  sign_in: 'signed in',
  sign_in_refused: 'was refused at sign-in',
  sign_out: 'signed out',
  break_glass: 'emergency access',
  administer: 'administered',
};

const filterForm = (form: FormState, { users, clients }: Names): string => html`
<form class="stack" method="get" action="${ADDRESS}">
<div class="grid">
!${selectField({ ...form.field('user'), label: 'User', options: optionsOfNames(users, 'Everybody', form.field('user').value) })}
!${selectField({ ...form.field('client'), label: 'API client', hint: 'Ignored if a user is chosen.', options: optionsOfNames(clients, 'All', form.field('client').value) })}
!${textField({ ...form.field('patient', { inputmode: 'numeric', maxlength: 10, autocomplete: 'off' }), label: 'Patient id' })}
!${selectField({ ...form.field('action'), label: 'What was done', options: html`<option value="">Anything</option>!${renderOptions(Object.fromEntries(AUDIT_ACTIONS.map((action) => [action, ACTIONS[action]])), form.field('action').value)}` })}
!${textField({ ...form.field('from', { type: 'date' }), label: 'From', hint: 'If empty: the last 30 days; for one patient, all.' })}
!${textField({ ...form.field('to', { type: 'date' }), label: 'To', hint: 'This day is included.' })}
</div>
<p class="row">!${button({ label: 'Find' })}<a href="${ADDRESS}">Clear the filter</a></p>
</form>`;

const optionsOfNames = (names: readonly Named[], none: string, chosen: string): string =>
  html`<option value="">${none}</option>!${names
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
    .map(({ id, name }) => html`<option value="${id}"!${String(id) === chosen ? ' selected' : ''}>${name}</option>`)
    .join('')}`;

function entriesFound({
  practice,
  filter,
  names,
  found: { entries, next },
}: Pick<AuditView, 'practice' | 'filter' | 'names' | 'found'>): string {
  const { before, ...lasting } = filter;
  if (entries.length === 0) return emptyState({ icon: 'info', title: 'No entries match' });
  const csv = html`<p><a href="${CSV}?${writeQuery(lasting)}">Save as CSV</a> <span class="hint">The matching entries, up to 10,000. You will be asked to confirm that it is you.</span></p>`;
  const newest = before ? html`<a href="${ADDRESS}?${writeQuery(lasting)}">Newest entries</a>` : '';
  const older = next === null ? '' : html`<a href="${ADDRESS}?${writeQuery({ ...lasting, before: String(next) })}">Older entries</a>`;
  return html`
!${csv}
!${entriesTable(entries, practice, names)}
!${newest + older === '' ? '' : html`<nav class="row" aria-label="More entries">!${newest} !${older}</nav>`}`;
}

const COLUMNS = [{ label: 'When' }, { label: 'Who' }, { label: 'What' }, { label: 'Records' }, { label: 'Patients' }, { label: 'Address' }];

function entriesTable(entries: readonly ShownAuditEntry[], practice: LinkPractice, { users, clients }: Names): string {
  const namesByActor = new Map([...users, ...clients].map(({ actor, name }) => [actor, name]));
  return table({
    caption: 'Entries of the audit, newest first',
    isCaptionHidden: true,
    isStacked: true,
    columns: COLUMNS,
    rows: entries.map((entry) => [
      html`<time datetime="${writeInstant(entry.at)}">${timeIn(entry.at, practice)}</time>`,
      html`<bdi>${namesByActor.get(entry.actor) ?? entry.actor}</bdi>!${namesByActor.has(entry.actor) ? html`<span class="hint">${entry.actor}</span>` : ''}`,
      html`${writeAction(entry.action)}: ${entry.resource.replaceAll('_', ' ')}!${entry.detail === null ? '' : html`<span class="hint">${entry.detail}</span>`}`,
      html`${writeIds(entry.resourceIds)}`,
      html`${entry.patientRestricted ? 'a restricted chart' : writeIds(entry.patientIds)}`,
      html`${entry.address ?? '–'}`,
    ]),
  });
}

const WORDS: ReadonlyMap<string, string> = new Map(Object.entries(ACTIONS));
const writeAction = (action: string): string => WORDS.get(action) ?? action;

/** Ids that a cell shows; the others are counted. */
const SHOWN_IDS = 5;

function writeIds(ids: readonly number[]): string {
  const more = ids.length > SHOWN_IDS ? ` and ${ids.length - SHOWN_IDS} more` : '';
  return ids.length === 0 ? '–' : `${ids.slice(0, SHOWN_IDS).join(', ')}${more}`;
}

/** The query of an address, without what is empty. */
export const writeQuery = (values: FormValues): string =>
  new URLSearchParams(Object.entries(values).filter(([, value]) => value !== '')).toString();
