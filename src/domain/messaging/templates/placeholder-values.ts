import type { Office } from '../../../generated/prisma/client.ts';
import type { Appointment } from '../../scheduling/appointment/appointment-view.ts';
import type { PersonName } from '../../values/person-names.ts';
import { formatPhone } from '../../values/phone-numbers.ts';
import { appointmentTimeOfDay, formatInstant, timeOfDay, zoneName } from './appointment-times.ts';
import type { PlaceholderValues } from './placeholders.ts';

export function practiceValues({ name, phone }: { name: string; phone: string | null }): PlaceholderValues {
  return { 'org name': name, 'org phone number': formatPhone(phone) };
}

export const patientNameValues = ({ firstName, lastName }: PersonName): PlaceholderValues => ({
  'first name': firstName ?? '',
  'last name': lastName ?? '',
});

/** The practice's name on one line, short enough for a mail subject. */
export const nameInSubject = (name: string): string => name.replaceAll(/\s+/g, ' ').slice(0, 200).toWellFormed();

/** In which language, and to whose clock, a time is written. */
export interface WrittenFor {
  /** The language, as languageTag gives it. */
  tag: string;
  /** Zone of the patient's own clock; null or undefined where it is not known. */
  patientZone?: string | null | undefined;
  /** The text has the zone's name beside the time. */
  namesZone?: boolean;
}

const IN_ENGLISH: WrittenFor = { tag: 'en' };

/** Placeholder values of an appointment: date and time in its own zone. */
export function appointmentValues(appointment: Appointment, providerName: string, written = IN_ENGLISH): PlaceholderValues {
  const { type, office, location, startsAt, timeZone } = appointment;
  return {
    ...(startsAt === null ? {} : appointmentStartValues(new Date(startsAt), timeZone, written)),
    'appointment type': type?.name ?? '',
    'provider name': providerName,
    'office name': (office?.patientDepartmentName ?? '').trim() || (office?.name ?? ''),
    'office address': office ? formatAddress(office) : '',
    'office phone number': formatPhone(office?.phone ?? null),
    'location name': location?.name ?? '',
    'location address': location ? formatAddress(location) : '',
  };
}

/** Placeholder values of an appointment's start. The time names its zone where it occurs twice, or the patient's clock shows another. */
export const appointmentStartValues = (
  startsAt: Date,
  timeZone: string,
  { tag, patientZone, namesZone = false } = IN_ENGLISH,
): PlaceholderValues => ({
  'appointment date': formatInstant(startsAt, tag, { dateStyle: 'long', timeZone }),
  'appointment time': namesZone ? timeOfDay(startsAt, timeZone, tag) : appointmentTimeOfDay(startsAt, timeZone, tag, patientZone),
  'appointment day': formatInstant(startsAt, tag, { weekday: 'long', timeZone }),
  'appointment time zone': zoneName(startsAt, timeZone, tag),
});

type Address = Pick<Office, 'address1' | 'address2' | 'city' | 'state' | 'zip'>;

/** `12 Main St, Suite 3, Boulder, CO 80301` */
function formatAddress({ address1, address2, city, state, zip }: Address): string {
  const region = [state, zip].filter(Boolean).join(' ');
  return [address1, address2, city, region].filter(Boolean).join(', ');
}
