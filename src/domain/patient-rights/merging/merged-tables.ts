import { type Merge, TABLES } from '../../../generated/tables.ts';

/** A table whose rows go to the other chart when two charts are merged. */
interface MovingTable extends Merge {
  /** Under which a merge stores the rows that moved. */
  name: string;
  table: string;
  /** The column with the chart; `patient_id` unless given. */
  of?: string;
  /** SQL that must hold for the row `t`; `$3` is the chart that goes on. */
  only?: string;
}

/** The patients whose guardian has the chart. One cannot become the guardian of themselves. */
const OF_GUARDIAN: MovingTable = {
  name: 'guardianship_of',
  table: 'guardianship',
  of: 'guardian_patient_id',
  by: 'patient_id',
  only: 't.patient_id <> $3::int',
};

/** The tables whose rows move: the lines `/// merge: …` of prisma/schema, in alphabetical order. */
export const MOVING_TABLES: readonly MovingTable[] = [
  ...TABLES.flatMap(({ name, merge }) => (merge ? [{ name, table: name, ...merge }] : [])).sort((a, b) => (a.name < b.name ? -1 : 1)),
  OF_GUARDIAN,
];
