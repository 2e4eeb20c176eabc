import type { PracticeRows } from '../../database/statements/practice-rows.ts';
import { type Statement, statement } from '../../database/statements/statement.ts';
import type { PatientRecords } from './read-patient-tables.ts';

/** Records of the practice that a patient's records name by their ids, and how people call them. */
interface NamedTable {
  table: string;
  /** SQL over the row `t`. */
  name: string;
  /** The columns with its ids, in whichever table of a patient. */
  columns: readonly string[];
}

const PERSON = `concat_ws(' ', t.first_name, t.last_name)`;

const NAMED_TABLES: readonly NamedTable[] = [
  { table: 'provider', name: PERSON, columns: ['provider_id', 'primary_provider_id'] },
  {
    table: 'user',
    name: PERSON,
    columns: [
      ...['user_id', 'host_user_id', 'maker_user_id', 'review_user_id', 'uploaded_by_user_id', 'assigned_user_id', 'released_by_id'],
      ...['created_by_id', 'recorded_by_id', 'acknowledged_by_user_id', 'closed_by_user_id', 'created_by_user_id', 'booked_by_user_id'],
      ...['sent_by_user_id', 'recorded_by_user_id', 'error_by_user_id'],
    ],
  },
  { table: 'office', name: 't.name', columns: ['office_id', 'primary_office_id'] },
  { table: 'provider_group', name: 't.name', columns: ['provider_group_id'] },
  { table: 'location', name: 't.name', columns: ['location_id'] },
  { table: 'employer', name: 't.name', columns: ['employer_id', 'guarantor_employer_id'] },
  { table: 'appointment_type', name: 't.name', columns: ['type_id', 'own_type_id'] },
  { table: 'waiting_room', name: 't.name', columns: ['waiting_room_id'] },
  { table: 'custom_field', name: 't.name', columns: ['custom_field_id'] },
  { table: 'contact_tag', name: 't.name', columns: ['contact_tag_id'] },
  { table: 'chat', name: 't.name', columns: ['chat_id'] },
  { table: 'phone_number', name: 't.number', columns: ['phone_number_id'] },
  { table: 'sms_template', name: 't.name', columns: ['template_id'] },
  { table: 'survey_type', name: 't.name', columns: ['survey_type_id'] },
  { table: 'scheduled_check_in', name: 't.name', columns: ['scheduled_check_in_id'] },
  { table: 'program', name: 't.name', columns: ['program_id'] },
  { table: 'workflow_step', name: 't.name', columns: ['step_id'] },
  { table: 'item', name: `concat_ws(', ', t.name, t.unit)`, columns: ['item_id'] },
];

/** Types of appointments may be shared by all practices. */
const isOfPractice = ({ table }: NamedTable): string =>
  table === 'appointment_type' ? '(t.organization_id = $1::int OR t.is_global)' : 't.organization_id = $1::int';

const STATEMENTS: readonly (NamedTable & { query: Statement<{ id: string; name: string | null }> })[] = NAMED_TABLES.map((named) => ({
  ...named,
  query: statement(
    `names_of_${named.table}`,
    `SELECT t.id::text AS id, ${named.name} AS name FROM "${named.table}" t WHERE ${isOfPractice(named)} AND t.id = ANY ($2::bigint[])`,
  ),
}));

/** The table whose ids a column has; undefined where it has none of a named one. */
export const tableOfColumn = (column: string): string | undefined => NAMED_TABLES.find(({ columns }) => columns.includes(column))?.table;

/** By table and id, how the records are called that a patient's records name. */
export type Names = Record<string, Record<string, string>>;

/** The names of what the records of a patient refer to in the lists of the practice. */
export async function readNames(tx: PracticeRows, records: PatientRecords): Promise<Names> {
  const rows = Object.values(records).flat();
  const names: Names = {};
  for (const { table, columns, query } of STATEMENTS) {
    const ids = new Set(rows.flatMap((row) => columns.map((column) => row[column])).filter((id) => typeof id === 'number'));
    if (ids.size === 0) continue;
    const found = await tx.rows(query, [[...ids]]);
    names[table] = Object.fromEntries(found.map(({ id, name }) => [id, name ?? '']));
  }
  return names;
}

/** The users whose names actors of the audit have. */
export async function readUserNames(tx: PracticeRows, ids: readonly number[]): Promise<Record<string, string>> {
  const users = STATEMENTS.find(({ table }) => table === 'user');
  if (!users || ids.length === 0) return {};
  const found = await tx.rows(users.query, [ids]);
  return Object.fromEntries(found.map(({ id, name }) => [id, name ?? '']));
}
