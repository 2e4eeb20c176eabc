import type { Db } from '../../database/database.ts';
import { preparedIn } from '../../database/statements/statement.ts';
import type { Caller } from '../caller.ts';
import { Failure, missing } from '../errors.ts';
import { recordChartChanges } from '../patients/chart/chart.ts';
import { type Outcome, type ReadRow, toRefusal } from './outcomes.ts';
import { findReferredCharts, type PatientReference, referredChart } from './patient-references.ts';
import { inRounds } from './rounds.ts';

export interface SectionRow<T> extends ReadRow<T> {
  patientId: number;
}

/**
 * Stores rows about sections of charts: of each chart one row in a round, and the charts of a round are locked, as a request locks one.
 * @param section of the chart, as its event names it
 */
export async function storeSections<T extends PatientReference>(
  db: Db,
  caller: Caller,
  rows: readonly ReadRow<T>[],
  section: string,
  store: (rows: readonly SectionRow<T>[]) => Promise<('created' | 'updated' | 'skipped' | Failure)[]>,
): Promise<Outcome[]> {
  const charts = await findReferredCharts(
    preparedIn(db),
    caller,
    rows.map(({ values }) => values),
  );
  const referred = rows.map((row): SectionRow<T> | Outcome => {
    try {
      const chart = referredChart(caller, row.values, charts);
      if (!chart) throw missing('patientId');
      return { ...row, patientId: chart.id };
    } catch (error) {
      return toRefusal(error);
    }
  });
  const found = referred.flatMap((row) => ('outcome' in row ? [] : row));
  const stored = await inRounds(
    found,
    ({ patientId }) => [String(patientId)],
    async (round) => {
      await lockCharts(db, caller, round);
      const outcomes = (await store(round)).map((one) => (one instanceof Failure ? toRefusal(one) : { outcome: one }));
      const changed = round.filter((_, index) => ['created', 'updated'].includes(outcomes[index]?.outcome ?? ''));
      recordChartChanges(
        caller,
        changed.map(({ patientId }) => patientId),
        section,
      );
      return outcomes;
    },
  );
  const outcomes = new Map(found.map((row, index) => [row, stored[index]]));
  return referred.map((row) => {
    const outcome = 'outcome' in row ? row : outcomes.get(row);
    if (!outcome) throw new Error('a row has no outcome');
    return outcome;
  });
}

async function lockCharts(db: Db, { organizationId }: Caller, rows: readonly { patientId: number }[]): Promise<void> {
  const ids = rows.map(({ patientId }) => patientId);
  await db.$queryRaw`SELECT id FROM patient WHERE organization_id = ${organizationId} AND id = ANY (${ids}::int[]) ORDER BY id FOR NO KEY UPDATE`;
}
