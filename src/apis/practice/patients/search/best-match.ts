import { z } from 'zod';
import type { Keyring } from '../../../../database/encryption/keyring.ts';
import { ssnHashes } from '../../../../domain/patients/record/ssn.ts';
import { findBestMatches } from '../../../../domain/patients/registration/possible-matches.ts';
import { readPatientRecords } from '../../../../domain/patients/search/search.ts';
import type { Endpoints } from '../../../../http/endpoints/declare-endpoints.ts';
import type { StringTypes } from '../../string-types.wire.ts';
import { fromPatientRecord } from '../record/patient-record.wire.ts';
import { bestMatchQuery, toBestMatch } from './best-match.wire.ts';

/** The chart of a person, by what is known of the person. */
export function bestMatchRoutes({ get }: Endpoints, { keyring, types }: { keyring: Keyring; types: StringTypes }): void {
  get('/patients/enhancedbestmatch', {
    operationId: 'findBestMatch',
    beyondDocument: true,
    summary: 'Find the chart of a person',
    description:
      'Points for what the chart and the person have in common: first name, last name, birth date, a telephone number and email 8 each, zip 2, social security number 10. 26 and more, with both names and the birth date, is the same person; charts with less than 16 are left out. Without returnbestmatches it returns the one chart that has the most points, and none where several have them. Names are compared without accents, blanks, hyphens and apostrophes. Restricted and blocked patients are never found.',
    tag: 'Patients',
    query: bestMatchQuery,
    response: z.array(types.patient).describe('The most likely first; five at most'),
    handle: async ({ prepared, caller, query }) => {
      const matches = await findBestMatches(
        prepared,
        caller,
        toBestMatch(query, (number) => ssnHashes(keyring, number)),
      );
      const scores = new Map(matches.map(({ id, score }) => [id, score]));
      const records = await readPatientRecords(prepared, caller, [...scores.keys()]);
      return records.map((record) => types.write({ ...fromPatientRecord(record), score: String(scores.get(record.id) ?? 0) }));
    },
  });
}
