import { findPatient, findPatientByRecordNumber, registerPatient, updatePatient } from '../../domain/patients.ts';
import type { Endpoints } from '../../http/endpoints.ts';
import { fromPatient, PatientRequest, PatientResponse, patientParams, recordNumberParams, toPatient } from './patients.wire.ts';

export function patientRoutes({ get, post, put }: Endpoints): void {
  post('/patients', {
    operationId: 'createPatient',
    summary: 'Create a patient',
    tag: 'Patients',
    body: PatientRequest,
    answers: PatientResponse,
    tagged: true,
    handle: async ({ db, caller, body }) => ({ data: fromPatient(await registerPatient(db, caller, toPatient(body))) }),
  });

  put('/patients/:uuid', {
    operationId: 'updatePatient',
    summary: 'Update a patient',
    description: 'Only what is sent changes; null clears a field.',
    tag: 'Patients',
    params: patientParams,
    body: PatientRequest,
    answers: PatientResponse,
    tagged: true,
    current: async ({ db, caller, params }) => ({ data: fromPatient(await findPatient(db, caller, params.uuid)) }),
    handle: async ({ db, caller, params, body }) => ({ data: fromPatient(await updatePatient(db, caller, params.uuid, toPatient(body))) }),
  });

  get('/patients/mrn/:mrn', {
    operationId: 'getPatientByMedicalRecordNumber',
    summary: 'Find a patient by medical record number',
    tag: 'Patients',
    params: recordNumberParams,
    answers: PatientResponse,
    tagged: true,
    handle: async ({ db, caller, params }) => ({ data: fromPatient(await findPatientByRecordNumber(db, caller, params.mrn)) }),
  });
}
