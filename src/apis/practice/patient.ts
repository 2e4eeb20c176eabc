import { z } from 'zod';
import type { Keyring } from '../../database/keyring.ts';
import { readPatientRecord } from '../../domain/patients/record.ts';
import type { Endpoints } from '../../http/declare-endpoints.ts';
import { fromPatientWithSections, patientParams, patientQuery, toPatientRecordRequest } from './patient.wire.ts';
import type { StringTypes } from './string-types.wire.ts';

/** One patient, with the requested sections. */
export function patientRoutes({ get }: Endpoints, { keyring, types }: { keyring: Keyring; types: StringTypes }): void {
  get('/patients/:patientId', {
    operationId: 'getPatient',
    summary: 'Read a patient',
    description:
      'Reads one patient with the requested sections. Responds 404 for deleted patients, and for restricted and blocked ones unless ignorerestrictions is set or the client has the scope restricted.read.',
    tag: 'Patients',
    params: patientParams,
    query: patientQuery,
    response: z.array(types.patient),
    etag: true,
    handle: async ({ prepared, caller, params, query }) => {
      const shown = await readPatientRecord(prepared, caller, keyring, params.patientId, toPatientRecordRequest(query));
      return [types.write(fromPatientWithSections(shown, query.show2015edcehrtvalues ? 'certified' : 'plain'))];
    },
  });
}
