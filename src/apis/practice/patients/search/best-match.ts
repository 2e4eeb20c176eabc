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
      'Scores what the chart and the person have in common: 8 points each for first name, last name, birth date, a telephone number and email, 2 for zip, 10 for the social security number. 26 points or more, with both names and the birth date, mean the same person; charts with fewer than 16 are omitted. Without returnbestmatches, returns the chart with the most points, or none if several have as many. Accents, blanks, hyphens and apostrophes in names are ignored. Restricted and blocked patients are never found.',
    tag: 'Patients',
    query: bestMatchQuery,
    response: z.array(types.patient).describe('Charts, best match first; five at most'),
    handle: async ({ tx, query }) => {
      const matches = await findBestMatches(
        tx,
        toBestMatch(query, (number) => ssnHashes(keyring, number)),
      );
      const scores = new Map(matches.map(({ id, score }) => [id, score]));
      const records = await readPatientRecords(tx, [...scores.keys()]);
      return records.map((record) => types.write({ ...fromPatientRecord(record), score: String(scores.get(record.id) ?? 0) }));
    },
  });
}
