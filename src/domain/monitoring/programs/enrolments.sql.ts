import { filter, list, nullable, type SortOf, select, sortBy } from '../../../database/statements/list.ts';
import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';

export interface StepTaken {
  id: number;
  step_id: number;
  name: string;
  /** From 1, in the order of the program. */
  position: number;
  user_id: number | null;
  user_first_name: string | null;
  user_last_name: string | null;
  at: string;
}

/** An enrolment with its current step. Instants are ISO 8601 texts in UTC. */
export interface EnrolmentRow {
  id: number;
  patient_id: number;
  first_name: string | null;
  last_name: string | null;
  program_id: number;
  program_name: string;
  step_id: number | null;
  step_name: string | null;
  /** From 1; 0 before the first step. */
  position: number;
  /** Number of steps of the program. */
  steps: number;
  /** When the patient reached the current step. */
  since: string;
  added_at: string;
  removed_at: string | null;
  /** Oldest first. */
  history: StepTaken[];
}

/** The first name key of each listed chart. Deleted, restricted and blocked charts have no keys. */
const LISTED = 'JOIN patient_name_key k ON k.organization_id = e.organization_id AND k.patient_id = e.patient_id AND k.ordinal = 1';
const SINCE = `coalesce((SELECT max(w.occurred_at) FROM workflow_event w WHERE w.organization_id = $1 AND w.program_patient_id = e.id), e.added_at)`;

/** The steps of a program, numbered from 1. */
const PLACED = `SELECT o.*, row_number() OVER (PARTITION BY o.program_id ORDER BY o.position)::int AS place
                  FROM workflow_step o WHERE o.organization_id = $1 AND o.program_id = e.program_id`;

/** @param from rows of program_patient with their `place` in the result @param more columns */
const record = (from: string, more = '') => `
  SELECT e.id, p.id AS patient_id, p.first_name, p.last_name, g.id AS program_id, g.name AS program_name,
         now_at.id AS step_id, now_at.name AS step_name, coalesce(now_at.place, 0) AS position,
         (SELECT count(*)::int FROM workflow_step o WHERE o.organization_id = $1 AND o.program_id = e.program_id) AS steps,
         ${selectInstant(SINCE)} AS since, ${selectInstant('e.added_at')} AS added_at, ${selectInstant('e.removed_at')} AS removed_at,
         (SELECT coalesce(json_agg(json_build_object('id', w.id, 'step_id', w.step_id, 'name', s.name, 'position', s.place, 'user_id', w.user_id,
                                   'user_first_name', u.first_name, 'user_last_name', u.last_name, 'at', ${selectInstant('w.occurred_at')})
                                   ORDER BY w.id), '[]')
            FROM workflow_event w JOIN (${PLACED}) AS s ON s.id = w.step_id
            LEFT JOIN "user" u ON u.organization_id = w.organization_id AND u.id = w.user_id
           WHERE w.organization_id = $1 AND w.program_patient_id = e.id) AS history${more}
    FROM (${from}) AS e
    JOIN patient p ON p.organization_id = $1 AND p.id = e.patient_id
    JOIN program g ON g.organization_id = $1 AND g.id = e.program_id
    LEFT JOIN LATERAL (SELECT s.* FROM (${PLACED}) AS s WHERE s.id = e.step_id) AS now_at ON true
   ORDER BY e.place`;

const inOrder = (...terms: string[]) => sortBy(...terms.map(nullable), 'e.id');

/** Nulls come last: no step yet, and not removed. */
export const ENROLMENTS = list({
  name: 'enrolments',
  select: select<EnrolmentRow>('e.*'),
  from: `program_patient e ${LISTED}`,
  joins: `JOIN program g ON g.organization_id = e.organization_id AND g.id = e.program_id
              LEFT JOIN workflow_step t ON t.organization_id = e.organization_id AND t.id = e.step_id`,
  where: 'e.organization_id = $1',
  filters: {
    current: filter<true>([], () => 'e.removed_at IS NULL'),
    patientId: filter<number>('int', (id) => `e.patient_id = ${id}`),
  },
  orders: {
    /** Descending: current enrolments before former ones, each group with newest first. */
    currentFirst: inOrder('e.removed_at IS NULL', 'e.added_at'),
    lastName: inOrder('k.last_key', 'k.first_key'),
    firstName: inOrder('k.first_key', 'k.last_key'),
    program: inOrder('fold(g.name) COLLATE "C"'),
    step: inOrder('t.position'),
    since: inOrder(SINCE),
    addedAt: inOrder('e.added_at'),
    removedAt: inOrder('e.removed_at'),
    id: inOrder(),
  },
  wrap: ({ page }) => record(page, ', e.cursor'),
});
export type EnrolmentSort = SortOf<typeof ENROLMENTS>;

/** Values: organization, id. */
export const ENROLMENT: Statement<EnrolmentRow> = statement(
  'enrolment',
  record(`SELECT e.*, 1 AS place FROM program_patient e ${LISTED} WHERE e.organization_id = $1 AND e.id = $2`),
);

/** Current enrolments of patients, by program. Values: organization, ids of patients. */
export const ENROLMENTS_OF_PATIENTS: Statement<EnrolmentRow> = statement(
  'enrolments_of_patients',
  record(`SELECT e.*, e.program_id AS place FROM program_patient e ${LISTED}
           WHERE e.organization_id = $1 AND e.patient_id = ANY ($2::int[]) AND e.removed_at IS NULL`),
);
