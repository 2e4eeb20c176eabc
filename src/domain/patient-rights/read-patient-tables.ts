import type { PracticeRows } from '../../database/statements/practice-rows.ts';
import { type Statement, statement } from '../../database/statements/statement.ts';
import { PATIENT_TABLES, type PatientTable } from './patient-tables.ts';

/** A row of the database, by the names of its columns, as JSON has it: instants with an offset, bytes in hexadecimal. */
export type StoredRow = Record<string, unknown>;

export type PatientRecords = Record<string, StoredRow[]>;

/**
 * Further conditions of a link, by table and column. Of the conversation in a room: the words of the practice's people in a visit that the
 * patient was in; those of other guests are not the patient's.
 */
const CONDITIONS: Readonly<Record<string, string>> = {
  'session_chat_message.video_session_id': `EXISTS (
    SELECT FROM session_participant p WHERE p.organization_id = $1::int AND p.id = t.participant_id AND p.user_id IS NOT NULL)
  AND EXISTS (
    SELECT FROM telehealth_visit v WHERE v.organization_id = $1::int AND v.video_session_id = t.video_session_id
       AND v.visit = t.visit AND v.patient_id = ANY ($2::int[]))`,
};

/** SQL: whether the row `t` is the patient's. Values: organization, the ids of the charts, and those of listLinkValues. */
export function isOfPatient({ table, links }: PatientTable): string {
  const linked = links.filter(({ from }) => from !== undefined);
  const conditions = links.map((link) => {
    const values = link.from === undefined ? '$2::int[]' : `$${linked.indexOf(link) + 3}::${link.type ?? 'bigint'}[]`;
    const among = `t.${link.column} = ANY (${values})`;
    const condition = CONDITIONS[`${table}.${link.column}`];
    return condition === undefined ? among : `(${among} AND ${condition})`;
  });
  // A table may be linked through other tables alone; its statement has to name the second parameter, and its type, too.
  return `t.organization_id = $1::int AND $2::int[] IS NOT NULL AND (${conditions.join(' OR ')})`;
}

const selection = (table: PatientTable): Statement<{ row: StoredRow }> =>
  statement(`patient_export_${table.table}`, `SELECT to_json(t) AS row FROM ${table.table} t WHERE ${isOfPatient(table)} ORDER BY t`);

const STATEMENTS = PATIENT_TABLES.map((table) => ({ ...table, query: selection(table) }));

/** All rows about the charts of one person. The caller's transaction gives them one state of the database. */
export async function readPatientTables(tx: PracticeRows, charts: readonly number[]): Promise<PatientRecords> {
  const records: PatientRecords = {};
  for (const { query, ...table } of STATEMENTS)
    records[table.table] = (await tx.rows(query, [charts, ...listLinkValues(table, records)])).map(({ row }) => row);
  return records;
}

/** For each link of a table from another one, the values that it may have. @param records of the tables further up in the list */
export const listLinkValues = ({ links }: PatientTable, records: PatientRecords): unknown[][] =>
  links.flatMap(({ from }) => (from === undefined ? [] : [valuesAt(records, from)]));

/** @param place `table.column` */
function valuesAt(records: PatientRecords, place: string): unknown[] {
  const [table = '', column = ''] = place.split('.');
  const rows = records[table];
  if (!rows) throw new Error(`${table} is read before the tables that are linked to it`);
  return [...new Set(rows.map((row) => row[column] ?? null))].filter((value) => value !== null);
}
