import { statement } from '../../../database/statements/statement.ts';
import { activeAppointment } from '../../values/appointment-status.ts';
import { type TimetableRow, timetableColumns } from '../free-time/free-time.sql.ts';

/** The facts by which a visit is unusual. */
interface VisitFacts extends Pick<TimetableRow, 'hours' | 'exceptions'> {
  /** The patient has another one on its day. */
  hasAnother: boolean;
  /** Its provider has left. */
  hasLeft: boolean;
}

/**
 * Values: organization, patient, midnight of the day on the clocks of the visit, visits that do not count, provider, times as timetableColumns
 * has them. Beside the wall clock the instant, which has the index: no zone is further than 15 hours from UTC.
 */
export const VISIT_FACTS = statement<VisitFacts>(
  'visit_facts',
  `SELECT EXISTS (SELECT FROM appointment a
                   WHERE a.organization_id = $1 AND a.patient_id = $2 AND a.id <> ALL ($4::bigint[]) AND ${activeAppointment('a')}
                     AND a.local_start >= $3::timestamp AND a.local_start < $3::timestamp + interval '1 day'
                     AND a.starts_at >= $3::timestamp AT TIME ZONE 'UTC' - interval '15 hours'
                     AND a.starts_at < $3::timestamp AT TIME ZONE 'UTC' + interval '39 hours') AS "hasAnother",
          EXISTS (SELECT FROM provider v WHERE v.organization_id = $1 AND v.id = $5::int AND NOT v.active) AS "hasLeft",
          ${timetableColumns({ providers: 'ARRAY[$5::int]', offices: 'NULL', from: '$6', until: '$7' })}`,
);
