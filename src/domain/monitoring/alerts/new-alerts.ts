import { RESTRICTED_AMONG } from '../../patients/restrictions/restricted-charts.sql.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import type { AppliedTarget } from '../targets.ts';
import { LOCK_ALERTS, type RaisedRow, SEVERITIES, type Severity, STORE_ALERTS } from './new-alerts.sql.ts';

export type AlertKind = 'out_of_target' | 'danger_value' | 'missed_check_in' | 'urgent_symptom';

/** Something that the care team of a patient is notified of. */
interface AlertSubject {
  patientId: number;
  /** When it was measured or answered, or should have been. */
  occurredAt: Date;
}

export type NewAlert = AlertSubject &
  (
    | {
        kind: 'out_of_target' | 'danger_value';
        readingId: number;
        checkInId: number | null;
        itemId: number;
        value: number;
        /** As it was applied. */
        target: AppliedTarget;
      }
    | { kind: 'urgent_symptom'; checkInId: number; questionKey: string; question: string; answer: string }
    | { kind: 'missed_check_in'; checkInId: number }
  );

export interface RaisedAlert extends Omit<RaisedRow, 'gravity'> {
  /** The chart is restricted or blocked. */
  restricted: boolean;
}

const SEVERITY_OF: Record<AlertKind, Severity> = {
  out_of_target: 'watch',
  missed_check_in: 'watch',
  urgent_symptom: 'urgent',
  danger_value: 'danger',
};

/** The row of an alert, by the names of its columns. */
function toRow(alert: NewAlert) {
  const severity = SEVERITY_OF[alert.kind];
  const { kind, patientId: patient_id, occurredAt: occurred_at } = alert;
  const row = { kind, patient_id, occurred_at, severity, gravity: SEVERITIES.indexOf(severity) + 1, check_in_id: alert.checkInId };
  if (alert.kind === 'missed_check_in') return row;
  if (alert.kind === 'urgent_symptom') {
    const { questionKey: question_key, question, answer } = alert;
    return { ...row, question_key, question, answer };
  }
  const { readingId: reading_id, itemId: item_id, value, target } = alert;
  const { min: min_target, max: max_target, dangerMin: danger_min, dangerMax: danger_max, source: target_source } = target;
  const limits = { min_target, max_target, danger_min, danger_max, target_source, target_condition_ids: target.conditionIds };
  return { ...row, reading_id, item_id, value, ...limits };
}

/**
 * Stores alerts, each once: of a reading, of an answer and of a missed check-in there is one.
 * @returns those that were not there before, the gravest first
 */
export async function storeAlerts(tx: PracticeTx, alerts: readonly NewAlert[]): Promise<RaisedAlert[]> {
  const patientIds = alerts.map(({ patientId }) => patientId);
  const [raised, restricted] = await Promise.all([
    tx.rows(STORE_ALERTS, [JSON.stringify(alerts.map(toRow))]),
    tx.rows(RESTRICTED_AMONG, [patientIds]),
  ]);
  const hidden = new Set(restricted.map(({ id }) => id));
  return raised
    .toSorted((one, other) => other.gravity - one.gravity || one.id - other.id)
    .map(({ gravity: _gravity, ...alert }) => ({ ...alert, restricted: hidden.has(alert.patientId) }));
}

/** Alerts of one patient, and texts about them, wait for each other until the transaction ends. */
export async function lockPatientAlerts(tx: Tx, patientIds: readonly number[]): Promise<void> {
  await tx.rows(LOCK_ALERTS, [patientIds]);
}
