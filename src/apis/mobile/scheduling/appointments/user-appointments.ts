import type { FastifyRequest } from 'fastify';
import type { Db } from '../../../../database/database.ts';
import { type Prepared, preparedIn } from '../../../../database/statements/statement.ts';
import type { Caller } from '../../../../domain/caller.ts';
import { findColleague } from '../../../../domain/practices/colleagues.ts';
import { findAppointment } from '../../../../domain/scheduling/appointment/appointment-reader.ts';
import {
  type Assignment,
  assignUser,
  handOver,
  listAssignments,
  removeUser,
} from '../../../../domain/scheduling/lists/user-appointments.ts';
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

const showAssignment = async (prepared: Prepared, caller: Caller, assignment: Assignment) => ({
  data: fromAssignment(assignment, await findBeside(prepared, caller, [assignment.appointment])),
});

async function showAssignments(
  { prepared, caller, request }: { prepared: Prepared; caller: Caller; request: FastifyRequest },
  page: Page<Assignment>,
) {
  const appointments = page.items.map(({ appointment }) => appointment);
  const beside = await findBeside(prepared, caller, appointments);
  return writePage(request, page, (assignment) => fromAssignment(assignment, beside));
}

/** The appointment as its own address answers with it: a change of its participants changes its tag. */
const taggedAppointment = async (db: Db, caller: Caller, id: number) =>
  showAppointment(preparedIn(db), caller, await findAppointment(preparedIn(db), caller, id, 'appointmentId'));

export function userAppointmentRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'User appointments' });
  get('/user-appointments', {
    operationId: 'listUserAppointments',
    summary: 'List the participants of appointments',
    description: 'Cancelled appointments and those without a date are not listed.',
    query: assignmentsQuery,
    response: AssignmentList,
    handle: async ({ prepared, caller, query, request }) =>
      showAssignments(
        { prepared, caller, request },
        await listAssignments(prepared, caller, { updatedSince: query.updated_since }, query, toAssignmentSort(query)),
      ),
  });

  post('/user-appointments/', {
    operationId: 'createUserAppointment',
    summary: 'Add a user to an appointment',
    body: AssignmentRequest,
    response: AssignmentResponse,
    status: 201,
    current: ({ db, caller, body }) => taggedAppointment(db, caller, body.appointment_id),
    handle: async ({ db, caller, body }) =>
      showAssignment(preparedIn(db), caller, await assignUser(db, caller, { userId: body.user_id, appointmentId: body.appointment_id })),
  });

  get('/user-appointments/search', {
    operationId: 'searchUserAppointments',
    summary: 'Search the participants of appointments',
    description: 'Sorted by start time.',
    query: searchQuery,
    response: AssignmentList,
    handle: async ({ prepared, caller, query, request }) => {
      const filter = { ...toAssignmentFilter(query), userIds: query['user[]'], typeIds: query['appointment_type[]'] };
      return showAssignments({ prepared, caller, request }, await listAssignments(prepared, caller, filter, query));
    },
  });

  get('/user-appointments/self', {
    operationId: 'listOwnUserAppointments',
    summary: 'List your appointments as a participant',
    description: 'Sorted by start time.',
    query: ofUserQuery,
    response: AssignmentList,
    handle: async ({ prepared, caller, query, request }) => {
      const filter = { ...toAssignmentFilter(query), userIds: caller.userId === null ? [] : [caller.userId] };
      return showAssignments({ prepared, caller, request }, await listAssignments(prepared, caller, filter, query));
    },
  });

  get('/user-appointments/:uuid', {
    operationId: 'listUserAppointmentsOfUser',
    summary: 'List the appointments of a user as a participant',
    description: 'Sorted by start time.',
    params: userParams,
    query: ofUserQuery,
    response: AssignmentList,
    handle: async ({ db, prepared, caller, params, query, request }) => {
      const { id } = await findColleague(db, caller, params.uuid);
      const filter = { ...toAssignmentFilter(query), userIds: [id] };
      return showAssignments({ prepared, caller, request }, await listAssignments(prepared, caller, filter, query));
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
    current: ({ db, caller, body }) => taggedAppointment(db, caller, body.appointment_id),
    handle: async ({ db, caller, params, body }) => {
      const part = { userId: params.uuid, appointmentId: body.appointment_id };
      return showAssignment(preparedIn(db), caller, await handOver(db, caller, part, body.from_user_id ?? undefined));
    },
  });

  remove('/user-appointments/:uuid', {
    operationId: 'deleteUserAppointment',
    summary: 'Remove this user from an appointment',
    params: userParams,
    query: removalQuery,
    current: ({ db, caller, query }) => taggedAppointment(db, caller, query.appointment_id),
    handle: ({ db, caller, params, query }) => removeUser(db, caller, { userId: params.uuid, appointmentId: query.appointment_id }),
  });
}
