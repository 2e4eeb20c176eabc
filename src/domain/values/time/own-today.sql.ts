/**
 * Today on the clock of an appointment's place: its wall clock, and the time since. Node has computed the wall clock; PostgreSQL, whose zone
 * files may differ, reads no zone. Within the hour of a clock change after the appointment, the day begins or ends an hour off.
 */
export const selectToday = (appointment: string) => `(${appointment}.local_start + (now() - ${appointment}.starts_at))::date`;
