import type { AppointmentStatus } from '../../generated/prisma/client.ts';

export type { AppointmentStatus };

/** Statuses of an appointment that is to come or goes on. */
export const OPEN_STATUSES = ['scheduled', 'arrived', 'roomed', 'in_progress'] as const satisfies readonly AppointmentStatus[];

export const APPOINTMENT_STATUSES = [
  ...OPEN_STATUSES,
  ...(['checked_out', 'completed', 'no_show', 'cancelled'] as const),
] as const satisfies readonly AppointmentStatus[];

/**
 * Appointments in these statuses do not count: they take up nobody's time, and a record does not show them as a visit.
 * The trigger that copies an appointment's times to its users (see the baseline migration) has the same list.
 */
export const INACTIVE_STATUSES = ['cancelled', 'no_show'] as const satisfies readonly AppointmentStatus[];

/** Whether an appointment in this status counts: it is to come or took place. */
export const isActiveAppointment = (status: AppointmentStatus): boolean => !INACTIVE_STATUSES.some((inactive) => inactive === status);

/** Whether an appointment in this status is to come or goes on. */
export const isOpenAppointment = (status: AppointmentStatus): boolean => OPEN_STATUSES.some((open) => open === status);

/** The same as a condition in SQL. @param appointment alias of the table */
export const openAppointment = (appointment: string): string =>
  `${appointment}.status IN (${OPEN_STATUSES.map((status) => `'${status}'`).join(', ')})`;

/** Whether it counts, as a condition in SQL. @param appointment alias of the table */
export const activeAppointment = (appointment: string): string =>
  `${appointment}.status NOT IN (${INACTIVE_STATUSES.map((status) => `'${status}'`).join(', ')})`;
