import { type Statement, statement } from '../../../database/statements/statement.ts';
import type { Patient } from '../../../generated/prisma/client.ts';
import { columnOf, type FieldsOf, type Field as RecordField } from '../../../records/field.ts';
import { emptyValue, KINDS } from '../../../records/kinds.ts';
import { PATIENT } from '../../../records/patient.ts';
import { wantsNoTexts } from '../consent.sql.ts';

/** Telephone numbers are E.164, days are Dates at midnight UTC. */
export type PatientFields = Pick<Patient, keyof typeof PATIENT>;

/** Fields that a dialect sets. A field that is absent keeps its value; null clears it. */
export type PatientInput = { [K in keyof PatientFields]?: PatientFields[K] | undefined };

/** A field that may be set, by its name in the domain. */
export type Field = keyof PatientFields;

/** All of them, in the order of the values of a statement that writes a whole chart. */
export const FIELDS = Object.keys(PATIENT).filter((name): name is Field => name in PATIENT);

/** The column of each field. */
export const toColumn = (field: Field): string => columnOf(field, PATIENT[field]);

export const toSqlType = (field: Field): string => KINDS[PATIENT[field].kind].sql;

/** The column of a field of the patient `p`, where days are `YYYY-MM-DD`. */
export const selectField = (field: Field): string => `p.${toColumn(field)}${toSqlType(field) === 'date' ? '::text' : ''}`;

/** A chart of which nothing is known. */
export const NO_FIELDS = emptyChart();

function emptyChart(): PatientFields;
function emptyChart(): Record<string, unknown> {
  return Object.fromEntries(Object.entries<RecordField>(PATIENT).map(([field, { kind }]) => [field, emptyValue(kind)]));
}

type Day = FieldsOf<typeof PATIENT, 'day' | 'pastDay'>;

/** The fields as JSON, where days are `YYYY-MM-DD`. */
export type FieldsRow = Omit<PatientFields, Day> & Record<Day, string | null>;

/** The settable fields of a row as JSON; `doNotSms` is whether the patient wants no texts. */
export const fieldsAsJson = (row: string) =>
  `(SELECT row_to_json(f) FROM (SELECT ${FIELDS.map(
    (field) => `${field === 'doNotSms' ? wantsNoTexts(row) : `${row}.${toColumn(field)}`} AS "${field}"`,
  ).join(', ')}) f) AS fields`;

/** The largest number of combinations of fields with their own statement, each planned once per connection. */
const MAX_COMBINATIONS = 64;

/** A statement that writes these fields: its values are the organization, the patient, and then the fields. */
interface FieldsWrite {
  fields: readonly Field[];
  write: Statement<never>;
}

/**
 * Statements that write the fields that they name, and no other: an unnamed one costs nothing. Beyond MAX_COMBINATIONS it is the one for all
 * fields.
 */
export function perCombination(name: string, writeText: (fields: readonly Field[]) => string): (fields: readonly Field[]) => FieldsWrite {
  const known = new Map<string, FieldsWrite>();
  return function findWrite(fields) {
    const before = known.get(fields.join());
    if (before) return before;
    if (known.size >= MAX_COMBINATIONS && fields !== FIELDS) return findWrite(FIELDS);
    const made = { fields, write: statement<never>(`${name}_${known.size}`, writeText(fields)) };
    known.set(fields.join(), made);
    return made;
  };
}

/** The parameter of each of the fields, behind organization and patient. */
export const writeParameters = (fields: readonly Field[]): string[] => fields.map((field, n) => `$${n + 3}::${toSqlType(field)}`);
