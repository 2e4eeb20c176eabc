import { addRestriction, endRestriction, listRestrictions } from '../../../domain/patients/restrictions/patient-restrictions.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../../../http/wire/envelopes.ts';
import {
  fromRestriction,
  patientParams,
  RestrictionList,
  RestrictionRequest,
  RestrictionResponse,
  restrictionParams,
  restrictionsQuery,
} from './restrictions.wire.ts';

const RESTRICTIONS = { tag: 'Restrictions', beyondDocument: true, notForApps: true, roles: ['admin', 'provider', 'staff'] } as const;
const OFFICERS = 'For privacy officers of any role; others get 403 `privacy_officers_only`.';

export function restrictionRoutes(endpoints: Endpoints): void {
  const { get, post, remove } = endpoints.group(RESTRICTIONS);
  get('/patients/:uuid/restrictions', {
    operationId: 'listRestrictions',
    summary: 'List the restrictions of a patient',
    description: `Oldest first, including ended ones. ${OFFICERS}`,
    params: patientParams,
    query: restrictionsQuery,
    response: RestrictionList,
    handle: async ({ tx, params, query, request }) => writePage(request, await listRestrictions(tx, params.uuid, query), fromRestriction),
  });

  post('/patients/:uuid/restrictions', {
    operationId: 'createRestriction',
    stepUp: true,
    summary: 'Create a restriction of a chart or a patient',
    description: `From then on, only people with the right to see restricted charts can see the chart; privacy officers have no such right by default. 409 \`restricted\` if a restriction of this kind is in force. ${OFFICERS}`,
    params: patientParams,
    body: RestrictionRequest,
    response: RestrictionResponse,
    status: 201,
    handle: async ({ tx, params, body }) => ({ data: fromRestriction(await addRestriction(tx, params.uuid, body)) }),
  });

  remove('/patients/:uuid/restrictions/:restriction', {
    operationId: 'deleteRestriction',
    stepUp: true,
    summary: 'End a restriction',
    description: `The restriction stays on record with the time of its end. 409 \`restriction_ended\` if it has already ended. ${OFFICERS}`,
    params: restrictionParams,
    handle: ({ tx, params }) => endRestriction(tx, params.uuid, params.restriction),
  });
}
