import type { Prepared } from '../../database/statement.ts';
import type { Patient } from '../../generated/prisma/client.ts';
import { recordChange, recordRead } from '../audit/journal-entries.ts';
import { type Caller, maySeeChart } from '../caller.ts';
import { conflict, invalid, notFound, WrongFields } from '../errors.ts';
import { mapPlan, type OptimisticWrite, planInsert, planUpdate, unchanged, type WritePlan } from '../unit-of-work/optimistic-write.ts';
import { changesTo } from '../values/changed-fields.ts';
import { hasBegunEverywhere, requireBegun, requireBegunInPractice } from './birth-dates.ts';
import { type FieldsRow, fieldValues, NO_FIELDS, type PatientFields } from './chart-fields.sql.ts';
import { findPossibleMatches, isComparable, type PossibleMatch } from './possible-matches.ts';
import {
  changePatient,
  INSERT_PATIENT,
  LOCK_PATIENT,
  PATIENT_IDS,
  type PatientChange,
  type PatientReferences,
  REGISTRATION_CONTEXT,
  type RegistrationContext,
} from './registration.sql.ts';

export type { Patient };

/** The fields of a chart that a dialect can set, with its id and status; `doNotSms` also where the mobile number sent STOP. */
export type PatientChart = PatientFields & Pick<Patient, 'id' | 'status'>;

/** Fields that a dialect sets. A field that is absent keeps its value; null clears it. */
export type PatientInput = { [K in keyof PatientFields]?: PatientFields[K] | undefined };

/**
 * @param options.isTrial draws no id for the new chart: it is 0
 * @throws Failure not_found for an unknown organization
 */
export async function findRegistrationContext(
  tx: Prepared,
  { organizationId }: Caller,
  input: PatientInput,
  { isTrial = false } = {},
): Promise<RegistrationContext & { id: number }> {
  const [[context], [drawn]] = await Promise.all([
    tx.rows(REGISTRATION_CONTEXT, [organizationId, ...referencesOf(input), input.mobilePhone ?? null]),
    isTrial ? [] : tx.rows(PATIENT_IDS, [1]),
  ]);
  if (!context) throw notFound('organization');
  return { ...context, id: drawn?.id ?? 0 };
}

/**
 * Facts about an input by which the statement decides whether it meets the practice's policies: its registration policy (`open`
 * or `strict`, prisma/schema/practices.prisma) and whether it looks for the same person. registration-policies.ts computes them.
 */
export interface PolicyFacts {
  /** The input has all fields that the policy `strict` requires: a name, birth date, office and one way to reach the patient. */
  isIdentified: boolean;
  /** The input has enough fields to look for charts that may be of the same person. */
  isComparable: boolean;
  /** The birth date, which must not be in the future. */
  birthDate: Date | null;
  /** The mobile number, where the statement must not write if it sent STOP: the answer would not say so. */
  mobilePhone: string | null;
}

/** The facts of a registration to which no policy of the practice applies. */
const withoutPolicy = ({ birthDate = null, mobilePhone = null }: PatientInput): PolicyFacts => ({
  isIdentified: true,
  isComparable: false,
  birthDate,
  mobilePhone,
});

/** A new chart, and others that may be of the same person where the practice looks for them. */
export interface RegisteredPatient {
  patient: PatientChart;
  possibleMatches: PossibleMatch[];
}

/**
 * Adds a patient to the caller's organization, registered today, and at the office if there is one. It never returns an existing
 * patient instead: its callers know patients by record numbers of their own.
 * @throws Failure conflict when the medical record number is taken, naming who has it; not_found for an unknown office,
 *   provider or location
 */
export const registerPatient = (input: PatientInput): OptimisticWrite<RegisteredPatient> => ({
  async plan({ nextId }, caller) {
    const facts = { ...withoutPolicy(input), isComparable: isComparable(input) };
    return mapPlan(planRegistration(caller, await nextId(PATIENT_IDS), input, facts), (patient) => ({ patient, possibleMatches: [] }));
  },
  async check(tx, caller) {
    const context = await findRegistrationContext(tx, caller, input);
    requireBegun(input.birthDate, context.timeZone);
    const possibleMatches = context.matchOnRegistration ? await findPossibleMatches(tx, caller, input) : [];
    return mapPlan(planChecked(context, caller, input), (patient) => ({ patient, possibleMatches }));
  },
});

/** A registration after its birth date was checked, and here its references and its medical record number. @throws Failure as registerPatient */
export function planChecked(context: RegistrationContext & { id: number }, caller: Caller, input: PatientInput): WritePlan<PatientChart> {
  requireRegistrable(context, caller, input);
  const plan = planRegistration(caller, context.id, input, { ...withoutPolicy(input), mobilePhone: null });
  return context.textsStopped ? mapPlan(plan, (patient) => ({ ...patient, doNotSms: true })) : plan;
}

/** @throws Failure for references and a medical record number, as registerPatient */
export function requireRegistrable(context: RegistrationContext, caller: Caller, input: PatientInput): void {
  requireReferences(input, context);
  requireFreeRecordNumber(caller, context, null);
}

/** Its statement writes nothing where the practice's policies require more, or the idempotency key is in use. */
export function planRegistration(
  caller: Caller,
  id: number,
  input: PatientInput,
  { isIdentified, isComparable, birthDate, mobilePhone }: PolicyFacts,
): WritePlan<PatientChart> {
  const given = changesTo({}, { ...input, ...clearedDeclines(input) });
  const fields = { ...NO_FIELDS, ...given };
  const changed = Object.keys(given);
  recordChange(caller, 'create', { name: 'patient.registered', id, changed });
  const values = [`{${changed.join()}}`, isIdentified, isComparable, birthDate?.toISOString(), mobilePhone, ...fieldValues(fields)];
  return planInsert(INSERT_PATIENT, values, { ...fields, id, status: 'active' });
}

/**
 * Changes only the given fields; no change is recorded where all of them have these values already.
 * @throws Failure as registerPatient, and not_found for a patient whom the caller may not see
 */
export function updatePatient(id: number, input: PatientInput): OptimisticWrite<PatientChart> {
  const given = changesTo({}, { ...input, ...clearedDeclines(input) });
  return {
    async plan(_context, caller) {
      if (namesCleared(given).length > 0 || (given.birthDate && !hasBegunEverywhere(given.birthDate))) return null;
      const change = changePatient(caller, id, given);
      return change && planChange(caller, id, change);
    },
    async check(tx, caller) {
      const { chart, references, own } = await lockPatient(tx, caller, id, input);
      await requireRightFields(tx, caller, { chart, references, input });
      requireFreeRecordNumber(caller, references, id);
      const isAsRead = references.textsStopped && (given.mobilePhone === undefined || given.mobilePhone === chart.mobilePhone);
      const written = given.doNotSms === undefined || !isAsRead ? given : { ...given, doNotSms: given.doNotSms && own.doNotSms };
      if (Object.keys(changesTo(own, written)).length === 0) {
        recordRead(caller, 'patient', [id]);
        return unchanged(chart);
      }
      // A combination without its own statement is written by the one for all fields.
      const change = changePatient(caller, id, given) ?? changePatient(caller, id, { ...own, ...given });
      if (!change) throw new Error('there is no statement that changes all fields of a patient');
      return planChange(caller, id, change);
    },
  };
}

function planChange(caller: Caller, id: number, { write, values }: PatientChange): WritePlan<PatientChart> {
  recordChange(caller, 'update', { name: 'patient.updated', id });
  return planUpdate(write, values, ({ status, fields }) => ({ ...fieldsOf(fields), id, status }));
}

const NAMES = ['firstName', 'lastName'] as const;

const namesCleared = (input: PatientInput) => NAMES.filter((name) => input[name] === null);

interface ChartChange {
  chart: PatientChart;
  references: PatientReferences;
  input: PatientInput;
}

/** A name changes, but never goes away: clients that send null for all that they do not know would wipe it. @throws Failure */
async function requireRightFields(tx: Prepared, caller: Caller, { chart, references, input }: ChartChange): Promise<void> {
  const wrong = new WrongFields();
  for (const name of namesCleared(input)) if (chart[name] !== null) wrong.add(invalid(name, 'cannot be cleared', 'name_required'));
  await wrong.check(() => requireBegunInPractice(tx, caller, input.birthDate));
  await wrong.check(() => requireReferences(input, references));
  wrong.throwIfAny();
}

/** The chart, locked until the transaction ends. @throws Failure not_found */
export async function findPatientToChange(tx: Prepared, caller: Caller, id: number): Promise<PatientChart> {
  return (await lockPatient(tx, caller, id, {})).chart;
}

async function lockPatient(tx: Prepared, caller: Caller, id: number, input: PatientInput) {
  const [references] = await tx.rows(LOCK_PATIENT, [caller.organizationId, id, ...referencesOf(input), maySeeChart(caller, id)]);
  if (!references) throw notFound('patient');
  const chart: PatientChart = { ...fieldsOf(references.fields), id, status: references.status };
  return { chart, references, own: { ...chart, doNotSms: references.ownDoNotSms } };
}

const fieldsOf = ({ birthDate, admitDate, ...fields }: FieldsRow): PatientFields => ({
  ...fields,
  birthDate: dayOf(birthDate),
  admitDate: dayOf(admitDate),
});

/** Any stored day: where all fields are written again, this one is too, so none is refused as too early or too late. */
const dayOf = (written: string | null): Date | null => (written === null ? null : new Date(`${written}T00:00:00Z`));

const referencesOf = ({ primaryOfficeId, primaryProviderId, locationId, medicalRecordNo }: PatientInput) => [
  primaryOfficeId ?? null,
  primaryProviderId ?? null,
  locationId ?? null,
  medicalRecordNo ?? null,
];

/** A value for a field that the patient once declined to give clears its "declined". */
function clearedDeclines(input: PatientInput) {
  return { ...(input.email ? { emailDeclined: false } : {}), ...(input.mobilePhone ? { mobilePhoneDeclined: false } : {}) };
}

/** @throws Failure not_found where the input names an office, a provider or a location that does not exist */
export function requireReferences({ primaryOfficeId, primaryProviderId, locationId }: PatientInput, references: PatientReferences): void {
  const wrong = new WrongFields();
  if (typeof primaryProviderId === 'number' && !references.providerExists) wrong.add(notFound('provider', 'primaryProviderId'));
  if (typeof locationId === 'number' && !references.locationExists) wrong.add(notFound('location', 'locationId'));
  if (typeof primaryOfficeId === 'number' && !references.officeExists) wrong.add(notFound('office', 'primaryOfficeId'));
  wrong.throwIfAny();
}

/**
 * A record number is unique in its organization, deleted charts included: a number never comes to mean another person.
 * Of two concurrent writes the database refuses the second, which then runs again (see unit-of-work.ts) and finds the first
 * here, so that the message can name it, unless the caller may not see that chart.
 */
function requireFreeRecordNumber(caller: Caller, { recordNumberHolder: holder }: PatientReferences, own: number | null): void {
  if (!holder || holder.id === own) return;
  const named = holder.status === 'deleted' ? `Patient ${holder.id}, who was deleted,` : `Patient ${holder.id}`;
  const who = holder.restricted && !maySeeChart(caller, holder.id) ? 'Another patient' : named;
  throw conflict('medical_record_number_taken', `${who} has this medical record number already.`, 'medicalRecordNo');
}
