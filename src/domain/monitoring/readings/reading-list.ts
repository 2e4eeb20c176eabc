import { recordListed } from '../../audit/journal-entries.ts';
import { findPatient } from '../../patients/chart/find-patient.ts';
import { organizationZone } from '../../practices/organization-zone.ts';
import type { Tx } from '../../tx.ts';
import { readPage } from '../../values/list-page.ts';
import type { Page, PageRequest } from '../../values/paging.ts';
import { readRange, toBounds, type WrittenRange } from '../../values/time/date-range.ts';
import { writeInstant } from '../../values/time/time.ts';
import { type AppliedTarget, judgeSeverity, readTargets, type ValueSeverity } from '../targets.ts';
import type { Device } from './devices.ts';
import { READING, READINGS, type ReadingSort, type ReadingViewRow } from './reading-list.sql.ts';
import { type ErrorMark, errorMark, type ReadingSource, readSource, type StoredReading } from './readings.ts';

/** A reading with the target that was applied to it. Instants are ISO 8601 texts in UTC. */
export interface ReadingView {
  id: number;
  patientId: number;
  item: { id: number; name: string; unit: string | null };
  /** In the unit of the item. */
  value: number;
  measuredAt: string;
  receivedAt: string;
  source: ReadingSource;
  device: Device | null;
  checkInId: number | null;
  recordedByUserId: number | null;
  target: AppliedTarget | null;
  /** `within` its target, or how far it is out of it; `implausible` whatever the target; null without a target. */
  state: 'within' | ValueSeverity | 'implausible' | null;
  enteredInError: ErrorMark | null;
}

export interface ReadingFilter {
  patientId: number;
  /** All items where undefined. */
  itemIds: number[] | undefined;
  source: ReadingSource | undefined;
  /** Of measurement, in the practice's zone. */
  dates: WrittenRange;
}

/** The readings of a patient, each with its target at that time. Audited. @throws Failure not_found, invalid for a wrong range */
export async function listReadings(tx: Tx, filter: ReadingFilter, sort: ReadingSort, page: PageRequest): Promise<Page<ReadingView>> {
  const values = await filterValues(tx, filter);
  const { rows, total, end } = await readPage(tx, READINGS, { values, sort, page });
  const items = await withTargets(tx, rows);
  recordListed(tx, 'reading', items);
  return { ...page, items, total, end };
}

/** One reading, or none; not audited, and of any chart. */
export async function findReading(tx: Tx, id: number): Promise<ReadingView | undefined> {
  const rows = await tx.rows(READING, [id]);
  const [reading] = await withTargets(tx, rows);
  return reading;
}

/** A reading that a write has stored or found. */
export function viewReading(
  { itemId: _itemId, deviceId: _deviceId, measuredAt, receivedAt, implausible, ...reading }: StoredReading,
  { target, ...known }: Pick<ReadingView, 'item' | 'device' | 'target'>,
): ReadingView {
  const instants = { measuredAt: writeInstant(measuredAt), receivedAt: writeInstant(receivedAt) };
  return { ...reading, ...instants, ...known, target, state: toState(reading.value, implausible, target) };
}

function toState(value: number, implausible: boolean, target: AppliedTarget | null): ReadingView['state'] {
  if (implausible) return 'implausible';
  return target && (judgeSeverity(target, value) ?? 'within');
}

/** The values that select a patient's readings, for the statements of reading-list.sql.ts. @throws Failure as listReadings */
export async function filterValues(tx: Tx, { patientId, itemIds, source, dates }: ReadingFilter): Promise<unknown[]> {
  await findPatient(tx, patientId, 'patientId');
  const range = await readRange(dates, () => organizationZone(tx));
  return [patientId, ...toBounds(range), itemIds ?? null, source ?? null];
}

async function withTargets(tx: Tx, rows: readonly ReadingViewRow[]): Promise<ReadingView[]> {
  const targets = await readTargets(
    tx,
    rows.map((row) => ({ patientId: row.patient_id, itemId: row.item_id, at: row.at })),
  );
  return rows.map((row, index) => toView(row, targets[index] ?? null));
}

const toView = (row: ReadingViewRow, target: AppliedTarget | null): ReadingView => ({
  id: row.id,
  patientId: row.patient_id,
  item: { id: row.item_id, name: row.item_name, unit: row.unit },
  value: row.value,
  measuredAt: row.measured_at,
  receivedAt: row.received_at,
  source: readSource(row.source),
  device: toDevice(row),
  checkInId: row.check_in_id,
  recordedByUserId: row.recorded_by_user_id,
  target,
  state: toState(row.value, row.implausible, target),
  enteredInError: errorMark(row),
});

const toDevice = ({ device_id: id, identifier, make, model, serial }: ReadingViewRow): Device | null =>
  id === null || identifier === null ? null : { id, identifier, make, model, serial };
