import type { PracticeTx } from '../../tx.ts';
import { REACH, type Reach } from './reached.sql.ts';

export type { Reach };

/** Finds who is reached for patients: the guardian of one under age, else the patient. Ordered by id. */
export const findReach = (tx: PracticeTx, patientIds: readonly number[]): Promise<Reach[]> => tx.rows(REACH, [patientIds]);

/** The same for one patient; undefined without such a chart. */
export async function findPatientReach(tx: PracticeTx, id: number): Promise<Reach | undefined> {
  return (await findReach(tx, [id]))[0];
}
