import { findColleague } from '../../../domain/practices/users.ts';
import { assignUser, handOver, listAssignments, removeUser } from '../../../domain/scheduling/user-appointments.ts';
import type { Endpoints } from '../../../http/declare-endpoints.ts';
import { NoContent, writePage } from '../shared.wire.ts';
import {
  AssignmentList,
  AssignmentRequest,
  AssignmentResponse,
  assignedParams,
  assignmentsQuery,
  fromAssignment,
  HandOverRequest,
  ofUserQuery,
  removalQuery,
  searchQuery,
  toAssignmentFilter,
  toAssignmentSort,
  userParams,
} from './user-appointments.wire.ts';

/** Assignments of users to appointments. */
export function userAppointmentRoutes({ get, post, put, delete: remove }: Endpoints): void {
  get('/user-appointments', {
    operationId: 'listUserAppointments',
    summary: 'List the participants of appointments',
    description: 'Cancelled appointments and those without a date are in no list.',
    tag: 'User appointments',
    query: assignmentsQuery,
    response: AssignmentList,
    handle: async ({ prepared, caller, query, request }) =>
      writePage(request, await listAssignments(prepared, caller, {}, query, toAssignmentSort(query)), fromAssignment),
  });

  post('/user-appointments/', {
    operationId: 'createUserAppointment',
    summary: 'Let a user take part in an appointment',
    tag: 'User appointments',
    body: AssignmentRequest,
    response: AssignmentResponse,
    status: 201,
    handle: async ({ db, caller, body }) => ({
      data: fromAssignment(await assignUser(db, caller, { userId: body.user_id, appointmentId: body.appointment_id })),
    }),
  });

  get('/user-appointments/search', {
    operationId: 'searchUserAppointments',
    summary: 'Search the participants of appointments',
    description: 'In order of start.',
    tag: 'User appointments',
    query: searchQuery,
    response: AssignmentList,
    handle: async ({ prepared, caller, query, request }) => {
      const filter = { ...toAssignmentFilter(query), userIds: query['user[]'], typeIds: query['appointment_type[]'] };
      return writePage(request, await listAssignments(prepared, caller, filter, query), fromAssignment);
    },
  });

  get('/user-appointments/self', {
    operationId: 'listOwnUserAppointments',
    summary: 'List the appointments that you take part in',
    description: 'In order of start.',
    tag: 'User appointments',
    query: ofUserQuery,
    response: AssignmentList,
    handle: async ({ prepared, caller, query, request }) => {
      const filter = { ...toAssignmentFilter(query), userIds: caller.userId === null ? [] : [caller.userId] };
      return writePage(request, await listAssignments(prepared, caller, filter, query), fromAssignment);
    },
  });

  get('/user-appointments/:uuid', {
    operationId: 'listUserAppointmentsOfUser',
    summary: 'List the appointments that a user takes part in',
    description: 'In order of start.',
    tag: 'User appointments',
    params: userParams,
    query: ofUserQuery,
    response: AssignmentList,
    handle: async ({ db, prepared, caller, params, query, request }) => {
      const { id } = await findColleague(db, caller, params.uuid);
      const filter = { ...toAssignmentFilter(query), userIds: [id] };
      return writePage(request, await listAssignments(prepared, caller, filter, query), fromAssignment);
    },
  });

  put('/user-appointments/:userUUID', {
    operationId: 'moveUserAppointment',
    summary: 'Hand an appointment to this user',
    description:
      'The place of the other user who takes part becomes theirs. Where several others do, from_user_id says whose; without any, they are added.',
    tag: 'User appointments',
    params: assignedParams,
    body: HandOverRequest,
    response: AssignmentResponse,
    handle: async ({ db, caller, params, body }) => {
      const part = { userId: params.userUUID, appointmentId: body.appointment_id };
      return { data: fromAssignment(await handOver(db, caller, part, body.from_user_id ?? undefined)) };
    },
  });

  remove('/user-appointments/:userUUID', {
    operationId: 'deleteUserAppointment',
    summary: 'Take this user out of an appointment',
    tag: 'User appointments',
    params: assignedParams,
    query: removalQuery,
    response: NoContent,
    status: 204,
    handle: async ({ db, caller, params, query }) => {
      await removeUser(db, caller, { userId: params.userUUID, appointmentId: query.appointment_id });
      return null;
    },
  });
}
