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
    handle: async ({ tx, query, request }) => writePage(request, await listConditions(tx, toConditionSort(query), query), fromCondition),
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
    handle: async ({ tx, body }) => ({ data: fromCondition(await trackCondition(tx, toNewCondition(body))) }),
  });

  const current = get('/remote-patient-monitoring/tracked-conditions/:tracked_condition', {
    operationId: 'getTrackedCondition',
    summary: 'Read a tracked condition',
    params: conditionParams,
    response: ConditionResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: fromCondition(await readCondition(tx, params.tracked_condition)) }),
  });

  put('/remote-patient-monitoring/tracked-conditions/:tracked_condition', {
    operationId: 'updateTrackedCondition',
    summary: 'Update a tracked condition',
    description: 'Only the fields sent are changed. A new target applies to later measurements.',
    params: conditionParams,
    body: ConditionChange,
    response: ConditionResponse,
    etag: true,
    current,
    handle: async ({ tx, params, body }) => ({
      data: fromCondition(await updateCondition(tx, params.tracked_condition, toConditionChange(body))),
    }),
  });

  remove('/remote-patient-monitoring/tracked-conditions/:tracked_condition', {
    operationId: 'deleteTrackedCondition',
    summary: 'Stop tracking a condition',
    description: 'Recorded measurements are kept.',
    params: conditionParams,
    current,
    handle: ({ tx, params }) => endCondition(tx, params.tracked_condition),
  });
}
