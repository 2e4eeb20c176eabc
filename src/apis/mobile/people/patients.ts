import { AGENT_SCOPES } from '../../../domain/identity/clients/client-scopes.ts';
import { findCanText } from '../../../domain/messaging/recipients/can-text.ts';
import { findPatientToChange, updatePatient } from '../../../domain/patients/chart/change-patient.ts';
import { setGuardian } from '../../../domain/patients/guardians/guardians.ts';
import { registerPatient } from '../../../domain/patients/registration/registration.ts';
import { listOwnPatients, listPatients, readListedPatient } from '../../../domain/patients/search/list.ts';
import { type Tx, unrecorded } from '../../../domain/tx.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { toGuardianLink } from '../../../http/wire/guardian.ts';
import { possibleMatchesHeader } from '../../../http/wire/possible-matches.ts';
import { writePage } from '../shared.wire.ts';
import { PatientCreate, PatientUpdate, requireAsShown, toPatient } from './patient-writes.wire.ts';
import {
  fromListedPatient,
  fromPatientName,
  PatientList,
  PatientNameList,
  PatientResponse,
  patientNamesQuery,
  patientParams,
  patientsQuery,
  toPatientSearch,
  toPatientSort,
} from './patients.wire.ts';

export function patientRoutes(endpoints: Endpoints): void {
  const { get, post, put, remove } = endpoints.group({ tag: 'Patients' });
  get('/patients', {
    operationId: 'listPatients',
    scope: AGENT_SCOPES.read,
    summary: 'List or search patients',
    description:
      'Lists all patients, optionally filtered by name prefix and primary office. Deleted, restricted and blocked charts are never listed.',
    query: patientsQuery,
    response: PatientList,
    handle: async ({ tx, query, request }) => {
      const patients = await listPatients(tx, toPatientSearch(query), toPatientSort(query), query);
      const canText = await findCanText(tx, { patientIds: patients.items.map(({ id }) => id) });
      return writePage(request, patients, (patient) => fromListedPatient(patient, canText.patient(patient.id)));
    },
  });

  get('/patients/uuid', {
    operationId: 'listPatientNames',
    summary: 'List the ids and names of your patients',
    description:
      'For a provider: patients of the provider, or with an appointment with them. For other users: all patients of the organization.',
    query: patientNamesQuery,
    response: PatientNameList,
    handle: async ({ tx, query, request }) => writePage(request, await listOwnPatients(tx, toPatientSort(query), query), fromPatientName),
  });

  const current = get('/patients/:uuid', {
    operationId: 'getPatient',
    scope: AGENT_SCOPES.read,
    beyondDocument: true,
    summary: 'Read a patient',
    description: 'Responds 404 for a deleted, restricted or blocked chart.',
    params: patientParams,
    response: PatientResponse,
    etag: true,
    handle: async ({ tx, params }) => ({ data: await showPatient(tx, params.uuid) }),
  });
  post('/patients', {
    operationId: 'createPatient',
    beyondDocument: true,
    summary: 'Create a patient',
    description:
      'Always creates a patient. Where the organization looks for the same person, the header `Possible-Matches` names up to five patients who may be that person.',
    body: PatientCreate,
    response: PatientResponse,
    status: 201,
    etag: true,
    ownHeaders: ['Possible-Matches'],
    handle: async ({ tx, body, headers }) => {
      const { patient, possibleMatches } = await registerPatient(tx, toPatient(body));
      await setGuardian(tx, patient.id, toGuardianLink(body.guardian));
      Object.assign(headers, possibleMatchesHeader(possibleMatches));
      const shown = await showPatient(unrecorded(tx), patient.id);
      requireAsShown(body, shown);
      return { data: shown };
    },
  });

  put('/patients/:uuid', {
    operationId: 'updatePatient',
    beyondDocument: true,
    summary: 'Update a patient',
    description: 'Only the fields sent are changed; null clears a field. Fields that the server sets may be sent back unchanged.',
    params: patientParams,
    body: PatientUpdate,
    response: PatientResponse,
    etag: true,
    current,
    handle: async ({ tx, params, body }) => {
      await findPatientToChange(tx, params.uuid);
      const before = await showPatient(unrecorded(tx), params.uuid);
      await updatePatient(tx, params.uuid, toPatient(body, before));
      await setGuardian(tx, params.uuid, toGuardianLink(body.guardian));
      const after = await showPatient(unrecorded(tx), params.uuid);
      requireAsShown(body, before, after);
      return { data: after };
    },
  });
  remove('/patients/:uuid', {
    operationId: 'deletePatient',
    summary: 'Delete a patient',
    beyondDocument: true,
    description:
      'Removes the chart from every list and search, cancels its upcoming visits and frees their times, ends its programs and closes its inbox items. The patient is not notified. Admins only.',
    roles: ['admin'],
    params: patientParams,
    current,
    handle: ({ tx, params }) => updatePatient(tx, params.uuid, { status: 'deleted' }),
  });
}

async function showPatient(tx: Tx, id: number) {
  const patient = await readListedPatient(tx, id);
  const canText = await findCanText(tx, { patientIds: [id] });
  return fromListedPatient(patient, canText.patient(id));
}
