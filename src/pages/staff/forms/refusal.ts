import { alert, refused as refusedAlert } from '../../design/feedback/alert.ts';
import { html } from '../../html.ts';
import type { RefusedForm } from './form-state.ts';

/** Markup of a field beside which a reason stands. */
export const MARKED = 'aria-invalid="true"';

/** Says why a form was refused. @param isMarked whether the reason stands beside a field, which then has the focus */
export function refusalAlert({ failure }: Pick<RefusedForm, 'failure'>, isMarked: boolean): string {
  if (failure.code === 'step_up_required') return alert({ kind: 'warning', content: CONFIRM_FIRST, attributes: FOCUSED });
  const isExplained = isMarked && failure.kind !== 'precondition_failed';
  return refusedAlert(isExplained ? 'Nothing was changed. See the marked field.' : failure.message, isMarked);
}

const FOCUSED = { role: 'alert', tabindex: -1, autofocus: true };
const CONFIRM_FIRST = html`
<p>Nothing has been done yet. <a href="/sign-in/confirm?to=%2Faccount%2Fconfirmed" target="_blank" rel="noopener">Confirm in a new window that it is you</a>, then send this form again. Your entries are kept.</p>`;
