import { type Statement, statement, written } from '../../../database/statements/statement.ts';
import { isUnrestricted } from '../../patients/restrictions/restricted-charts.sql.ts';

/** An incoming call, with the caller as far as the record knows them. */
export interface CallRow {
  id: number;
  from_number: string;
  to_number: string;
  status: string;
  /** ISO 8601 in UTC, as is ended_at. */
  started_at: string;
  ended_at: string | null;
  duration_seconds: number | null;
  phone_number_id: number;
  /** The call group of the number when the call came in. */
  chat_id: number | null;
  /** Contact id of the patient whose call it was, else of the number itself. */
  contact_id: number | null;
  /** The patient of the number when the call came in. */
  patient_id: number | null;
  first_name: string | null;
  last_name: string | null;
}

/**
 * Parameters: organization, first start, end of starts (exclusive; infinity for none), the numbers whose calls are left out if no
 * patient is stored, then the number if there is one.
 */
const calls = (ofNumber: boolean, number: number) => `
      FROM incoming_call c
     WHERE c.organization_id = $1 AND c.started_at >= $2::timestamptz AND c.started_at < $3::timestamptz
       AND (c.patient_id IS NOT NULL OR c.from_number <> ALL ($4::text[])) AND ${isUnrestricted('c.patient_id')}
       ${ofNumber ? `AND (c.from_number = $${number} OR c.to_number = $${number})` : ''}`;

/**
 * One page, newest first. Contacts are looked up by number for the rows of the page only. Parameters: as above, with
 * limit and offset before the number.
 */
export function callPage(ofNumber: boolean): Statement<CallRow> {
  return statement(
    `call_page${ofNumber ? '_number' : ''}`,
    `SELECT c.id, c.from_number, c.to_number, c.status, ${written('c.started_at')} AS started_at, ${written('c.ended_at')} AS ended_at,
            extract(epoch FROM c.ended_at - c.started_at)::int AS duration_seconds, c.phone_number_id, c.chat_id,
            coalesce(p.id, s.id) AS contact_id, p.id AS patient_id,
            CASE WHEN p.id IS NULL THEN s.first_name ELSE p.first_name END AS first_name,
            CASE WHEN p.id IS NULL THEN s.last_name ELSE p.last_name END AS last_name
       FROM (SELECT c.* ${calls(ofNumber, 7)} ORDER BY c.started_at DESC, c.id DESC LIMIT $5 OFFSET $6) AS c
       LEFT JOIN patient p ON p.organization_id = $1 AND p.id = c.patient_id AND p.status <> 'deleted'
       LEFT JOIN LATERAL (
         SELECT s.id, s.first_name, s.last_name FROM contact s
          WHERE s.organization_id = $1 AND s.phone = c.from_number AND s.patient_id IS NULL
          ORDER BY s.id LIMIT 1) AS s ON p.id IS NULL
      ORDER BY c.started_at DESC, c.id DESC`,
  );
}

/** Number of calls that match. */
export function callCount(ofNumber: boolean): Statement<{ total: number }> {
  return statement(`call_count${ofNumber ? '_number' : ''}`, `SELECT count(*)::int AS total ${calls(ofNumber, 5)}`);
}
