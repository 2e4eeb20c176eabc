import { statement } from '../database/statements/statement.ts';

/** Some practice; no row in an empty database. */
export const ANY_PRACTICE = statement<{ id: number }>('any_practice', 'SELECT id FROM organization LIMIT 1', {
  overAllPractices: 'a database that has any practice is not filled with a demo',
});

/** The first record number of a practice; no row where the client is not one of this practice. Values: organization, client. */
export const DEMO_RECORD_NUMBER = statement<{ recordNumber: string | null }>(
  'demo_record_number',
  `SELECT (SELECT p.medical_record_no FROM patient p
            WHERE p.organization_id = $1 AND p.status = 'active' AND p.medical_record_no IS NOT NULL
            ORDER BY p.id LIMIT 1) AS "recordNumber"
     FROM api_client c
     JOIN api_client_grant g ON g.client_id = c.id AND g.organization_id = $1
    WHERE c.id = $2 AND c.active`,
);
