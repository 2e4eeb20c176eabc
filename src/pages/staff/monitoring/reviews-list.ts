import type { Review } from '../../../domain/monitoring/reviews/reviews.ts';
import { fullName } from '../../../domain/values/person-names.ts';
import { writeMoment } from '../../../http/trend-figures/words.ts';
import { html } from '../../html.ts';

/** The reviews that a check-in has already; nothing without one. */
export const reviewsList = (reviews: readonly Review[], timeZone: string): string =>
  reviews.length === 0
    ? ''
    : html`
<h4>Reviews so far</h4>
<ul class="reviews">!${reviews.map((review) => reviewItem(review, timeZone)).join('')}</ul>`;

function reviewItem({ user, startedAt, minutes, message, display, liveContact, holds }: Review, timeZone: string): string {
  const contact = liveContact ? ', with live contact' : ', without live contact';
  const held = holds.filter(({ release }) => release === null).map(({ why }) => html`<span class="hint">Held, not counted: ${why}</span>`);
  return html`
<li><bdi>${fullName(user) ?? 'A user'}</bdi>, ${writeMoment(startedAt, timeZone)}: ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}${contact}
!${message === null ? '' : html`<span class="hint"><bdi>${message}</bdi> (${display ? 'shown to the patient' : 'not shown to the patient'})</span>`}
!${held.join('')}</li>`;
}
