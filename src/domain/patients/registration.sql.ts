import { statement } from '../../database/statement.ts';
import type { Patient, RegistrationPolicy } from '../../generated/prisma/client.ts';
import { DESPITE_RESTRICTION } from '../audit/journal-entries.ts';
import { type CallerIdentity, maySeeChart } from '../caller.ts';
import {
  type JournaledStatement,
  type KeyedWrite,
  ORGANIZATION,
  type StatementParts,
  SUBJECT,
  withJournal,
  withJournalAndKey,
} from '../unit-of-work/journaled-statement.ts';
import {
  columnsOfFields,
  FIELDS,
  type Field,
  type FieldsRow,
  fieldsOf,
  type PatientFields,
  parameter,
  SETTABLE,
} from './chart-fields.sql.ts';
import { numberStoppedTexts } from './number-stopped-texts.sql.ts';
import { unrestrictedUnless } from './restricted-charts.sql.ts';

/** Which of the rows that an input refers to exist. */
export interface PatientReferences {
  /** The office exists and is open: a closed one takes no registration. */
  officeExists: boolean | null;
  providerExists: boolean | null;
  locationExists: boolean | null;
  /** The patient who has the medical record number; deleted charts keep theirs. */
  recordNumberHolder: Pick<Patient, 'id' | 'status' | 'restricted'> | null;
}

const references = (office: string, provider: string, location: string, recordNumber: string) => `
          (SELECT true FROM office WHERE organization_id = $1 AND id = ${office}::int AND active) AS "officeExists",
          (SELECT true FROM provider WHERE organization_id = $1 AND id = ${provider}::int) AS "providerExists",
          (SELECT true FROM location WHERE organization_id = $1 AND id = ${location}::int) AS "locationExists",
          (SELECT json_build_object('id', id, 'status', status, 'restricted', restricted) FROM patient
            WHERE organization_id = $1 AND medical_record_no = ${recordNumber}::text) AS "recordNumberHolder"`;

/** Draws ids of new patients. Values: how many. */
export const PATIENT_IDS = statement<{ id: number }>(
  'patient_ids',
  `SELECT nextval('patient_id_seq')::int AS id FROM generate_series(1, $1::int)`,
);

/** Facts that a registration depends on: its references and the practice's policies. */
export type RegistrationContext = PatientReferences & {
  /** The mobile number sent STOP. */
  textsStopped: boolean;
  timeZone: string;
  registrationPolicy: RegistrationPolicy;
  matchOnRegistration: boolean;
};

/** Values: organization, office, provider, location, medical record number, mobile number. */
export const REGISTRATION_CONTEXT = statement<RegistrationContext>(
  'registration_context',
  `SELECT g.time_zone AS "timeZone", g.registration_policy AS "registrationPolicy",
          g.match_on_registration AS "matchOnRegistration", ${numberStoppedTexts('$1', '$6::text')} AS "textsStopped", ${references('$2', '$3', '$4', '$5')}
     FROM organization g
    WHERE g.id = $1`,
);

/**
 * Condition that leaves out a chart `p` that is deleted, and one that is restricted or blocked for callers who may not see those.
 * @param mayRestricted parameter: whether the caller may see restricted charts (maySeeRestricted)
 */
export const visibleChart = (p: string, mayRestricted: string) => `${p}.status <> 'deleted' AND ${unrestrictedUnless(p, mayRestricted)}`;

/** Status and settable fields of a chart; `doNotSms` is whether the patient wants no texts (wantsNoTexts). */
export type ChartRow = Pick<Patient, 'status'> & { fields: FieldsRow };
/** The two sources of `doNotSms`: the chart's own flag, and a STOP of its mobile number. */
type Consent = { ownDoNotSms: boolean; textsStopped: boolean };

/**
 * Reads a chart and locks it; no row for a deleted one, or for a restricted one that the caller may not see.
 * Values: organization, patient, office, provider, location, medical record number, whether the caller may see restricted charts.
 */
export const LOCK_PATIENT = statement<PatientReferences & ChartRow & Consent>(
  'lock_patient',
  `SELECT p.status, p.do_not_sms AS "ownDoNotSms", p.texts_stopped AS "textsStopped", ${fieldsOf('p')}, ${references('$3', '$4', '$5', '$6')}
     FROM patient p
    WHERE p.organization_id = $1 AND p.id = $2 AND ${visibleChart('p', '$7')}
      FOR NO KEY UPDATE OF p`,
);

const today = '(now() AT TIME ZONE g.time_zone)::date';

/** Registers a patient at an office, under its financial group; an existing registration is kept. */
const registered = (office: string) => `
     INSERT INTO patient_registration (organization_id, patient_id, office_id, provider_group_id, local_patient_id, registered_on, updated_at)
     SELECT ${ORGANIZATION}, ${SUBJECT}, o.id, o.provider_group_id, ${SUBJECT}, ${today}, now()
       FROM done
       JOIN organization g ON g.id = ${ORGANIZATION}
       JOIN office o ON o.organization_id = ${ORGANIZATION} AND o.id = ${office}
         ON CONFLICT DO NOTHING`;

const FIRST_FIELD = 6;
const officeOf = (parts: StatementParts) => fieldAt(parts, FIRST_FIELD + FIELDS.indexOf('primaryOfficeId'), 'primaryOfficeId');
const fieldAt = ({ own }: StatementParts, position: number, field: Field) => `${own(position)}::${SETTABLE[field][1]}`;

/**
 * Inserts a chart, where the practice's policies require nothing more. Values: names of the fields for the event; whether the
 * strict policy is met; whether the practice would look for the same person; the birth date, where it must not be in the
 * future; the mobile number, where it must not have sent STOP; and then all fields.
 */
export const INSERT_PATIENT: KeyedWrite = withJournalAndKey('insert_patient', {
  write: (parts) => `
     INSERT INTO patient (organization_id, id, registration_date, updated_at, ${FIELDS.map((field) => SETTABLE[field][0]).join(', ')})
     SELECT ${ORGANIZATION}, ${SUBJECT}, ${today}, now(), ${FIELDS.map((field, n) => fieldAt(parts, FIRST_FIELD + n, field)).join(', ')}
       FROM organization g ${parts.unclaimed}
      WHERE g.id = ${ORGANIZATION} AND (g.registration_policy = 'open' OR ${parts.own(2)}::boolean)
        AND NOT (g.match_on_registration AND ${parts.own(3)}::boolean) AND coalesce(${parts.own(4)}::date <= ${today}, true)
        AND NOT (${parts.own(5)}::text IS NOT NULL AND ${numberStoppedTexts(ORGANIZATION, `${parts.own(5)}::text`)})
        AND (${officeOf(parts)} IS NULL OR EXISTS (SELECT FROM office o WHERE o.organization_id = ${ORGANIZATION} AND o.id = ${officeOf(parts)} AND o.active))
     RETURNING ${parts.own(1)}::text[] AS changed`,
  besides: (parts) => registered(officeOf(parts)),
  shown: 'true AS done',
});

/** The largest number of combinations of fields with their own statement, each planned once per connection. */
const MAX_COMBINATIONS = 64;
const combinations = new Map<string, JournaledStatement<ChartRow>>();

/** A statement that changes some fields of a chart, and its values. */
export interface PatientChange {
  write: JournaledStatement<ChartRow>;
  values: unknown[];
}

/**
 * A change of these fields. It writes nothing where the chart has these values already, or does not exist for the caller. Only named columns
 * cost anything: unchanged names are not folded again, and no trigger looks at them.
 * @returns null for no field, and for a combination beyond MAX_COMBINATIONS
 */
export function changePatient(
  caller: CallerIdentity,
  id: number,
  given: { [K in Field]?: PatientFields[K] | undefined },
): PatientChange | null {
  const fields = FIELDS.filter((field) => given[field] !== undefined);
  const key = fields.join();
  let write = combinations.get(key);
  if (!write) {
    const all = fields.length === FIELDS.length;
    if (fields.length === 0 || (combinations.size >= MAX_COMBINATIONS && !all)) return null;
    write = changeOf(`change_patient_${combinations.size}`, fields);
    combinations.set(key, write);
  }
  return { write, values: [...fields.map((field) => parameter(given[field])), maySeeChart(caller, id)] };
}

/** A chart that is sent back as it was read does not make its own what its mobile number said. */
const ownDoNotSms = (value: string, mobile: string) =>
  `CASE WHEN ${value} AND p.texts_stopped AND p.mobile_phone = ${mobile} THEN p.do_not_sms ELSE ${value} END`;

/** The statement of such a change. Values: of the fields, in this order; whether the caller may see restricted charts. */
export const changeOf = (name: string, fields: readonly Field[]) =>
  withJournal<ChartRow>(name, {
    write(parts) {
      const mobile = fields.includes('mobilePhone') ? fieldAt(parts, 1 + fields.indexOf('mobilePhone'), 'mobilePhone') : 'p.mobile_phone';
      const named = fields.map((field, n) => {
        const value = fieldAt(parts, n + 1, field);
        return { field, column: SETTABLE[field][0], value: field === 'doNotSms' ? ownDoNotSms(value, mobile) : value };
      });
      const email = named.find(({ field }) => field === 'email');
      const lastEmail = email
        ? `, last_email = CASE WHEN p.email IS DISTINCT FROM ${email.value} THEN coalesce(p.email, p.last_email) ELSE p.last_email END`
        : '';
      return `
     UPDATE patient p SET updated_at = now(), ${named.map(({ column, value }) => `${column} = ${value}`).join(', ')}${lastEmail}
       FROM (SELECT array_remove(ARRAY[${named.map(({ field, column, value }) => `CASE WHEN p.${column} IS DISTINCT FROM ${value} THEN '${field}' END`).join(', ')}], NULL) AS changed
               FROM patient p
              WHERE p.organization_id = ${ORGANIZATION} AND p.id = ${SUBJECT} AND ${visibleChart('p', parts.own(fields.length + 1))}
                FOR NO KEY UPDATE) AS before
      WHERE p.organization_id = ${ORGANIZATION} AND p.id = ${SUBJECT} AND before.changed <> '{}'
     RETURNING p.status, p.restricted, ${columnsOfFields('p')}, before.changed`;
    },
    besides: fields.includes('primaryOfficeId')
      ? (parts) => registered(fieldAt(parts, 1 + fields.indexOf('primaryOfficeId'), 'primaryOfficeId'))
      : undefined,
    shown: `status, ${fieldsOf('done')}`,
    detail: `CASE WHEN restricted THEN '${DESPITE_RESTRICTION}' END`,
  });
