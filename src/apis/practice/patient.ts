import { z } from 'zod';
import type { Keyring } from '../../database/keyring.ts';
import { showPatient } from '../../domain/patients/record.ts';
import type { Endpoints } from '../../http/declare-endpoints.ts';
import { fromShownPatient, patientParams, patientQuestion, toPatientQuestion } from './patient.wire.ts';
import { PatientShape } from './patient-record.wire.ts';

/** One patient with the requested blocks. */
export function patientRoutes({ get }: Endpoints, { keyring }: { keyring: Keyring }): void {
  get('/patients/:patientId', {
    operationId: 'getPatient',
    summary: 'Read a patient',
    description:
      'One patient, with the blocks that are asked for. Deleted patients are not found, restricted and blocked ones only with ignorerestrictions.',
    tag: 'Patients',
    params: patientParams,
    query: patientQuestion,
    response: z.array(PatientShape),
    tagged: true,
    handle: async ({ prepared, caller, params, query }) => {
      const shown = await showPatient(prepared, caller, keyring, params.patientId, toPatientQuestion(query));
      return [fromShownPatient(shown, query.show2015edcehrtvalues ? 'certified' : 'plain')];
    },
  });
}
