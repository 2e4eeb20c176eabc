import { findCanText } from '../../../domain/messaging/can-text.ts';
import { listOwnPatients, listPatients, readListedPatient } from '../../../domain/patients/search/list.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { writePage } from '../shared.wire.ts';
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

/** Patients of the organization. */
export function patientRoutes({ get }: Endpoints): void {
  get('/patients', {
    operationId: 'listPatients',
    summary: 'List or search patients',
    description:
      'Lists all patients, optionally filtered by name prefix and primary office. Deleted, restricted and blocked charts are never listed.',
    tag: 'Patients',
    query: patientsQuery,
    response: PatientList,
    handle: async ({ prepared, caller, query, request }) => {
      const patients = await listPatients(prepared, caller, toPatientSearch(query), toPatientSort(query), query);
      const canText = await findCanText(prepared, caller, { patientIds: patients.items.map(({ id }) => id) });
      return writePage(request, patients, (patient) => fromListedPatient(patient, canText.patient(patient.id)));
    },
  });

  get('/patients/uuid', {
    operationId: 'listPatientNames',
    summary: 'List the ids and names of your patients',
    description:
      'For a provider: patients whose chart names the provider or who have an appointment with them. For other users: all patients of the organization.',
    tag: 'Patients',
    query: patientNamesQuery,
    response: PatientNameList,
    handle: async ({ prepared, caller, query, request }) =>
      writePage(request, await listOwnPatients(prepared, caller, toPatientSort(query), query), fromPatientName),
  });

  get('/patients/:uuid', {
    operationId: 'getPatient',
    beyondDocument: true,
    summary: 'Read a patient',
    description: 'Responds 404 for a deleted, restricted or blocked chart.',
    tag: 'Patients',
    params: patientParams,
    response: PatientResponse,
    etag: true,
    handle: async ({ prepared, caller, params }) => {
      const patient = await readListedPatient(prepared, caller, params.uuid);
      const canText = await findCanText(prepared, caller, { patientIds: [patient.id] });
      return { data: fromListedPatient(patient, canText.patient(patient.id)) };
    },
  });
}
