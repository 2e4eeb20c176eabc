import { z } from 'zod';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { readPatientRecord } from '../../../domain/patients/record/record.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import type { StringTypes } from '../string-types.wire.ts';
import {
  fromPatientWithSections,
  patientParams,
  patientQuery,
  patientUpdateQuery,
  toEdition,
  toPatientRecordRequest,
} from './patient.wire.ts';
import { changeFromForm } from './patient-write.ts';
import { fromUpdated, PatientUpdateAnswer, PatientUpdateForm, unusablePhones } from './record/patient-input.wire.ts';

export function patientRoutes(endpoints: Endpoints, { keyring, types }: { keyring: Keyring; types: StringTypes }): void {
  const { get, put } = endpoints.group({ tag: 'Patients' });
  get('/patients/:patientId', {
    operationId: 'getPatient',
    summary: 'Read a patient',
    description:
      'Reads one patient with the requested sections. Responds 404 for deleted patients, and for restricted and blocked ones unless ignorerestrictions is set or the client has the scope restricted.read.',
    params: patientParams,
    query: patientQuery,
    response: z.array(types.patient),
    etag: true,
    handle: async ({ tx, params, query }) => {
      const shown = await readPatientRecord(tx, keyring, params.patientId, toPatientRecordRequest(query));
      return [types.write(fromPatientWithSections(shown, toEdition(query)))];
    },
  });

  put('/patients/:patientId', {
    operationId: 'updatePatient',
    beyondDocument: true,
    summary: 'Update a patient',
    description:
      'Only the fields sent are changed. An empty value clears a field, except fields of the source document’s registration, which stay unchanged. Derived fields, such as employername, are accepted only unchanged. `status=deleted` requires the scope practice.admin, cancels upcoming appointments and frees their times. Responds 404 for deleted patients, and for restricted and blocked ones unless the client has the scope restricted.read. For If-Match, request the same sections in the query as when the record was read.',
    params: patientParams,
    query: patientUpdateQuery,
    body: PatientUpdateForm,
    ignored: unusablePhones,
    response: PatientUpdateAnswer,
    current: async ({ tx, params, query }) => {
      const asked = toPatientRecordRequest({ ...query, ignorerestrictions: false });
      const shown = await readPatientRecord(tx, keyring, params.patientId, asked);
      return [types.write(fromPatientWithSections(shown, toEdition(query)))];
    },
    handle: async ({ tx, params, body }) => {
      await changeFromForm(tx, keyring, params.patientId, body);
      return fromUpdated(params.patientId);
    },
  });
}
