import { endGuardianship, findEndedGuardianships } from '../domain/messaging/recipients/ended-guardianships.ts';
import { type WriteEachDeps, writeEach } from './write-each.ts';

/** Guardianships per run. */
const MOST = 500;

/** Ends guardianships of patients who came of age, and of guardians who died or whose chart was deleted. */
export const endGuardianships = (deps: WriteEachDeps): Promise<void> =>
  writeEach(deps, 'guardianships', {
    list: (db) => findEndedGuardianships(db, MOST),
    write: (db, caller, { patientId }) => endGuardianship(db, caller, patientId),
  });
