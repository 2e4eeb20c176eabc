import { searchPatients } from '../../../domain/patients/search/search.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { nextLink, previousLink } from '../paging.ts';
import type { StringTypes } from '../string-types.wire.ts';
import { fromFoundPatients, patientListShape, searchShape, toPatientQuery, toWindow } from './patient-search.wire.ts';

/** Finding patients by name and department. */
export function patientSearchRoutes(endpoints: Endpoints, types: StringTypes): void {
  endpoints.get('/patients', {
    operationId: 'searchPatients',
    summary: 'Search patients by name and department',
    description:
      'Names match by prefix, ignoring case and accents; a last name also matches by the prefix of any word in it. ' +
      'Without a name or department, all patients are listed. Sorted by last name, or by first name if only that is given. ' +
      'Restricted and blocked patients are found for clients with the scope restricted.read.',
    tag: 'Patients',
    query: searchShape,
    response: patientListShape(types),
    async handle({ prepared, caller, query, request }) {
      const found = await searchPatients(prepared, caller, toPatientQuery(query), toWindow(query));
      return fromFoundPatients(types, found, {
        next: found.next ? nextLink(request, { ...found.next }) : undefined,
        previous: previousLink(request, query, found.total),
      });
    },
  });
}
