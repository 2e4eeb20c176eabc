import { formatInstant } from '../../messaging/templates/appointment-times.ts';

/** The time of an appointment, for the people of a visit. */
export interface AppointmentTime {
  startsAt: Date;
  /** Of the appointment. */
  timeZone: string;
}

/** The fields of an appointment that its time is made of. */
export const WITH_TIME = { startsAt: true, timeZone: true } as const;

/** @returns null without an appointment, and for one without a date */
export function appointmentTime(appointment: { startsAt: Date | null; timeZone: string } | null | undefined): AppointmentTime | null {
  if (!appointment?.startsAt) return null;
  const { startsAt, timeZone } = appointment;
  return { startsAt, timeZone };
}

/**
 * `Tuesday, December 29, 10:00 AM EST` or `martes, 29 de diciembre, 10:00 a.m. EST`: the time in the zone of the appointment.
 * @param tag of the language, as languageTag gives it
 */
export function writeAppointmentTime({ startsAt, timeZone }: AppointmentTime, tag: string): string {
  const day = formatInstant(startsAt, tag, { timeZone, weekday: 'long', month: 'long', day: 'numeric' });
  const time = formatInstant(startsAt, tag, { timeZone, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' });
  return `${day}, ${time}`;
}
