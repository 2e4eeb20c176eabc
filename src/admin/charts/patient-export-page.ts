import { html } from 'ghtml';
import type { Look, PatientExport } from '../../domain/patient-rights/export-patient.ts';
import { tableOfColumn } from '../../domain/patient-rights/named-records.ts';
import { PATIENT_TABLES } from '../../domain/patient-rights/patient-tables.ts';
import type { StoredRow } from '../../domain/patient-rights/read-patient-tables.ts';
import { writeInstant } from '../../domain/values/time/time.ts';

export interface ExportedFile {
  /** Of its attachment. */
  id: number;
  /** From the page. */
  path: string;
  mediaType: string;
  /** Its fault, for which it is not there; null where it is. */
  fault: string | null;
}

/** The page names all that it is made of: it opens from a disk, without a server, scripts or fonts. */
const STYLE = `
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { margin: 0 auto; max-width: 60rem; padding: 1rem; overflow-wrap: anywhere; }
  h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; border-bottom: 1px solid; }
  dl { display: grid; grid-template-columns: minmax(8rem, 14rem) 1fr; gap: 0 1rem; margin: 0 0 1rem; padding: 0 0 1rem; border-bottom: 1px dotted; }
  dt { font-weight: 600; } dd { margin: 0; white-space: pre-wrap; }
  table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.5rem 0.25rem 0; }
  tr { border-bottom: 1px dotted; break-inside: avoid; } img, video { max-width: 100%; height: auto; }
  .note { border: 1px solid; padding: 0.75rem; }
  @media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: 0.5rem; } thead { display: none; } td { display: block; } }
  @media print { :root { color-scheme: light; font-size: 10pt; } body { max-width: none; padding: 0; } dl { break-inside: avoid; } nav { display: none; } }
`;

/** The page of an export, for the person: every record with its fields, the files, and who looked. */
export function drawExport(
  exported: PatientExport,
  { practice, at, files }: { practice: string; at: Date; files: readonly ExportedFile[] },
): string {
  const parts = PATIENT_TABLES.map(({ table, title }) => ({ table, title, rows: exported.records[table] ?? [] })).filter(
    ({ rows }) => rows.length > 0,
  );
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Everything about one patient, ${practice}</title>
<style>!${STYLE}</style>
</head>
<body>
<h1>Everything that ${practice} has about one patient</h1>
<p>Written at ${writeInstant(at)}. Charts: ${exported.charts.join(', ')}. All times are in UTC unless they say otherwise.</p>
!${drawRestriction(exported.restrictedCharts)}
<nav><ul>!${parts.map(({ table, title, rows }) => html`<li><a href="#${table}">${title}</a> (${String(rows.length)})</li>`).join('')}
<li><a href="#audit">Who looked</a> (${String(exported.audit.length)})</li></ul></nav>
!${parts.map(({ table, title, rows }) => html`<section id="${table}"><h2>${title}</h2>!${rows.map((row) => drawRow(exported, row)).join('')}!${table === 'attachment' ? files.map(drawFile).join('') : ''}</section>`).join('')}
!${drawAudit(exported.audit)}
</body>
</html>
`;
}

const drawRestriction = (charts: readonly number[]): string =>
  charts.length === 0
    ? ''
    : html`<p class="note">Restricted: chart ${charts.join(', ')}. Few people in the practice may see it. This export includes it in full, because the person has a right to it.</p>`;

/** Fields without a value are left out here; the JSON has them. */
function drawRow({ names }: PatientExport, row: StoredRow): string {
  const fields = Object.entries(row).filter(([, value]) => value !== null && value !== '' && !(Array.isArray(value) && value.length === 0));
  return html`<dl>!${fields.map(([column, value]) => html`<dt>${column.replaceAll('_', ' ')}</dt><dd>${write(value)}${writeReferenceName(names, column, value)}</dd>`).join('')}</dl>`;
}

function write(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? JSON.stringify(value, null, 1) : String(value);
}

function writeReferenceName(names: PatientExport['names'], column: string, value: unknown): string {
  const name = names[tableOfColumn(column) ?? '']?.[String(value)];
  return name ? ` (${name})` : '';
}

function drawFile({ id, path, mediaType, fault }: ExportedFile): string {
  if (fault !== null) return html`<p>File ${String(id)} ${fault}.</p>`;
  const address = path.split('/').map(encodeURIComponent).join('/');
  const link = html`<a href="${address}">${path}</a>`;
  if (mediaType.startsWith('image/')) return html`<figure><img src="${address}" alt=""><figcaption>!${link}</figcaption></figure>`;
  if (mediaType.startsWith('video/'))
    return html`<figure><video controls src="${address}"></video><figcaption>!${link}</figcaption></figure>`;
  if (mediaType.startsWith('audio/'))
    return html`<figure><audio controls src="${address}"></audio><figcaption>!${link}</figcaption></figure>`;
  return html`<p>!${link}</p>`;
}

const drawAudit = (audit: readonly Look[]): string => html`<section id="audit"><h2>Who looked, and who changed what</h2>
<table><thead><tr><th>When</th><th>Who</th><th>What</th><th>By</th></tr></thead>
<tbody>!${audit.map(drawLook).join('')}</tbody></table></section>`;

const drawLook = ({ at, actor, name, action, resource, operation, detail }: Look): string =>
  html`<tr><td>${writeInstant(at)}</td><td>${name === null ? actor : `${name} (${actor})`}</td><td>${action} ${resource.replaceAll('_', ' ')}${detail === null ? '' : `, ${detail}`}</td><td>${operation}</td></tr>`;
