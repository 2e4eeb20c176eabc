import { Failure, missing } from '../errors.ts';
import { recordChartChanges } from '../patients/chart/chart.ts';
import type { Tx } from '../tx.ts';
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
  tx: Tx,
  rows: readonly ReadRow<T>[],
  section: string,
  store: (rows: readonly SectionRow<T>[]) => Promise<('created' | 'updated' | 'skipped' | Failure)[]>,
): Promise<Outcome[]> {
  const charts = await findReferredCharts(
    tx,
    rows.map(({ values }) => values),
  );
  const referred = rows.map((row): SectionRow<T> | Outcome => {
    try {
      const chart = referredChart(tx, row.values, charts);
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
      await lockCharts(tx, round);
      const outcomes = (await store(round)).map((one) => (one instanceof Failure ? toRefusal(one) : { outcome: one }));
      const changed = round.filter((_, index) => ['created', 'updated'].includes(outcomes[index]?.outcome ?? ''));
      recordChartChanges(
        tx,
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

async function lockCharts(tx: Tx, rows: readonly { patientId: number }[]): Promise<void> {
  const ids = rows.map(({ patientId }) => patientId);
  await tx.prisma
    .$queryRaw`SELECT id FROM patient WHERE organization_id = ${tx.organizationId} AND id = ANY (${ids}::int[]) ORDER BY id FOR NO KEY UPDATE`;
}
