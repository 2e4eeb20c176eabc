import type { Caller } from '../../../domain/caller.ts';
import type { Review } from '../../../domain/monitoring/reviews/reviews.ts';
import { fullName } from '../../../domain/values/person-names.ts';
import { writeMoment } from '../../../http/trend-figures/words.ts';
import { confirmedButton } from '../../design/forms/confirmed-button.ts';
import { html } from '../../html.ts';

type Reader = Pick<Caller, 'role' | 'userId'>;

/** The reviews that a check-in has already; nothing without one. */
export const reviewsList = (reviews: readonly Review[], timeZone: string, reader: Reader): string =>
  reviews.length === 0
    ? ''
    : html`
<h4>Reviews so far</h4>
<ul class="reviews">!${reviews.map((review) => reviewItem(review, timeZone, reader)).join('')}</ul>`;

/** As deleteReview: the author, and admins. */
const mayDelete = ({ createdById, userId }: Review, { role, userId: own }: Reader): boolean =>
  role === 'admin' || (createdById ?? userId) === own;

function reviewItem(review: Review, timeZone: string, reader: Reader): string {
  const { id, patientId, user, startedAt, minutes, message, display, liveContact, holds } = review;
  const contact = liveContact ? ', with live contact' : ', without live contact';
  const held = holds.filter(({ release }) => release === null).map(({ why }) => html`<span class="hint">Held, not counted: ${why}</span>`);
  return html`
<li><bdi>${fullName(user) ?? 'A user'}</bdi>, ${writeMoment(startedAt, timeZone)}: ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}${contact}
!${message === null ? '' : html`<span class="hint"><bdi>${message}</bdi> (${display ? 'shown to the patient' : 'not shown to the patient'})</span>`}
!${held.join('')}
!${mayDelete(review, reader) ? confirmedButton({ id: `delete-review-${id}`, label: 'Delete', kind: 'plain', question: 'Delete this review?', words: 'Its minutes no longer count. To correct a review, delete it and write it again.', form: { action: `/monitoring/patients/${patientId}/reviews/${id}/delete` } }) : ''}</li>`;
}
