import { z } from 'zod';
import { notFound } from '../../../../domain/errors.ts';
import { searchPackages } from '../../../../domain/patients/record/insurance-packages.ts';
import {
  addInsurance,
  cancelInsurance,
  changeInsurance,
  type InsuranceKey,
  listInsurances,
  reactivateInsurance,
} from '../../../../domain/patients/record/insurances.ts';
import { type Tx, unrecorded } from '../../../../domain/tx.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { DONE, Done } from '../../done.wire.ts';
import { pageLinks } from '../../paging.ts';
import { patientParams } from '../patient.wire.ts';
import { fromInsurance, insuranceShape } from '../record/patient-sections.wire.ts';
import {
  CancellationByPlaceForm,
  CancellationForm,
  fromPackage,
  InsuranceForm,
  InsuranceList,
  InsuranceUpdateByPlaceForm,
  InsuranceUpdateForm,
  insuranceParams,
  insurancesQuery,
  listCancellationFields,
  PackageList,
  packagesQuery,
  ReactivationForm,
  requireShownInsurance,
  toInsurance,
} from './insurances.wire.ts';

/** The insurances of a patient. Public clients name one by its id, or by its place. */
export function insuranceRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'Insurances', beyondDocument: true });
  get('/insurancepackages', {
    operationId: 'searchInsurancePackages',
    summary: 'Search insurance packages',
    description: 'Packages of the practice, and others used by its insurances, sorted by plan name.',
    query: packagesQuery,
    response: PackageList,
    handle: async ({ tx, query, request }) => {
      const found = await searchPackages(tx, query.insuranceplanname ?? '');
      const page = found.slice(query.offset, query.offset + query.limit);
      return { totalcount: found.length, ...pageLinks(request, query, found.length), insurancepackages: page.map(fromPackage) };
    },
  });

  get('/patients/:patientId/insurances', {
    operationId: 'listInsurances',
    summary: 'List the insurances of a patient',
    description: 'Primary insurance first; cancelled ones only with showcancelled.',
    params: patientParams,
    query: insurancesQuery,
    response: InsuranceList,
    handle: async ({ tx, params, query, request }) => {
      const found = await listInsurances(tx, params.patientId, query.showcancelled);
      const page = found.slice(query.offset, query.offset + query.limit);
      return { totalcount: found.length, ...pageLinks(request, query, found.length), insurances: page.map(fromInsurance) };
    },
  });

  post('/patients/:patientId/insurances', {
    operationId: 'addInsurance',
    summary: 'Add an insurance to a patient',
    description:
      'Omitted fields of the policy holder and the insured are taken from the patient. 409 if another insurance has the sequence number.',
    params: patientParams,
    body: InsuranceForm,
    response: z.array(insuranceShape).describe('One entry'),
    handle: async ({ tx, params, body }) => {
      const { id } = await addInsurance(tx, params.patientId, toInsurance(body, body.sequencenumber));
      return [requireShownInsurance(body, await readInsurance(tx, params.patientId, { id }))];
    },
  });

  put('/patients/:patientId/insurances', {
    operationId: 'updateInsuranceByPlace',
    summary: 'Update the insurance with a sequence number',
    description: 'Only the fields sent are changed; an empty value clears a field.',
    params: patientParams,
    body: InsuranceUpdateByPlaceForm,
    response: Done,
    handle: async ({ tx, params, body }) => {
      const { id } = await readInsurance(tx, params.patientId, { sequenceNumber: body.sequencenumber });
      await changeInsurance(tx, params.patientId, { id }, toInsurance(body, body.newsequencenumber));
      requireShownInsurance(body, await readInsurance(tx, params.patientId, { id }));
      return DONE;
    },
  });

  remove('/patients/:patientId/insurances', {
    operationId: 'cancelInsuranceByPlace',
    summary: 'Cancel the insurance with a sequence number',
    description: 'It stays on record; its sequence number becomes free.',
    params: patientParams,
    body: CancellationByPlaceForm,
    ignored: listCancellationFields,
    response: Done,
    handle: async ({ tx, params, body }) => {
      await cancelInsurance(tx, params.patientId, { sequenceNumber: body.sequencenumber });
      return DONE;
    },
  });

  put('/patients/:patientId/insurances/:insuranceId', {
    operationId: 'updateInsurance',
    summary: 'Update an insurance',
    description: 'Only the fields sent are changed; an empty value clears a field.',
    params: insuranceParams,
    body: InsuranceUpdateForm,
    response: Done,
    handle: async ({ tx, params: { patientId, insuranceId: id }, body }) => {
      await changeInsurance(tx, patientId, { id }, toInsurance(body, body.newsequencenumber ?? body.sequencenumber));
      requireShownInsurance(body, await readInsurance(tx, patientId, { id }));
      return DONE;
    },
  });

  remove('/patients/:patientId/insurances/:insuranceId', {
    operationId: 'cancelInsurance',
    summary: 'Cancel an insurance',
    description: 'It stays on record; its sequence number becomes free.',
    params: insuranceParams,
    body: CancellationForm,
    bodyOptional: true,
    ignored: listCancellationFields,
    response: Done,
    handle: async ({ tx, params }) => {
      await cancelInsurance(tx, params.patientId, { id: params.insuranceId });
      return DONE;
    },
  });

  post('/patients/:patientId/insurances/:insuranceId/reactivate', {
    operationId: 'reactivateInsurance',
    summary: 'Reactivate a cancelled insurance',
    description: '409 if another insurance now has its sequence number.',
    params: insuranceParams,
    body: ReactivationForm,
    bodyOptional: true,
    response: Done,
    handle: async ({ tx, params, body }) => {
      await reactivateInsurance(tx, params.patientId, { id: params.insuranceId }, { expiresOn: body.expirationdate });
      return DONE;
    },
  });
}

/** One insurance as it is now, cancelled ones by their id. Read to compare, and not recorded by itself. @throws Failure not_found */
async function readInsurance(tx: Tx, patientId: number, key: InsuranceKey) {
  const rows = await listInsurances(unrecorded(tx), patientId, 'id' in key);
  const row = rows.find((one) => ('id' in key ? one.id === key.id : one.sequenceNumber === key.sequenceNumber));
  if (!row) throw notFound('insurance');
  return row;
}
