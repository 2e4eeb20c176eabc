import { addRestriction, endRestriction, listRestrictions } from '../../../domain/patients/restrictions/patient-restrictions.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { NoContent, writePage } from '../../../http/wire/envelopes.ts';
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
const OFFICERS = 'For privacy officers, whatever their role; others get 403 `privacy_officers_only`.';

/** Which charts are restricted or blocked. */
export function restrictionRoutes({ get, post, delete: remove }: Endpoints): void {
  get('/patients/:uuid/restrictions', {
    ...RESTRICTIONS,
    operationId: 'listRestrictions',
    summary: 'List the restrictions of a patient',
    description: `Ended ones too, the oldest first. ${OFFICERS}`,
    params: patientParams,
    query: restrictionsQuery,
    response: RestrictionList,
    handle: async ({ db, caller, params, query, request }) =>
      writePage(request, await listRestrictions(db, caller, params.uuid, query), fromRestriction),
  });

  post('/patients/:uuid/restrictions', {
    ...RESTRICTIONS,
    operationId: 'createRestriction',
    stepUp: true,
    summary: 'Create a restriction of a chart or a patient',
    description: `From then on the chart exists for nobody without the right to see restricted ones, privacy officers themselves among them. 409 \`restricted\` where one of the kind is in force. ${OFFICERS}`,
    params: patientParams,
    body: RestrictionRequest,
    response: RestrictionResponse,
    status: 201,
    handle: async ({ db, caller, params, body }) => ({ data: fromRestriction(await addRestriction(db, caller, params.uuid, body)) }),
  });

  remove('/patients/:uuid/restrictions/:restriction', {
    ...RESTRICTIONS,
    operationId: 'deleteRestriction',
    stepUp: true,
    summary: 'End a restriction',
    description: `It stays on record with the moment of its end; 409 \`restriction_ended\` where it has ended already. ${OFFICERS}`,
    params: restrictionParams,
    response: NoContent,
    status: 204,
    handle: async ({ db, caller, params }) => {
      await endRestriction(db, caller, params.uuid, params.restriction);
      return null;
    },
  });
}
