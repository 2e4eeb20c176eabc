import type { FailureGroup } from '../../../../domain/identity/clients/client-requests.ts';
import type { PracticeClient } from '../../../../domain/identity/clients/practice-clients.ts';
import type { LinkPractice } from '../../../../domain/practices/link-practice.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { card } from '../../../design/content/card.ts';
import { table } from '../../../design/content/table.ts';
import { emptyState } from '../../../design/feedback/empty-state.ts';
import { button } from '../../../design/forms/button.ts';
import { checkField } from '../../../design/forms/field.ts';
import { html } from '../../../html.ts';
import { administrationPage, timeIn } from '../layout.ts';

export interface ClientRequestsView {
  practice: LinkPractice;
  client: PracticeClient;
  failures: readonly FailureGroup[];
  /** Whether the reader gets a mail a week about them. */
  hasDigest: boolean;
  news?: string | undefined;
}

const COLUMNS = [
  { label: 'Error' },
  { label: 'Operation' },
  { label: 'How often', isNumber: true },
  { label: 'First' },
  { label: 'Last' },
  { label: 'Newest request' },
];

/** The failed requests of one API client, by what went wrong. */
export const clientRequestsPage = ({ practice, client, failures, hasDigest, news }: ClientRequestsView): string =>
  administrationPage({
    practice,
    current: '/administration/clients',
    title: `Failed requests of ${client.name}`,
    news,
    content: html`
!${card({ title: 'In the last seven days', content: failures.length === 0 ? emptyState({ icon: 'check', title: 'No request failed' }) : failuresTable(failures, practice) })}
!${card({
      title: 'By mail',
      content: html`
<form class="stack" method="post" action="/administration/clients/${client.id}/requests">
!${checkField({ name: 'digest', label: 'Mail me this list once a week if something failed', isChecked: hasDigest })}
<p>!${button({ label: 'Save' })}</p>
</form>`,
    })}
<p><a href="/administration/clients/${client.id}">About this client</a></p>`,
  });

const failuresTable = (failures: readonly FailureGroup[], practice: LinkPractice): string =>
  table({
    caption: 'Errors, most frequent first',
    isCaptionHidden: true,
    isStacked: true,
    columns: COLUMNS,
    rows: failures.map(({ code, status, operation, count, firstAt, lastAt, lastRequestId }) => [
      html`${status} <code>${code ?? '–'}</code>`,
      html`<code>${operation}</code>`,
      html`${count.toLocaleString('en-US')}`,
      renderTime(firstAt, practice),
      renderTime(lastAt, practice),
      html`<code>${lastRequestId}</code>`,
    ]),
  });

const renderTime = (at: Date, practice: LinkPractice): string => html`<time datetime="${writeInstant(at)}">${timeIn(at, practice)}</time>`;
