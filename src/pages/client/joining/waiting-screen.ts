import { element, timeOfDay } from '../page/page-elements.ts';
import type { Joined } from '../protocol.ts';
import { WORDS } from '../words/words.ts';

/** Shows whom the guest is to meet, when, and since when they wait. */
export function showWaiting({ since, host, appointment }: Joined): void {
  if (since !== null) element('since', 'strong').textContent = timeOfDay(since);
  element('meet', 'p').hidden = !host;
  element('meet-whom', 'strong').textContent = host ?? '';
  element('meet-when', 'span').textContent = appointment ? WORDS.waiting.when(appointment.text) : '';
}

/** Shows that the practice has answered "not now", and that the patient keeps the place. */
export function showNotNow(): void {
  const place = element('late', 'p');
  place.textContent = WORDS.waiting.notNow;
  place.hidden = false;
}

/** Shows that the practice is running late; 0 minutes hides it. */
export function showLate(minutes: number): void {
  const place = element('late', 'p');
  place.textContent = minutes > 0 ? WORDS.waiting.late(minutes) : '';
  place.hidden = minutes <= 0;
}
