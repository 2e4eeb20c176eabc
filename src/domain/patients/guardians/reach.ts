import type { Prepared } from '../../../database/statements/statement.ts';
import type { CallerIdentity } from '../../caller.ts';
import { REACH, type Reach } from './reached.sql.ts';

export type { Reach };

/** Finds who is reached for patients: the guardian of one under age, else the patient. Ordered by id. */
export const findReach = (
  { rows }: Prepared,
  { organizationId }: Pick<CallerIdentity, 'organizationId'>,
  patientIds: readonly number[],
): Promise<Reach[]> => rows(REACH, [organizationId, patientIds]);

/** The same for one patient; undefined without such a chart. */
export async function findPatientReach(
  prepared: Prepared,
  caller: Pick<CallerIdentity, 'organizationId'>,
  id: number,
): Promise<Reach | undefined> {
  return (await findReach(prepared, caller, [id]))[0];
}
