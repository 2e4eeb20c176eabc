import { z } from 'zod';
import type { Assignment, AssignmentFilter, AssignmentSort } from '../../../../domain/scheduling/lists/user-appointments.ts';
import { alsoNamed } from '../../../../http/input/query.ts';
import { id, instant, longId, optional, pagingByPosition, updatedSince } from '../../../../http/wire/wire-types.ts';
import { DATE, ids, one, sortBy, TASKS, wrapList } from '../../shared.wire.ts';
import { AppointmentShape, fromAppointment, type ShownBeside } from './appointments.wire.ts';

export const AssignmentShape = z
  .strictObject({
    uuid: z.int(),
    user_id: z.int(),
    appointment_id: z.int(),
    user: AppointmentShape.shape.users.element.nullable(),
    appointment: AppointmentShape,
    created_at: instant(),
  })
  .meta({ id: 'UserAppointment' });

export const AssignmentResponse = one(AssignmentShape).meta({ id: 'UserAppointmentResponse' });
export const AssignmentList = wrapList(AssignmentShape).meta({ id: 'UserAppointmentList' });

export const AssignmentRequest = z.object({ user_id: id(), appointment_id: longId() }).meta({ id: 'UserAppointmentRequest' });

export const HandOverRequest = z
  .object({
    appointment_id: longId(),
    from_user_id: optional(id()).describe('Id of the user to replace; required if there are several other participants'),
  })
  .meta({ id: 'UserAppointmentMove' });

const FIELDS = {
  id: 'id',
  uuid: 'id',
  user_id: 'userId',
  appointment_id: 'appointmentId',
  appointment_date: 'startsAt',
  title: 'typeName',
  created_at: 'createdAt',
} as const satisfies Record<string, AssignmentSort['order']>;

export const assignmentsQuery = z.object({ ...updatedSince, ...sortBy(FIELDS), ...pagingByPosition });
export const ofUserQuery = z.object({ ...TASKS, ...DATE, ...updatedSince, ...pagingByPosition });
export const searchQuery = z.object({
  ...TASKS,
  'appointment_type[]': alsoNamed(ids(), 'appointment_type_id', 'type').describe('Appointment type ids'),
  'user[]': ids().describe('User ids'),
  ...DATE,
  ...updatedSince,
  ...pagingByPosition,
});
export const removalQuery = z.object({ appointment_id: longId().describe('Appointment id') });

export const userParams = z.object({ uuid: id().describe('User id') });

export function toAssignmentSort({ sort, order }: z.output<typeof assignmentsQuery>): AssignmentSort {
  return { order: sort, descending: order === 'DESC' };
}

/** TASKS, DATE and updated_since. */
export function toAssignmentFilter(query: z.output<typeof ofUserQuery>): AssignmentFilter {
  const { min_appointment_date: min, max_appointment_date: max, show_on_tasks: showOnTasks, updated_since: updatedSince } = query;
  return { showOnTasks, updatedSince, dates: { min, max, fields: { min: 'min_appointment_date', max: 'max_appointment_date' } } };
}

export function fromAssignment(assignment: Assignment, beside: ShownBeside): z.input<typeof AssignmentShape> {
  const appointment = fromAppointment(assignment.appointment, beside);
  return {
    uuid: assignment.id,
    user_id: assignment.userId,
    appointment_id: assignment.appointmentId,
    user: appointment.users.find(({ uuid }) => uuid === assignment.userId) ?? null,
    appointment,
    created_at: assignment.createdAt,
  };
}
