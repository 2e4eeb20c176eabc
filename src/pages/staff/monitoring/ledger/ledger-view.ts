import { type ClaimFacts, type ClaimProvider, datesOfService } from '../../../../domain/monitoring/monthly-billing/ledger/claim-facts.ts';
import type { LedgerEvidence } from '../../../../domain/monitoring/monthly-billing/ledger/ledger-evidence.ts';
import { writeCount } from '../../../../domain/monitoring/monthly-billing/ledger/row-changes.ts';
import type { BillingPeriod } from '../../../../domain/monitoring/monthly-billing/rules/billing-period.ts';
import { CPT_CODE_RULES } from '../../../../domain/monitoring/monthly-billing/rules/cpt-code-rules.ts';
import type { PatientEvidence } from '../../../../domain/monitoring/monthly-billing/rules/evidence-types.ts';
import { countMinutes } from '../../../../domain/monitoring/monthly-billing/rules/review-minutes.ts';
import type { LinkPractice } from '../../../../domain/practices/link-practice.ts';
import { writeDayWords, writeMoment, writeMonthWords } from '../../../../http/trend-figures/words.ts';
import { card } from '../../../design/content/card.ts';
import { table } from '../../../design/content/table.ts';
import { writePage } from '../../../design/layout/page.ts';
import { html } from '../../../html.ts';
import type { RefusedForm } from '../../forms/form-state.ts';
import { MARKED, refusalAlert } from '../../forms/refusal.ts';
import { ledgerForms } from './ledger-forms.ts';
import { ledgerAddress } from './ledger-list-view.ts';

const person = ({ firstName, lastName }: { firstName: string | null; lastName: string | null }) =>
  [firstName, lastName].filter((part) => part !== null).join(' ');

interface EvidenceView {
  practice: LinkPractice;
  shown: LedgerEvidence;
  isAdmin: boolean;
  refused?: RefusedForm | undefined;
  /** Markup of the line above the page. */
  bar: string;
}

/** One patient and month of the ledger, to be printed: every code, and every reading and minute behind it. Each sheet has one heading. */
export function ledgerEvidencePage({ practice, shown, isAdmin, refused, bar }: EvidenceView): string {
  const { period, row, evidence, users } = shown;
  const at = (instant: Date) => writeMoment(instant, period.timeZone);
  const name = person(row.patient);
  const month = writeMonthWords(period.month);
  const newest = row.closed?.versions.at(-1);
  const sheet = [name, month, practice.name, ...(newest ? [`version ${newest.version}, SHA-256 ${newest.hash}`] : [])].join(' · ');
  const forms = isAdmin ? ledgerForms(period, row, refused) : '';
  return writePage({
    title: `${month}: ${name}`,
    practice,
    layout: 'wide',
    style: '/assets/ledger.css',
    back: { href: ledgerAddress(period.month), label: `Ledger of ${month}` },
    content: html`
!${bar}
!${refused === undefined ? '' : refusalAlert(refused, forms.includes(MARKED))}
<p class="row evidence-links"><a href="/monitoring/patients/${row.patient.id}">Page of ${name}</a></p>
!${forms}
<table class="evidence" role="presentation"><thead class="evidence-head"><tr><td class="evidence-sheet">${sheet}</td></tr></thead>
<tbody class="evidence-body"><tr class="evidence-row"><td class="evidence-parts">
!${summaryCard(shown, at)}
!${recordTables(evidence, period, { at, findUserName: (id) => users.get(id) ?? String(id) })
      .map(({ title, columns, rows }) => recordsCard(title, columns, rows))
      .join('')}
</td></tr></tbody></table>`,
  });
}

interface Words {
  at: (instant: Date) => string;
  findUserName: (userId: number) => string;
}

interface RecordTable {
  title: string;
  columns: string[];
  rows: string[][];
}

function recordTables(
  { consents, episodes, reviews, visits, readings }: PatientEvidence,
  period: BillingPeriod,
  { at, findUserName }: Words,
): RecordTable[] {
  const minutesIn = (from: number, before: number) => String(countMinutes([{ from, before }], period.span));
  return [
    {
      title: 'Consent',
      columns: ['Given', 'Revoked', 'How', 'By'],
      rows: consents.map(({ givenAt, revokedAt, how, by }) => [at(givenAt), revokedAt ? at(revokedAt) : '', how, by]),
    },
    {
      title: 'Enrolments',
      columns: ['Enrolment', 'Service', 'From', 'To'],
      rows: episodes.map(({ enrolmentId, service, from, to }) => [
        String(enrolmentId),
        service.replaceAll('_', ' '),
        at(from),
        to ? at(to) : '',
      ]),
    },
    {
      title: 'Reviews',
      columns: ['Review', 'Began', 'Minutes', 'In the month', 'By', 'Live contact', 'Counts'],
      rows: reviews.map(({ id, startedAt, minutes, userId, live, why }) => {
        const start = startedAt.getTime();
        return [
          ...[String(id), at(startedAt), String(minutes), minutesIn(start, start + minutes * 60_000), findUserName(userId)],
          ...[live ? liveIn(startedAt, period) : 'no', why ?? 'yes'],
        ];
      }),
    },
    {
      title: 'Video visits',
      columns: ['Began', 'Ended', 'In the month', 'With', 'Live contact', 'Counts'],
      rows: visits.map(({ from, before, userIds, why }) => [
        ...[at(from), at(before), minutesIn(from.getTime(), before.getTime()), userIds.map(findUserName).join(', ')],
        ...[liveIn(from, period), why ?? 'yes'],
      ]),
    },
    {
      title: 'Readings',
      columns: ['Measured', 'Item', 'Kind', 'Value', 'Source', 'Device', 'Counts'],
      rows: readings.map(({ measuredAt, itemName, kind, value, unit, source, device, why }) => [
        ...[at(measuredAt), itemName, kind.replaceAll('_', ' '), `${value} ${unit ?? ''}`.trim(), source],
        ...[device ?? '', why ?? 'yes'],
      ]),
    },
  ];
}

/** A live contact counts in the month in which it began. */
const liveIn = (began: Date, { span }: BillingPeriod): string => (began.getTime() < span.from ? 'in the month before' : 'yes');

function summaryCard({ period, row, claim }: LedgerEvidence, at: Words['at']): string {
  const lines = [
    ...(claim === null ? [] : claimLines(claim)),
    `${row.minutes} minutes, ${row.days} days with readings, live contact: ${row.liveContact ? 'yes' : 'no'}. Time zone: ${period.timeZone}.`,
    'Minutes are those in the month; overlapping time counts once.',
    ...row.missing.map(({ text }) => `Missing: ${text}`),
    ...row.leftOut.map((left) => `Not counted: ${writeCount(left)}: ${left.why}`),
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
    title: 'Codes',
    content: html`!${
      row.codes.length === 0
        ? html`<p>No code can be billed.</p>`
        : writeTable(
            'Codes',
            ['Code', 'Units', 'Dates of service', 'Rule', 'Source'],
            row.codes.map((one) => {
              const { code, units, period: days } = one;
              const { from, to } = datesOfService(one, period);
              const rule = `${describeRule(code, period.firstDay)}${days?.from ? `; ${days.days} days` : ''}`;
              return [code, String(units), `${writeDayWords(from)} to ${writeDayWords(to)}`, rule, row.sources[code] ?? ''];
            }),
          )
    }
<ul>!${[...lines, ...(closed ? [closed] : ['The month is open.']), ...versions].map((line) => html`<li class="evidence-line">${line}</li>`).join('')}</ul>`,
  });
}

/** The needs of a claim beside the codes; a line says what the chart lacks. */
function claimLines({ birthDate, recordNumber, diagnoses, ordering, billing, place }: ClaimFacts): string[] {
  const provider = (one: ClaimProvider | null) => (one === null ? 'none' : `${person(one)}, NPI ${one.npi ?? 'not known'}`);
  return [
    `Born ${birthDate === null ? 'on an unknown day' : writeDayWords(birthDate)}. Record number: ${recordNumber ?? 'none'}.`,
    `Diagnoses: ${diagnoses.length === 0 ? 'none with an ICD-10-CM code' : diagnoses.join(', ')}.`,
    `Ordering provider: ${provider(ordering)}. Billing provider: ${provider(billing)}.`,
    `Place of service: ${place === null ? 'no known office' : [place.code, place.name].filter((part) => part !== null).join(', ')}.`,
  ];
}

/** The amount that a code asks for, in plain words. */
function describeRule(code: string, firstDay: string): string {
  const rule = CPT_CODE_RULES.find((one) => one.code === code && one.from <= firstDay && (one.before === null || firstDay < one.before));
  if (!rule) return '';
  if (rule.part === 'setup') return `once per episode, from ${rule.fromDays} days with readings`;
  if (rule.part === 'supply')
    return rule.toDays === null ? `from ${rule.fromDays} days with readings` : `${rule.fromDays} to ${rule.toDays} days with readings`;
  return `from ${rule.fromMinutes} minutes with live contact${rule.perMinutes === null ? '' : `, each additional ${rule.perMinutes}`}`;
}

const recordsCard = (title: string, columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  card({ title, content: rows.length === 0 ? html`<p>There are none.</p>` : writeTable(title, columns, rows) });

const writeTable = (caption: string, columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  table({
    caption,
    isCaptionHidden: true,
    isStacked: true,
    columns: columns.map((label) => ({ label })),
    rows: rows.map((cells) => cells.map((cell) => html`${cell}`)),
  });
