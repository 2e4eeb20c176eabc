import { listEnrolments } from '../../../../domain/monitoring/programs/enrolments.ts';
import { moveToStep } from '../../../../domain/monitoring/programs/workflow.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  EnrolmentList,
  EnrolmentResponse,
  fromEnrolment,
  toStep,
  toWorkflowSort,
  WorkflowEventRequest,
  workflowQuery,
} from './enrolments.wire.ts';
import { taggedPatient } from './patients.ts';

export function workflowRoutes(endpoints: Endpoints): void {
  const { get, post } = endpoints.group({ tag: 'Remote patient monitoring' });
  get('/remote-patient-monitoring/workflow', {
    operationId: 'listWorkflow',
    summary: 'List the progress of patients in programs',
    description: 'One entry for each current enrolment, sorted by name by default.',
    query: workflowQuery,
    response: EnrolmentList,
    handle: async ({ tx, query, request }) => writePage(request, await listEnrolments(tx, toWorkflowSort(query), query), fromEnrolment),
  });

  post('/remote-patient-monitoring/programs/events', {
    operationId: 'createWorkflowEvent',
    summary: 'Move a patient to a step of a program',
    description: 'Moves to the next step, or to any earlier one. The user and the time are recorded.',
    body: WorkflowEventRequest,
    response: EnrolmentResponse,
    status: 201,
    current: ({ tx, body }) => taggedPatient(tx, body.patient_uuid),
    handle: async ({ tx, body }) => ({ data: fromEnrolment(await moveToStep(tx, toStep(body))) }),
  });
}
