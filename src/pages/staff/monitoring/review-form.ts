import { z } from 'zod';
import type { NewReview } from '../../../domain/monitoring/reviews/reviews.ts';
import { longId, multilineText, text } from '../../../http/wire/wire-types.ts';
import { button } from '../../design/forms/button.ts';
import { atMost, checkField, textArea, textField } from '../../design/forms/field.ts';
import { html } from '../../html.ts';
import { formState, type RefusedForm } from '../forms/form-state.ts';

const [LONGEST_MESSAGE, LONGEST_REASON] = [4_000, 1_000];
const written = (longest: number) => multilineText(longest).default('');
const checked = z
  .literal('yes')
  .optional()
  .transform((value) => value === 'yes');

export const ReviewForm = z.object({
  checkin: longId(),
  minutes: z.string().regex(/^\s*(?:[1-9]\d?|[1-3]\d\d|4[0-7]\d|480)\s*$/, 'must be a whole number from 1 to 480'),
  message: written(LONGEST_MESSAGE),
  reason: written(LONGEST_REASON),
  started_at: text(40).default(''),
  display: checked,
  live_contact: checked,
});

export const toReview = (form: z.output<typeof ReviewForm>): NewReview => ({
  checkInId: form.checkin,
  minutes: Number(form.minutes),
  message: form.message || null,
  display: form.display,
  liveContact: form.live_contact,
  startedAt: form.started_at || undefined,
  reason: form.reason || undefined,
});

interface ShownForm {
  patientId: number;
  checkInId: number;
  /** An admin may record work that is long past. */
  isAdmin: boolean;
  refused: RefusedForm | undefined;
}

const NOTHING_TYPED = { minutes: '', started_at: '', message: '', display: '', live_contact: '', reason: '' };
/** The names that failures have for the fields. */
const ALIASES = { startedAt: 'started_at', lateReason: 'reason' };

export function reviewForm({ patientId, checkInId, isAdmin, refused }: ShownForm): string {
  const action = `/monitoring/patients/${patientId}/reviews`;
  const isOwn = refused?.sent.checkin === String(checkInId);
  const form = formState({ action, present: NOTHING_TYPED, refused: isOwn ? refused : undefined, aliases: ALIASES });
  const ids = (name: string) => ({ id: `${name}-${checkInId}` });
  return html`
<details class="review"!${form.isRefused ? ' open' : ''}><summary>Write a review</summary>
<form class="stack" method="post" action="${action}" id="review-${checkInId}">
<input type="hidden" name="checkin" value="${checkInId}">
<p class="row review-timer" data-checkin="${checkInId}" hidden><span role="timer" aria-label="Time of this review"></span>!${button({ label: 'Stop the timer', kind: 'plain', type: 'button' })}</p>
!${textField({ ...form.field('minutes', { ...ids('minutes'), inputmode: 'numeric', autocomplete: 'off', required: true }), label: 'Minutes of work', required: true })}
!${textField({ ...form.field('started_at', { ...ids('started'), type: 'datetime-local' }), label: 'Started', optional: '(optional)', hint: 'If empty, the work has just ended.' })}
!${textArea({ ...form.field('message', ids('message')), label: 'Message', optional: '(optional)', rows: 3 })}
!${checkField({ ...form.box('display', ids('display')), label: 'Show the message to the patient' })}
!${checkField({ ...form.box('live_contact', ids('live')), label: 'Someone spoke with the patient (live contact)' })}
!${isAdmin ? textField({ ...form.field('reason', { ...ids('reason'), ...atMost(LONGEST_REASON) }), label: 'Reason for recording it late', optional: '(for work more than 30 days ago)' }) : ''}
<p>!${button({ label: 'Save the review' })}</p>
</form></details>`;
}
