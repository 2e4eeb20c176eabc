import type { LedgerRow } from '../../../../domain/monitoring/monthly-billing/ledger/ledger.ts';
import { evidencePath } from '../../../../domain/monitoring/monthly-billing/ledger/ledger-evidence.ts';
import type { LedgerHold } from '../../../../domain/monitoring/monthly-billing/ledger-holds.ts';
import type { BillingPeriod } from '../../../../domain/monitoring/monthly-billing/rules/billing-period.ts';
import { card } from '../../../design/content/card.ts';
import { button } from '../../../design/forms/button.ts';
import { atMost, textField } from '../../../design/forms/field.ts';
import { html } from '../../../html.ts';
import { type FormState, formState, type RefusedForm } from '../../forms/form-state.ts';

const NOTHING_TYPED = { reason: '' };

const reasonField = (form: FormState, id: string): string =>
  textField({ ...form.field('reason', { id: `reason-${id}`, ...atMost(1_000), required: true, autocomplete: 'off' }), label: 'Reason' });

/** The decisions of an admin on a row: open holds to release, and changes since the closing to record. Nothing where there are none. */
export function ledgerForms({ month, closed }: BillingPeriod, row: LedgerRow, refused?: RefusedForm): string {
  const path = evidencePath(month, row.patient.id);
  const held = row.holds.filter(({ release }) => release === null);
  const isCorrected = closed !== null && row.pendingCorrections.length > 0;
  if (held.length === 0 && !isCorrected) return '';
  return html`<div class="evidence-forms">
!${held.length === 0 ? '' : card({ title: 'Held, not billed', content: held.map((hold, index) => releaseForm(path, hold, index, refused)).join('') })}
!${
    isCorrected
      ? card({
          title: 'Changed since the closing',
          content: html`<ul>!${row.pendingCorrections.map((change) => html`<li>${change}</li>`).join('')}</ul>
<form class="search-form" method="post" action="${path}/corrections">!${reasonField(formState({ action: `${path}/corrections`, present: NOTHING_TYPED, refused }), 'correction')}!${button({ label: 'Record the correction' })}</form>`,
        })
      : ''
  }</div>`;
}

function releaseForm(path: string, { kind, reviewId, why }: LedgerHold, index: number, refused: RefusedForm | undefined): string {
  const review = reviewId === null ? '' : String(reviewId);
  const isOwn = refused?.sent.kind === kind && (refused.sent.review ?? '') === review;
  const form = formState({ action: `${path}/releases`, present: NOTHING_TYPED, refused: isOwn ? refused : undefined });
  return html`
<form class="stack" method="post" action="${form.action}">
<p>${review === '' ? '' : `Review ${review}: `}${why}</p>
<input type="hidden" name="kind" value="${kind}">!${review === '' ? '' : html`<input type="hidden" name="review" value="${review}">`}
<div class="search-form">!${reasonField(form, String(index))}!${button({ label: 'Release', kind: 'plain' })}</div></form>`;
}
