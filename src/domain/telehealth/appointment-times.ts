/** The time of an appointment, for the people of a visit. */
export interface AppointmentTime {
  startsAt: Date;
  /** `Tuesday, December 29, 10:00 AM EST`: the time in the zone of the appointment. */
  text: string;
}

/** The fields of an appointment that its time is made of. */
export const WITH_TIME = { startsAt: true, timeZone: true } as const;

/** @returns null without an appointment, and for one without a date */
export function appointmentTime(appointment: { startsAt: Date | null; timeZone: string } | null | undefined): AppointmentTime | null {
  if (!appointment?.startsAt) return null;
  const { startsAt, timeZone } = appointment;
  const day = startsAt.toLocaleDateString('en-US', { timeZone, weekday: 'long', month: 'long', day: 'numeric' });
  const time = startsAt.toLocaleTimeString('en-US', { timeZone, hour: 'numeric', minute: '2-digit', timeZoneName: 'short' });
  return { startsAt, text: `${day}, ${time}`.replaceAll('\u202f', ' ') };
}
