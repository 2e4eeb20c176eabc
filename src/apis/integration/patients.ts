import { findPatientToChange, updatePatient } from '../../domain/patients/chart/change-patient.ts';
import { findPatientByRecordNumber, readPatient } from '../../domain/patients/chart/find-patient.ts';
import { findGuardian, NO_GUARDIAN, setGuardian } from '../../domain/patients/guardians/guardians.ts';
import { type PatientChart, registerPatient } from '../../domain/patients/registration/registration.ts';
import { listPatients } from '../../domain/patients/search/list.ts';
import type { Tx } from '../../domain/tx.ts';
import type { Endpoints } from '../../http/endpoints/declare-endpoints.ts';
import { toGuardianLink } from '../../http/wire/guardian.ts';
import { pageLinks } from '../../http/wire/links.ts';
import { possibleMatchesHeader } from '../../http/wire/possible-matches.ts';
import { fromListedPatient, PatientList, patientListQuery, toPatientSearch } from './patient-list.wire.ts';
import {
  fromRegisteredPatient,
  PatientRequest,
  PatientResponse,
  patientParams,
  recordNumberParams,
  requireOwnIds,
  toPatient,
  unusedFields,
  unusedOnCreate,
  withBlanks,
} from './patients.wire.ts';

export function patientRoutes(endpoints: Endpoints): void {
  const { get, post, put } = endpoints.group({ tag: 'Patients' });
  post('/patients', {
    operationId: 'createPatient',
    summary: 'Create a patient',
    description:
      'Always creates a patient. If the organization checks for duplicates, the header `Possible-Matches` lists up to five patients who may be the same person.',
    body: PatientRequest,
    ignored: unusedOnCreate,
    response: PatientResponse,
    etag: true,
    ownHeaders: ['Possible-Matches'],
    handle: async ({ tx, body, headers }) => {
      const { patient, possibleMatches } = await registerPatient(tx, toPatient(body));
      Object.assign(headers, possibleMatchesHeader(possibleMatches));
      return {
        data: body.guardian ? await withGuardian(tx, patient, body) : fromRegisteredPatient({ ...patient, ...NO_GUARDIAN }),
      };
    },
  });

  put('/patients/:uuid', {
    operationId: 'updatePatient',
    summary: 'Update a patient',
    description: 'Only the fields sent are changed; null clears a field.',
    params: patientParams,
    body: PatientRequest,
    ignored: unusedFields,
    response: PatientResponse,
    etag: true,
    current: async ({ tx, params }) => ({
      data: await showPatient(tx, params.uuid, findPatientToChange(tx, params.uuid)),
    }),
    handle: async ({ tx, params, body }) => {
      requireOwnIds(body, params.uuid);
      const changing = updatePatient(tx, params.uuid, toPatient(body));
      const named = body.guardian !== undefined;
      return { data: named ? await withGuardian(tx, await changing, body) : await showPatient(tx, params.uuid, changing) };
    },
  });

  get('/patients', {
    operationId: 'listPatients',
    beyondDocument: true,
    summary: 'List or search patients',
    description:
      'All given parameters must match. Sorted by last name, or by first name if only that is given. Deleted charts are never listed; restricted and blocked ones only for clients with the scope restricted.read.',
    query: patientListQuery,
    response: PatientList,
    handle: async ({ tx, query, request }) => {
      const patients = await listPatients(tx, toPatientSearch(query), { order: 'search', descending: false }, query);
      return { data: patients.items.map(fromListedPatient), links: pageLinks(request, patients), meta: null };
    },
  });

  get('/patients/:uuid', {
    operationId: 'getPatientById',
    beyondDocument: true,
    summary: 'Read a patient',
    description: 'A client can read every patient that it created.',
    params: patientParams,
    response: PatientResponse,
    etag: true,
    handle: async ({ tx, params }) => ({
      data: await showPatient(tx, params.uuid, readPatient(tx, params.uuid)),
    }),
  });

  get('/patients/mrn/:mrn', {
    operationId: 'getPatientByMedicalRecordNumber',
    summary: 'Read a patient by medical record number',
    description: 'A `+` in the path is a plus sign, or a blank if no patient has the number with the plus sign.',
    params: recordNumberParams,
    response: PatientResponse,
    etag: true,
    ownHeaders: ['Merged-Into'],
    handle: async ({ tx, params, request, headers }) => {
      const readings = [params.mrn, ...withBlanks(request.url)];
      const patient = await findPatientByRecordNumber(tx, readings);
      if (!readings.includes(patient.medicalRecordNo ?? '')) headers['Merged-Into'] = String(patient.id);
      return { data: await showPatient(tx, patient.id, patient) };
    },
  });
}

/** A chart that is being read or changed, and its guardian in the same flush. */
async function showPatient(tx: Tx, id: number, chart: PatientChart | Promise<PatientChart>) {
  const [patient, guardian] = await Promise.all([chart, findGuardian(tx, id)]);
  return fromRegisteredPatient({ ...patient, ...guardian });
}

/** A patient who was written, with the guardian of the request, whose names come into the chart. */
async function withGuardian(tx: Tx, patient: PatientChart, { guardian }: PatientRequest) {
  const named = await setGuardian(tx, patient.id, toGuardianLink(guardian));
  return showPatient(tx, patient.id, named ?? patient);
}
