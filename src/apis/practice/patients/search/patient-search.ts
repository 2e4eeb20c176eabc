import type { Keyring } from '../../../../database/encryption/keyring.ts';
import { searchPatients } from '../../../../domain/patients/search/search.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import { positionLinks } from '../../paging.ts';
import type { StringTypes } from '../../string-types.wire.ts';
import { fromFoundPatients, patientListShape, searchShape, toPatientQuery } from './patient-search.wire.ts';

export function patientSearchRoutes(endpoints: Endpoints, { keyring, types }: { keyring: Keyring; types: StringTypes }): void {
  endpoints.get('/patients', {
    operationId: 'searchPatients',
    summary: 'Search patients',
    description:
      'Names match by prefix, ignoring case and accents; a last name also matches by the prefix of any word in it. ' +
      'Other parameters find charts with that value in the field, ignoring case and accents of texts. Parameters on appointments find patients with an uncancelled appointment that matches all of them. Without parameters, all patients are listed. Sorted by last name, or by first name if only that is given. ' +
      'Restricted and blocked patients are found only by clients with the scope restricted.read.',
    tag: 'Patients',
    query: searchShape,
    response: patientListShape(types),
    async handle({ tx, query, request }) {
      const found = await searchPatients(tx, toPatientQuery(keyring, query), query);
      return fromFoundPatients(types, found, positionLinks(request, query, found));
    },
  });
}
