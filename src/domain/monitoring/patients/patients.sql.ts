import { filter, list, nullable, type SortOf, select, sortBy } from '../../../database/statements/list.ts';
import { type Statement, selectInstant, statement } from '../../../database/statements/statement.ts';
import { MONITORED_SPELLINGS } from '../../patients/monitored-flag.ts';
import { foldNameSql } from '../../patients/search/name-keys.sql.ts';

/**
 * Whether the chart has the flag RPM, in any case. Must be written exactly as in the condition of the index
 * patient_monitored_idx, so that the planner uses it.
 */
const MONITORED = `flags && '{${MONITORED_SPELLINGS.join(',')}}'::text[]`;

/**
 * Monitored patients `p` with the first name key `k` of each listed chart. `OFFSET 0` makes the planner select the patients by
 * flag first and read only their keys, instead of walking all keys in name order.
 * @param one further condition
 */
const selectMonitored = (one = '') => `
  (SELECT id, first_name_folded, last_name_folded, medical_record_no, birth_date, created_at, updated_at
     FROM patient WHERE organization_id = $1 AND ${MONITORED} ${one} OFFSET 0) AS p
  CROSS JOIN LATERAL (SELECT m.last_key, m.first_key FROM patient_name_key m
                       WHERE m.organization_id = $1 AND m.patient_id = p.id AND m.ordinal = 1 OFFSET 0) AS k`;

/** Whether the text is the record number, or each of its words starts a name or a later word of one. */
const matchesSearch = (text: string, words: string) => `(p.medical_record_no = ${text} OR NOT EXISTS (
  SELECT FROM unnest(${words}) AS w (word)
   WHERE NOT EXISTS (
     SELECT FROM (SELECT last_key FROM name_keys(coalesce(p.last_name_folded, ''))
                  UNION ALL SELECT last_key FROM name_keys(coalesce(p.first_name_folded, ''))) AS key
      WHERE starts_with(key.last_key, ${foldNameSql('w.word')}))))`;

const FILTERS = {
  /** A text, and its words. */
  keyword: filter<readonly [string, readonly string[]]>(['text', 'text[]'], matchesSearch),
  programId: filter<number>(
    'int',
    (id) => `EXISTS (
    SELECT FROM program_patient e
     WHERE e.organization_id = $1 AND e.patient_id = p.id AND e.program_id = ${id} AND e.removed_at IS NULL)`,
  ),
  /** Start of a condition's code. */
  condition: filter<string>(
    'text',
    (code) => `EXISTS (
    SELECT FROM tracked_condition t
     WHERE t.organization_id = $1 AND t.patient_id = p.id AND t.ended_at IS NULL
       AND (starts_with(replace(t.icd_code, '.', ''), replace(upper(${code}), '.', '')) OR t.icd_lex_code::text = ${code}))`,
  ),
  /** An instant, and whether the patient has readings since. */
  readings: filter<readonly [Date, boolean]>(
    ['timestamptz', 'boolean'],
    (since, has) => `${has} = EXISTS (
    SELECT FROM reading r
     WHERE r.organization_id = $1 AND r.patient_id = p.id AND r.error_at IS NULL AND r.measured_at >= ${since})`,
  ),
};

/** Answered and without a review: the condition of the index check_in_open_idx. */
const OPEN = 'c.answered_at IS NOT NULL AND NOT c.reviewed';

const OPEN_REVIEW_COUNTS = `LEFT JOIN (SELECT c.patient_id, count(*) AS open FROM check_in c WHERE c.organization_id = $1 AND ${OPEN} GROUP BY c.patient_id)
  AS waiting ON waiting.patient_id = p.id`;

const OPEN_ALERTS = `LEFT JOIN (SELECT a.patient_id, max(a.gravity) AS gravity, count(*) AS open FROM monitoring_alert a
  WHERE a.organization_id = $1 AND a.state = 'open' GROUP BY a.patient_id) AS alerts ON alerts.patient_id = p.id`;

const inOrder = (...terms: string[]) => sortBy(...terms.map(nullable), 'p.id');

/** Ids of monitored patients. Nulls come last. */
export const MONITORED_PATIENTS = list({
  name: 'monitored',
  select: select<{ id: number }>('p.id'),
  from: selectMonitored(),
  where: 'true',
  filters: FILTERS,
  orders: {
    lastName: inOrder('k.last_key', 'k.first_key'),
    firstName: inOrder('k.first_key', 'k.last_key'),
    id: inOrder(),
    birthDate: inOrder('p.birth_date'),
    medicalRecordNo: inOrder('p.medical_record_no'),
    lastCheckIn: inOrder('(SELECT max(c.sent_at) FROM check_in c WHERE c.organization_id = $1 AND c.patient_id = p.id)'),
    openReviews: { ...inOrder('coalesce(waiting.open, 0)'), join: OPEN_REVIEW_COUNTS },
    /** The gravest open alert, then how many alerts are open, then how many answers wait for a review. */
    risk: {
      ...inOrder('coalesce(alerts.gravity, 0)', 'coalesce(alerts.open, 0)', 'coalesce(waiting.open, 0)'),
      join: `${OPEN_REVIEW_COUNTS} ${OPEN_ALERTS}`,
    },
    createdAt: inOrder('p.created_at'),
    updatedAt: inOrder('p.updated_at'),
  },
});
export type MonitoredSort = SortOf<typeof MONITORED_PATIENTS>;

/** One row if the patient is monitored. Values: organization, id. */
export const IS_MONITORED: Statement<{ id: number }> = statement('is_monitored', `SELECT p.id FROM ${selectMonitored('AND id = $2')}`);

/** A check-in with its readings. Instants are ISO 8601 texts in UTC. */
export interface CheckInRow {
  id: number;
  patient_id: number;
  sent_at: string;
  answered_at: string | null;
  /** When it was answered, or sent where it was not, in milliseconds since 1970: the other two have whole seconds. */
  measured_at_ms: number;
  /** True for the check-in that was sent last; false for one that waits for a review. */
  is_last: boolean;
  /** Number of the patient's check-ins that wait for a review. */
  open: number;
  /** By item. */
  readings: { item_id: number; name: string; unit: string | null; value: number }[];
}

/** Check-ins of a patient that wait for a review and are shown. */
const MAX_OPEN_SHOWN = 10;

/** The last check-in of each patient, and the newest ones that wait for a review. Values: organization, ids of patients. */
export const CHECK_INS_OF_PATIENTS: Statement<CheckInRow> = statement(
  'check_ins_of_patients',
  `SELECT c.id, c.patient_id, ${selectInstant('c.sent_at')} AS sent_at, ${selectInstant('c.answered_at')} AS answered_at, c.is_last, c.open,
          (extract(epoch FROM coalesce(c.answered_at, c.sent_at)) * 1000)::float8 AS measured_at_ms,
          (SELECT coalesce(json_agg(json_build_object('item_id', r.item_id, 'name', i.name, 'unit', i.unit, 'value', r.value)
                                    ORDER BY r.item_id, r.id), '[]')
             FROM reading r JOIN item i ON i.organization_id = r.organization_id AND i.id = r.item_id
            WHERE r.organization_id = $1 AND r.check_in_id = c.id AND r.error_at IS NULL) AS readings
     FROM unnest($2::int[]) AS p (id) CROSS JOIN LATERAL (
       (SELECT c.id, c.patient_id, c.sent_at, c.answered_at, true AS is_last, 0 AS open
          FROM check_in c WHERE c.organization_id = $1 AND c.patient_id = p.id ORDER BY c.sent_at DESC, c.id DESC LIMIT 1)
       UNION ALL
       (SELECT c.id, c.patient_id, c.sent_at, c.answered_at, false, (count(*) OVER ())::int
          FROM check_in c WHERE c.organization_id = $1 AND c.patient_id = p.id AND ${OPEN}
         ORDER BY c.answered_at DESC, c.id DESC LIMIT ${MAX_OPEN_SHOWN})) AS c
    ORDER BY c.is_last DESC, c.answered_at DESC, c.id DESC`,
);
