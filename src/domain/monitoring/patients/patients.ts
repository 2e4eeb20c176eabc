import { recordRead } from '../../audit/journal-entries.ts';
import { notFound } from '../../errors.ts';
import { selectListedPatients } from '../../patients/search/list.sql.ts';
import type { ListedPatient } from '../../patients/search/list.ts';
import type { Tx } from '../../tx.ts';
import { readPage } from '../../values/list-page.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { ENROLMENTS_OF_PATIENTS } from '../programs/enrolments.sql.ts';
import type { Enrolment } from '../programs/enrolments.ts';
import { type AppliedTarget, judgeSeverity, readTargets } from '../targets.ts';
import { type Condition, findConditionsOfPatients } from './conditions.ts';
import { CHECK_INS_OF_PATIENTS, type CheckInRow, IS_MONITORED, MONITORED_PATIENTS, type MonitoredSort } from './patients.sql.ts';

export type { MonitoredSort };

/** A reading of a check-in, and the target that it is compared with. */
export interface ComparedReading {
  item: { id: number; name: string; unit: string | null };
  value: number;
  target: AppliedTarget | null;
  /** Null without a target. */
  isOutOfTarget: boolean | null;
}

/** A check-in with its readings, and whether any of them is out of target. */
export interface CheckInState {
  id: number;
  sent_at: string;
  answered_at: string | null;
  /** Null before the patient has answered. */
  isOutOfTarget: boolean | null;
  readings: ComparedReading[];
}

/** A patient with the flag RPM, with programs, tracked conditions and check-ins. */
export interface MonitoredPatient {
  patient: ListedPatient;
  programs: Enrolment[];
  conditions: Condition[];
  lastCheckIn: CheckInState | null;
  /** Number of answered check-ins that wait for a review. */
  open: number;
  /** The newest of these. */
  openCheckIns: CheckInState[];
}

export interface MonitoredSearch {
  /** Starts of words of the names, all of which must match, or a record number. */
  keyword?: string | undefined;
  /** In which they are now. */
  programId?: number | undefined;
  /** Start of an ICD-10-CM code that is tracked, with or without its dot, or a number of the lexicon. */
  condition?: string | undefined;
  /** With readings since, or without. */
  readings?: { since: Date; has: boolean } | undefined;
  sort: MonitoredSort;
}

/** Patients with the flag RPM, without deleted, restricted and blocked charts. Audited as a search. */
export async function listMonitoredPatients(
  tx: Tx,
  { keyword = '', programId, condition, readings, sort }: MonitoredSearch,
  page: PageRequest,
): Promise<Page<MonitoredPatient>> {
  const filter = {
    keyword: keyword === '' ? undefined : ([keyword, keyword.split(' ')] as const),
    programId,
    condition,
    readings: readings && ([readings.since, readings.has] as const),
  };
  const { rows, total, end } = await readPage(tx, MONITORED_PATIENTS, { filter, sort, page });
  const ids = rows.map(({ id }) => id);
  const items = await readPatients(tx, ids);
  if (items.length > 0)
    recordRead(
      tx,
      'patient',
      items.map(({ patient }) => patient.id),
      'search',
    );
  return { ...page, items, total, end };
}

/** One monitored patient. Audited. @throws Failure not_found, also for a patient without the flag, and a chart that is not listed */
export async function readMonitoredPatient(tx: Tx, id: number): Promise<MonitoredPatient> {
  const whole = await findMonitoredPatient(tx, id);
  if (!whole) throw notFound('patient');
  recordRead(tx, 'patient', [id]);
  return whole;
}

/** The same without an audit row; null for a patient without the flag, and a chart that is not listed. */
export async function findMonitoredPatient(tx: Tx, id: number): Promise<MonitoredPatient | null> {
  const [monitored] = await tx.rows(IS_MONITORED, [id]);
  const [whole] = monitored ? await readPatients(tx, [id]) : [];
  return whole ?? null;
}

/** Reads patients in the order of the ids, with a fixed number of statements. */
async function readPatients(tx: Tx, ids: number[]): Promise<MonitoredPatient[]> {
  if (ids.length === 0) return [];
  const values = [ids];
  const [patients, programs, conditions, checkIns] = await Promise.all([
    tx.rows(selectListedPatients(false), values),
    tx.rows(ENROLMENTS_OF_PATIENTS, values),
    findConditionsOfPatients(tx, ids),
    tx.rows(CHECK_INS_OF_PATIENTS, values),
  ]);
  const state = await readCheckInStates(tx, checkIns);
  const [byId, programsByPatient, conditionsBy, checkInsByPatient] = [
    new Map(patients.map((patient) => [patient.id, patient])),
    Map.groupBy(programs, ({ patient_id }) => patient_id),
    Map.groupBy(conditions, ({ patientId }) => patientId),
    Map.groupBy(checkIns, ({ patient_id }) => patient_id),
  ];
  return ids.flatMap((id) => {
    const patient = byId.get(id);
    // A patient who was deleted after the ids were read is left out.
    if (!patient) return [];
    const [last, waiting] = [true, false].map((isLast) => (checkInsByPatient.get(id) ?? []).filter(({ is_last }) => is_last === isLast));
    return {
      patient,
      programs: programsByPatient.get(id) ?? [],
      conditions: conditionsBy.get(id) ?? [],
      lastCheckIn: last?.map(state)[0] ?? null,
      open: waiting?.[0]?.open ?? 0,
      openCheckIns: waiting?.map(state) ?? [],
    };
  });
}

/** Compares the readings of check-ins with the targets at the time of the answer. */
async function readCheckInStates(tx: Tx, checkIns: CheckInRow[]): Promise<(checkIn: CheckInRow) => CheckInState> {
  const measured = checkIns.flatMap(({ patient_id: patientId, measured_at_ms, readings }) =>
    readings.map((reading) => ({ reading, patientId, itemId: reading.item_id, at: new Date(measured_at_ms) })),
  );
  const targets = await readTargets(tx, measured);
  const compared = new Map(measured.map(({ reading }, index) => [reading, compare(reading, targets[index] ?? null)]));
  return ({ id, sent_at, answered_at, readings: ofCheckIn }) => {
    const readings = ofCheckIn.flatMap((reading) => compared.get(reading) ?? []);
    return { id, sent_at, answered_at, isOutOfTarget: answered_at === null ? null : readings.some((one) => one.isOutOfTarget), readings };
  };
}

function compare({ item_id: id, name, unit, value }: CheckInRow['readings'][number], target: AppliedTarget | null): ComparedReading {
  return { item: { id, name, unit }, value, target, isOutOfTarget: target && judgeSeverity(target, value) !== null };
}
