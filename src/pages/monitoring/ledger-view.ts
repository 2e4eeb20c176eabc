import { CPT_CODE_RULES } from '../../domain/monitoring/monthly-billing/cpt-code-rules.ts';
import type { LedgerEvidence } from '../../domain/monitoring/monthly-billing/ledger-evidence.ts';
import type { LinkPractice } from '../../domain/practices/link-practice.ts';
import { card } from '../design/card.ts';
import { writePage } from '../design/page.ts';
import { html } from '../html.ts';
import { staffBar } from '../sign-in/staff-bar.ts';

const person = ({ firstName, lastName }: { firstName: string | null; lastName: string | null }) =>
  [firstName, lastName].filter((part) => part !== null).join(' ');

/** One patient and month of the ledger, to be printed: every code, and every reading and minute behind it. */
export function ledgerEvidencePage(practice: LinkPractice, { period, row, evidence, users }: LedgerEvidence): string {
  const at = (instant: Date) => instant.toLocaleString('en-US', { timeZone: period.timeZone, dateStyle: 'medium', timeStyle: 'short' });
  const name = person(row.patient);
  const nameOf = (id: number) => users.get(id) ?? String(id);
  return writePage({
    title: `${period.month} ${name}`,
    practice,
    layout: 'wide',
    style: '/assets/monitoring.css',
    back: { href: `/monitoring/patients/${row.patient.id}`, label: name },
    content: html`
!${staffBar('/monitoring')}
!${summaryCard({ period, row, evidence, users }, name, at)}
!${recordsCard(
      'Consent',
      ['Given', 'Revoked', 'How', 'By'],
      evidence.consents.map(({ givenAt, revokedAt, how, by }) => [at(givenAt), revokedAt ? at(revokedAt) : '', how, by]),
    )}
!${recordsCard(
      'Reviews',
      ['Review', 'Began', 'Minutes', 'By', 'Live contact', 'Counts'],
      evidence.reviews.map(({ id, startedAt, minutes, userId, live, why }) => [
        ...[String(id), at(startedAt), String(minutes), nameOf(userId)],
        ...[live ? 'yes' : 'no', why ?? 'yes'],
      ]),
    )}
!${recordsCard(
      'Video visits',
      ['Began', 'Ended', 'With', 'Counts'],
      evidence.visits.map(({ from, before, userIds, why }) => [at(from), at(before), userIds.map(nameOf).join(', '), why ?? 'yes']),
    )}
!${recordsCard(
      'Readings',
      ['Measured', 'Item', 'Value', 'Source', 'Device', 'Counts'],
      evidence.readings.map(({ measuredAt, itemName, value, unit, source, device, why }) => [
        ...[at(measuredAt), itemName, `${value} ${unit ?? ''}`.trim(), source],
        ...[device ?? '', why ?? 'yes'],
      ]),
    )}`,
  });
}

function summaryCard({ period, row }: LedgerEvidence, name: string, at: (instant: Date) => string): string {
  const lines = [
    `${row.minutes} minutes, ${row.days} days with readings, live contact: ${row.liveContact ? 'yes' : 'no'}. Time zone: ${period.timeZone}.`,
    ...row.missing.map(({ text }) => `Missing: ${text}`),
    ...row.leftOut.map(({ count, code, kind, why }) => `Left out: ${count} ${code ?? kind}: ${why}`),
    ...row.holds.map(({ reviewId, why, release }) => {
      const subject = `${reviewId === null ? '' : `review ${reviewId}: `}${why}`;
      return release ? `Released: ${subject}. ${person(release.by)}, ${at(release.at)}: ${release.reason}` : `Held: ${subject}`;
    }),
    ...row.pendingCorrections.map((change) => `Changed since the closing: ${change}`),
  ];
  const closed =
    period.closed && `Closed on ${at(period.closed.at)} by ${person(period.closed.by)}. SHA-256 of the month: ${period.closed.hash}`;
  const versions = (row.closed?.versions ?? []).map(
    ({ version, at: recorded, by, hash, reason }) =>
      `Version ${version}, ${at(recorded)}, ${person(by)}${reason === null ? '' : `: ${reason}`}. SHA-256: ${hash}`,
  );
  return card({
    title: `${name}, ${period.month}`,
    content: html`!${writeTable(
      ['Code', 'Units', 'Rule', 'Source'],
      row.codes.map(({ code, units, period: days }) => [
        code,
        String(units),
        `${ruleOf(code, period.firstDay)}${days?.from ? `; ${days.from} to ${days.to}, ${days.days} days` : ''}`,
        row.sources[code] ?? '',
      ]),
    )}
<ul>!${[...lines, ...(closed ? [closed] : ['The month is open.']), ...versions].map((line) => html`<li class="evidence-line">${line}</li>`).join('')}</ul>`,
  });
}

/** The amount that a code asks for, in plain words. */
function ruleOf(code: string, firstDay: string): string {
  const rule = CPT_CODE_RULES.find((one) => one.code === code && one.from <= firstDay && (one.before === null || firstDay < one.before));
  if (!rule) return '';
  if (rule.part === 'setup') return `once an episode, from ${rule.fromDays} days with readings`;
  if (rule.part === 'supply')
    return rule.toDays === null ? `from ${rule.fromDays} days with readings` : `${rule.fromDays} to ${rule.toDays} days with readings`;
  return `from ${rule.fromMinutes} minutes with live contact${rule.perMinutes === null ? '' : `, each further ${rule.perMinutes}`}`;
}

const recordsCard = (title: string, columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  card({ title, content: rows.length === 0 ? html`<p>There are none.</p>` : writeTable(columns, rows) });

const writeTable = (
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): string => html`<div class="evidence-table" tabindex="0"><table>
<thead><tr>!${columns.map((column) => html`<th scope="col">${column}</th>`).join('')}</tr></thead>
<tbody>!${rows.map((cells) => html`<tr>!${cells.map((cell) => html`<td>${cell}</td>`).join('')}</tr>`).join('')}</tbody>
</table></div>`;
