import {
  endCondition,
  listConditions,
  readCondition,
  trackCondition,
  updateCondition,
} from '../../../../domain/monitoring/patients/conditions.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../shared.wire.ts';
import {
  ConditionChange,
  ConditionList,
  ConditionResponse,
  conditionParams,
  conditionsQuery,
  fromCondition,
  NewConditionRequest,
  toConditionChange,
  toConditionSort,
  toNewCondition,
} from './conditions.wire.ts';

export function trackedConditionRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'Remote patient monitoring' });
  get('/remote-patient-monitoring/tracked-conditions', {
    operationId: 'listTrackedConditions',
    summary: 'List tracked conditions',
    description: 'Conditions that are currently tracked.',
    query: conditionsQuery,
    response: ConditionList,
    handle: async ({ db, caller, query, request }) =>
      writePage(request, await listConditions(db, caller, toConditionSort(query), query), fromCondition),
  });

  post('/remote-patient-monitoring/tracked-conditions', {
    operationId: 'createTrackedCondition',
    summary: 'Track a condition of a patient',
    description:
      'Omitted targets default to those of the items. A condition is tracked once per patient: 409 for a code that another tracked condition of the patient has.',
    body: NewConditionRequest,
    response: ConditionResponse,
    status: 201,
    etag: true,
    handle: async ({ db, caller, body }) => ({ data: fromCondition(await trackCondition(db, caller, toNewCondition(body))) }),
  });

  get('/remote-patient-monitoring/tracked-conditions/:tracked_condition', {
    operationId: 'getTrackedCondition',
    summary: 'Read a tracked condition',
    params: conditionParams,
    response: ConditionResponse,
    etag: true,
    handle: async ({ db, caller, params }) => ({ data: fromCondition(await readCondition(db, caller, params.tracked_condition)) }),
  });

  put('/remote-patient-monitoring/tracked-conditions/:tracked_condition', {
    operationId: 'updateTrackedCondition',
    summary: 'Update a tracked condition',
    description: 'Only the fields sent are changed. A new target applies to later measurements.',
    params: conditionParams,
    body: ConditionChange,
    response: ConditionResponse,
    etag: true,
    current: async ({ db, caller, params }) => ({ data: fromCondition(await readCondition(db, caller, params.tracked_condition)) }),
    handle: async ({ db, caller, params, body }) => ({
      data: fromCondition(await updateCondition(db, caller, params.tracked_condition, toConditionChange(body))),
    }),
  });

  remove('/remote-patient-monitoring/tracked-conditions/:tracked_condition', {
    operationId: 'deleteTrackedCondition',
    summary: 'Stop tracking a condition',
    description: 'Recorded measurements are kept.',
    params: conditionParams,
    current: async ({ db, caller, params }) => ({ data: fromCondition(await readCondition(db, caller, params.tracked_condition)) }),
    handle: ({ db, caller, params }) => endCondition(db, caller, params.tracked_condition),
  });
}
