import { Temporal } from 'temporal-polyfill';
import type { Appointment } from '../../scheduling/appointment-view.ts';
import type { PersonName } from '../../values/person-names.ts';
import { formatPhone } from '../../values/phone-numbers.ts';
import type { PlaceholderValues } from './placeholders.ts';

/** Placeholder values of a practice. */
export function practiceValues({ name, phone }: { name: string; phone: string | null }): PlaceholderValues {
  return { 'org name': name, 'org phone number': formatPhone(phone) };
}

/** Placeholder values of a patient. */
export const patientNameValues = ({ firstName, lastName }: PersonName): PlaceholderValues => ({
  'first name': firstName ?? '',
  'last name': lastName ?? '',
});

/** The practice's name on one line, short enough for a mail subject. */
export const nameInSubject = (name: string): string => name.replaceAll(/\s+/g, ' ').slice(0, 200).toWellFormed();

/** Placeholder values of an appointment: date and time in its own zone, in US English whatever the template's language. */
export function appointmentValues(appointment: Appointment, providerName: string): PlaceholderValues {
  const { type, office, location, startsAt, timeZone } = appointment;
  return {
    ...(startsAt === null ? {} : appointmentStartValues(new Date(startsAt), timeZone)),
    'appointment type': type?.name ?? '',
    'provider name': providerName,
    'office name': (office?.patientDepartmentName ?? '').trim() || (office?.name ?? ''),
    'office address': office ? formatAddress(office) : '',
    'office phone number': formatPhone(office?.phone ?? null),
    'location name': location?.name ?? '',
    'location address': location ? formatAddress(location) : '',
  };
}

/** Placeholder values of an appointment's start. */
export function appointmentStartValues(startsAt: Date, timeZone: string): PlaceholderValues {
  const format = (options: Intl.DateTimeFormatOptions) => formatInEnglish(startsAt, { ...options, timeZone });
  const zone = formatInEnglish(startsAt, { timeZone, timeZoneName: 'short', year: 'numeric' }).replace(/^\d+, /, '');
  const time = format({ hour: 'numeric', minute: '2-digit' });
  return {
    'appointment date': format({ dateStyle: 'long' }),
    // A local time that occurs twice because of a clock change is shown with its zone.
    'appointment time': occursTwice(startsAt, timeZone) ? `${time} ${zone}` : time,
    'appointment day': format({ weekday: 'long' }),
    'appointment time zone': zone,
  };
}

/** `November 28, 2026 at 11:59 PM EST` */
export const formatMoment = (instant: Date, timeZone: string): string =>
  formatInEnglish(instant, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
    timeZoneName: 'short',
  });

/** Some ICU versions write a narrow no-break space before AM and PM, which is not in GSM-7. */
const formatInEnglish = (instant: Date, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-US', options).format(instant).replaceAll(/\s/g, ' ');

function occursTwice(instant: Date, timeZone: string): boolean {
  const wall = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timeZone).toPlainDateTime();
  const [first, second] = (['earlier', 'later'] as const).map((disambiguation) => wall.toZonedDateTime(timeZone, { disambiguation }));
  return first?.epochMilliseconds !== second?.epochMilliseconds;
}

interface Address {
  address1: string | null;
  address2: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
}

/** `12 Main St, Suite 3, Boulder, CO 80301` */
function formatAddress({ address1, address2, city, state, zip }: Address): string {
  const region = [state, zip].filter(Boolean).join(' ');
  return [address1, address2, city, region].filter(Boolean).join(', ');
}
