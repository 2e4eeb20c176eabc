import { searchPatients } from '../../domain/patients/search.ts';
import type { Endpoints } from '../../http/declare-endpoints.ts';
import { nextLink } from './paging.ts';
import { fromFoundPatients, PatientListShape, searchShape, toPatientQuery, toWindow } from './patient-search.wire.ts';

/** Finding patients by name and department. */
export function patientSearchRoutes(endpoints: Endpoints): void {
  endpoints.get('/patients', {
    operationId: 'searchPatients',
    summary: 'Find patients by name and department',
    description:
      'A name matches from its start, in any case and without regard to accents; a last name also from the start of each word in it. ' +
      'Without a name and a department: all patients. By last name, or by first name where that alone is given.',
    tag: 'Patients',
    query: searchShape,
    response: PatientListShape,
    async handle({ prepared, caller, query, request }) {
      const found = await searchPatients(prepared, caller, toPatientQuery(query), toWindow(query));
      return fromFoundPatients(found, found.next ? nextLink(request, { ...found.next }) : undefined);
    },
  });
}
