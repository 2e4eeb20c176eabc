import { z } from 'zod';
import type { Failure } from '../../../domain/errors.ts';
import type { NewReview } from '../../../domain/monitoring/reviews/reviews.ts';
import { statusOf, toFailure } from '../../../http/errors/error-mapping.ts';
import { longId, multilineText, text } from '../../../http/wire/wire-types.ts';
import { alert } from '../../design/feedback/alert.ts';
import { button } from '../../design/forms/button.ts';
import { checkField, textArea, textField } from '../../design/forms/field.ts';
import { html } from '../../html.ts';

const [LONGEST_MESSAGE, LONGEST_REASON] = [4_000, 1_000];
const written = (longest: number) => multilineText(longest).default('');
const checked = z
  .literal('yes')
  .optional()
  .transform((value) => value === 'yes');

/** A form as it was sent: a wrong value comes back to who wrote it. */
export const ReviewForm = z.object({
  checkin: longId(),
  minutes: text(10).default(''),
  message: written(LONGEST_MESSAGE),
  reason: written(LONGEST_REASON),
  started_at: text(40).default(''),
  display: checked,
  live_contact: checked,
});
export type ReviewValues = z.output<typeof ReviewForm>;

export const toReview = (form: ReviewValues): NewReview => ({
  checkInId: form.checkin,
  minutes: Number(form.minutes),
  message: form.message || null,
  display: form.display,
  liveContact: form.live_contact,
  startedAt: form.started_at || undefined,
  reason: form.reason || undefined,
});

/** Whether the minutes are such as a review may have. */
export const hasMinutes = ({ minutes }: ReviewValues): boolean => /^[1-9]\d{0,2}$/.test(minutes) && Number(minutes) <= 480;

/** A form that was refused, with its values and the reason. */
export interface RefusedReview {
  values: ReviewValues;
  reason: string;
}

interface ShownForm {
  patientId: number;
  checkInId: number;
  /** An admin may record work that is long past. */
  isAdmin: boolean;
  refused: RefusedReview | null;
}

/** The form of a review of a check-in. */
export function reviewForm({ patientId, checkInId, isAdmin, refused }: ShownForm): string {
  const values = refused?.values;
  const ids = (name: string) => ({ id: `${name}-${checkInId}` });
  return html`
<details class="review"!${refused === null ? '' : ' open'}><summary>Write a review</summary>
<form class="stack" method="post" action="/monitoring/patients/${patientId}/reviews" id="review-${checkInId}">
!${refused === null ? '' : alert({ kind: 'danger', content: html`<p>${refused.reason}</p>`, attributes: { role: 'alert' } })}
<input type="hidden" name="checkin" value="${checkInId}">
<p class="row review-timer" data-checkin="${checkInId}" hidden><span role="timer" aria-label="Time of this review"></span>!${button({ label: 'Stop the timer', kind: 'plain', type: 'button' })}</p>
!${textField({ name: 'minutes', label: 'Minutes of work', value: values?.minutes ?? '', required: true, attributes: { ...ids('minutes'), inputmode: 'numeric', autocomplete: 'off', maxlength: 3, required: true } })}
!${textField({ name: 'started_at', label: 'Begun', optional: '(optional)', hint: 'Left empty, the work has just ended.', value: values?.started_at ?? '', attributes: { ...ids('started'), type: 'datetime-local' } })}
!${textArea({ name: 'message', label: 'Message', optional: '(optional)', rows: 3, value: values?.message ?? '', attributes: { ...ids('message'), maxlength: LONGEST_MESSAGE } })}
!${checkField({ name: 'display', label: 'Show the message to the patient', isChecked: values?.display ?? false, attributes: ids('display') })}
!${checkField({ name: 'live_contact', label: 'Somebody spoke with the patient (live contact)', isChecked: values?.live_contact ?? false, attributes: ids('live') })}
!${isAdmin ? textField({ name: 'reason', label: 'Reason for recording it late', optional: '(for work more than 30 days ago)', value: values?.reason ?? '', attributes: { ...ids('reason'), maxlength: LONGEST_REASON } }) : ''}
<p>!${button({ label: 'Save the review' })}</p>
</form></details>`;
}

const FIELDS: Readonly<Record<string, string>> = {
  code: 'The code',
  icdCode: 'The code',
  min: 'The targets',
  max: 'The targets',
  dangerMin: 'The targets',
  dangerMax: 'The targets',
  items: 'The targets',
  survey: 'The survey',
  minutes: 'The minutes',
  startedAt: 'The begin',
  started_at: 'The begin',
  message: 'The message',
  reason: 'The reason',
  lateReason: 'The reason',
};

/** The refusal of a form in plain words, with the fields by the names that the form has. */
export function wordsOfRefusal({ issues, message }: Pick<Failure, 'issues' | 'message'>): string {
  if (issues.length === 0) return message;
  return issues
    .map((issue) => `${FIELDS[issue.field.split(/[-.]/, 1)[0] ?? ''] ?? 'The form'}: ${issue.message}.`.replace('..', '.'))
    .join(' ');
}

/** Failures that a page shows beside the form that they are about. */
const REFUSALS = new Set(['invalid', 'forbidden', 'conflict', 'unprocessable']);

/** The status and the words with which a form comes back. @throws the error where it is no refusal of the form */
export function refusalOf(error: unknown): { status: number; reason: string } {
  const failure = toFailure(error);
  if (!REFUSALS.has(failure.kind)) throw error;
  return { status: statusOf(failure), reason: wordsOfRefusal(failure) };
}

/** The refusal of minutes that are no whole number or too many. */
export const NO_MINUTES = 'The minutes: write a whole number from 1 to 480.';
