import { z } from 'zod';
import { formatInstant, timeOfDay } from '../../../domain/messaging/templates/appointment-times.ts';
import type { Choice, ShownTime } from '../../../domain/scheduling/patient-booking/booking-choices.ts';
import type { Language } from '../../../domain/values/languages.ts';
import { momentAt, writeDay } from '../../../domain/values/time/time.ts';
import { html } from '../../html.ts';
import { BOOKING_WORDS } from './booking-words.ts';

/** `Tuesday, March 4, 10:00 AM`, with whom and where. */
export function renderTime({ startsAt, timeZone, provider, office, type }: ShownTime, language: Language): string {
  const when = `${writeDayName(momentDay(startsAt, timeZone), language)}, ${timeOfDay(startsAt, timeZone, language)}`;
  const place = [provider === '' ? '' : BOOKING_WORDS[language].withWhom(provider), office].filter(Boolean).join(', ');
  return html`<p class="lead"><strong>${when}</strong></p><p><bdi>${type}</bdi>!${place === '' ? '' : html`<br><bdi>${place}</bdi>`}</p>`;
}

const momentDay = (instant: Date, timeZone: string): string => writeDay(momentAt(instant, timeZone).local);

/** A day in words, such as `Tuesday, March 4`. */
export const writeDayName = (day: string, language: Language): string =>
  formatInstant(new Date(`${day}T12:00:00Z`), language, { weekday: 'long', month: 'long', day: 'numeric', timeZone: 'UTC' });

/** A time as forms and addresses have it: its start, provider and office. */
export const timeShape = z
  .string()
  .regex(/^\d{1,13} \d{1,10} \d{1,10}$/)
  .transform((written) => {
    const [start = 0, providerId = 0, officeId = 0] = written.split(' ').map(Number);
    return { start, providerId, officeId };
  });

export const writeTime = ({ start, providerId, officeId }: Choice['time']): string => `${start} ${providerId} ${officeId}`;
