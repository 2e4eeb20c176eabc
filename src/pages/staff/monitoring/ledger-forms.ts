import type { LedgerRow } from '../../../domain/monitoring/monthly-billing/ledger/ledger.ts';
import { evidencePath } from '../../../domain/monitoring/monthly-billing/ledger/ledger-evidence.ts';
import type { LedgerHold } from '../../../domain/monitoring/monthly-billing/ledger-holds.ts';
import type { BillingPeriod } from '../../../domain/monitoring/monthly-billing/rules/billing-period.ts';
import { card } from '../../design/content/card.ts';
import { alert } from '../../design/feedback/alert.ts';
import { button } from '../../design/forms/button.ts';
import { textField } from '../../design/forms/field.ts';
import { html } from '../../html.ts';

/** Says why a form was refused; the browser begins to read there. */
export const problemAlert = (problem: string): string =>
  alert({ kind: 'danger', content: html`<p>${problem}</p>`, attributes: { role: 'alert', tabindex: -1, autofocus: true } });

const reasonField = (id: string): string =>
  textField({ name: 'reason', label: 'Reason', attributes: { id: `reason-${id}`, maxlength: 1_000, required: true, autocomplete: 'off' } });

/** The decisions of an admin on a row: open holds to release, and changes since the closing to record. Nothing where there are none. */
export function ledgerForms({ month, closed }: BillingPeriod, row: LedgerRow): string {
  const path = evidencePath(month, row.patient.id);
  const held = row.holds.filter(({ release }) => release === null);
  const isCorrected = closed !== null && row.pendingCorrections.length > 0;
  if (held.length === 0 && !isCorrected) return '';
  return html`<div class="evidence-forms">
!${held.length === 0 ? '' : card({ title: 'Held, not billed', content: held.map((hold, index) => releaseForm(path, hold, index)).join('') })}
!${
    isCorrected
      ? card({
          title: 'Changed since the closing',
          content: html`<ul>!${row.pendingCorrections.map((change) => html`<li>${change}</li>`).join('')}</ul>
<form class="search-form" method="post" action="${path}/corrections">!${reasonField('correction')}!${button({ label: 'Record the correction' })}</form>`,
        })
      : ''
  }</div>`;
}

const releaseForm = (path: string, { kind, reviewId, why }: LedgerHold, index: number): string => html`
<form class="stack" method="post" action="${path}/releases">
<p>${reviewId === null ? '' : `Review ${reviewId}: `}${why}</p>
<input type="hidden" name="kind" value="${kind}">!${reviewId === null ? '' : html`<input type="hidden" name="review" value="${reviewId}">`}
<div class="search-form">!${reasonField(String(index))}!${button({ label: 'Release', kind: 'plain' })}</div></form>`;
