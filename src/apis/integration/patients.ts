import { findPatientByRecordNumber, findPatientToChange, registerPatient, updatePatient } from '../../domain/patients/registration.ts';
import type { Endpoints } from '../../http/declare-endpoints.ts';
import { fromRegisteredPatient, PatientRequest, PatientResponse, patientParams, recordNumberParams, toPatient } from './patients.wire.ts';

export function patientRoutes({ get, direct }: Endpoints): void {
  direct.post('/patients', {
    operationId: 'createPatient',
    summary: 'Create a patient',
    tag: 'Patients',
    body: PatientRequest,
    response: PatientResponse,
    tagged: true,
    handle: async ({ tx, caller, body }) => ({ data: fromRegisteredPatient(await registerPatient(tx, caller, toPatient(body))) }),
  });

  direct.put('/patients/:uuid', {
    operationId: 'updatePatient',
    summary: 'Update a patient',
    description: 'Only what is sent changes; null clears a field.',
    tag: 'Patients',
    params: patientParams,
    body: PatientRequest,
    response: PatientResponse,
    tagged: true,
    current: async ({ tx, caller, params }) => ({ data: fromRegisteredPatient(await findPatientToChange(tx, caller, params.uuid)) }),
    handle: async ({ tx, caller, params, body }) => ({
      data: fromRegisteredPatient(await updatePatient(tx, caller, params.uuid, toPatient(body))),
    }),
  });

  get('/patients/mrn/:mrn', {
    operationId: 'getPatientByMedicalRecordNumber',
    summary: 'Find a patient by medical record number',
    tag: 'Patients',
    params: recordNumberParams,
    response: PatientResponse,
    tagged: true,
    handle: async ({ db, caller, params }) => ({ data: fromRegisteredPatient(await findPatientByRecordNumber(db, caller, params.mrn)) }),
  });
}
