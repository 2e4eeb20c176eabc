import { reassignAppointments } from '../../../domain/scheduling/hours/reassign.ts';
import { runAndRollBack } from '../../../domain/unit-of-work/dry-run.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { namesDryRun } from '../../../http/wire/dry-run.ts';
import { fromReassigned, ReassignRequest, ReassignResponse, reassignQuery, toReassignment } from './reassignments.wire.ts';

export function reassignmentRoutes({ post }: Endpoints): void {
  post('/appointments/reassign', {
    tag: 'Appointments',
    beyondDocument: true,
    operationId: 'reassignAppointments',
    summary: 'Reassign upcoming visits to another provider or office',
    description:
      'Each visit keeps its time. If the other provider is not free then, the visit is not moved and is listed in `conflicts`. One call moves up to 500 visits; `left` counts the rest.',
    query: reassignQuery,
    body: ReassignRequest,
    response: ReassignResponse,
    trial: {
      isAsked: ({ query, request }) => query.dry_run === true || namesDryRun(request),
      response: ReassignResponse,
      handle: async ({ tx, body }) => ({
        data: fromReassigned(await runAndRollBack(tx, () => reassignAppointments(tx, toReassignment(body))), true),
      }),
    },
    handle: async ({ tx, body }) => ({ data: fromReassigned(await reassignAppointments(tx, toReassignment(body)), false) }),
  });
}
