import type { FastifyRequest } from 'fastify';
import { findColleague } from '../../../../domain/practices/colleagues.ts';
import { findAppointment } from '../../../../domain/scheduling/appointment/appointment-reader.ts';
import {
  type Assignment,
  assignUser,
  handOver,
  listAssignments,
  removeUser,
} from '../../../../domain/scheduling/lists/user-appointments.ts';
import type { Tx } from '../../../../domain/tx.ts';
import type { Page } from '../../../../domain/values/paging.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import { findBeside, showAppointment } from './appointment-answers.ts';
import {
  AssignmentList,
  AssignmentRequest,
  AssignmentResponse,
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

const showAssignment = async (tx: Tx, assignment: Assignment) => ({
  data: fromAssignment(assignment, await findBeside(tx, [assignment.appointment])),
});

async function showAssignments({ tx, request }: { tx: Tx; request: FastifyRequest }, page: Page<Assignment>) {
  const appointments = page.items.map(({ appointment }) => appointment);
  const beside = await findBeside(tx, appointments);
  return writePage(request, page, (assignment) => fromAssignment(assignment, beside));
}

/** The appointment as its own address answers with it: a change of its participants changes its tag. */
const taggedAppointment = async (tx: Tx, id: number) => showAppointment(tx, await findAppointment(tx, id, 'appointmentId'));

export function userAppointmentRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'User appointments' });
  get('/user-appointments', {
    operationId: 'listUserAppointments',
    summary: 'List the participants of appointments',
    description: 'Cancelled appointments and those without a date are not listed.',
    query: assignmentsQuery,
    response: AssignmentList,
    handle: async ({ tx, query, request }) =>
      showAssignments({ tx, request }, await listAssignments(tx, { updatedSince: query.updated_since }, query, toAssignmentSort(query))),
  });

  post('/user-appointments/', {
    operationId: 'createUserAppointment',
    summary: 'Add a user to an appointment',
    body: AssignmentRequest,
    response: AssignmentResponse,
    status: 201,
    current: ({ tx, body }) => taggedAppointment(tx, body.appointment_id),
    handle: async ({ tx, body }) => showAssignment(tx, await assignUser(tx, { userId: body.user_id, appointmentId: body.appointment_id })),
  });

  get('/user-appointments/search', {
    operationId: 'searchUserAppointments',
    summary: 'Search the participants of appointments',
    description: 'Sorted by start time.',
    query: searchQuery,
    response: AssignmentList,
    handle: async ({ tx, query, request }) => {
      const filter = { ...toAssignmentFilter(query), userIds: query['user[]'], typeIds: query['appointment_type[]'] };
      return showAssignments({ tx, request }, await listAssignments(tx, filter, query));
    },
  });

  get('/user-appointments/self', {
    operationId: 'listOwnUserAppointments',
    summary: 'List your appointments as a participant',
    description: 'Sorted by start time.',
    query: ofUserQuery,
    response: AssignmentList,
    handle: async ({ tx, query, request }) => {
      const filter = { ...toAssignmentFilter(query), userIds: tx.userId === null ? [] : [tx.userId] };
      return showAssignments({ tx, request }, await listAssignments(tx, filter, query));
    },
  });

  get('/user-appointments/:uuid', {
    operationId: 'listUserAppointmentsOfUser',
    summary: 'List the appointments of a user as a participant',
    description: 'Sorted by start time.',
    params: userParams,
    query: ofUserQuery,
    response: AssignmentList,
    handle: async ({ tx, params, query, request }) => {
      const { id } = await findColleague(tx, params.uuid);
      const filter = { ...toAssignmentFilter(query), userIds: [id] };
      return showAssignments({ tx, request }, await listAssignments(tx, filter, query));
    },
  });

  put('/user-appointments/:uuid', {
    operationId: 'moveUserAppointment',
    summary: 'Move an appointment to this user',
    description:
      'This user replaces the other participant. If there are several others, from_user_id selects the one to replace; if there are none, this user is added.',
    params: userParams,
    body: HandOverRequest,
    response: AssignmentResponse,
    current: ({ tx, body }) => taggedAppointment(tx, body.appointment_id),
    handle: async ({ tx, params, body }) => {
      const part = { userId: params.uuid, appointmentId: body.appointment_id };
      return showAssignment(tx, await handOver(tx, part, body.from_user_id ?? undefined));
    },
  });

  remove('/user-appointments/:uuid', {
    operationId: 'deleteUserAppointment',
    summary: 'Remove this user from an appointment',
    params: userParams,
    query: removalQuery,
    current: ({ tx, query }) => taggedAppointment(tx, query.appointment_id),
    handle: ({ tx, params, query }) => removeUser(tx, { userId: params.uuid, appointmentId: query.appointment_id }),
  });
}
