import type { Db } from '../../../database/database.ts';
import { overAllPractices } from '../../../database/statements/all-practices.ts';
import type { NewEvent } from '../../journal.ts';
import { NAMES_OF_GUARDIAN } from '../../patients/guardians/guardians.sql.ts';
import { removeGuardian, renewEnds } from '../../patients/guardians/guardians.ts';
import { type Tx, withoutOpened } from '../../tx.ts';
import { foldWords } from '../../values/same-text.ts';
import { findMainGroup, openInboxItem } from './inbox.ts';

export interface EndedGuardianship {
  organizationId: number;
  patientId: number;
}

/** Guardianships of all practices that have ended: the patient came of age, or the guardian died or has a chart that was deleted. */
export function findEndedGuardianships(db: Db, most: number): Promise<EndedGuardianship[]> {
  return db.$queryRaw<EndedGuardianship[]>`
    SELECT s.organization_id AS "organizationId", s.patient_id AS "patientId"
      FROM guardianship s
      JOIN organization o ON o.id = s.organization_id AND o.active
      JOIN patient p ON p.organization_id = s.organization_id AND p.id = s.patient_id AND p.status <> 'deleted'
      LEFT JOIN patient g ON g.organization_id = s.organization_id AND g.id = s.guardian_patient_id
     WHERE s.ends_at <= now() OR g.status = 'deleted' OR g.deceased_date IS NOT NULL
     ORDER BY s.organization_id, s.patient_id LIMIT ${most} ${overAllPractices('the job looks for what is due')}`;
}

/** Takes the guardian of a patient away, and shows staff that messages go to the patient from now on. */
export async function endGuardianship(tx: Tx, patientId: number): Promise<void> {
  if (!(await removeGuardian(tx, patientId))) return;
  const chatId = await findMainGroup(tx);
  await openInboxItem(tx, {
    kind: 'guardian_ended',
    subject: { type: 'patient', id: patientId },
    contactId: null,
    patientId,
    chatId,
  });
}

/** Another birth date is another end. */
export async function renewEndOfGuardianship(tx: Tx, { id }: NewEvent): Promise<void> {
  await renewEnds(tx, id);
}

/** Another age or zone of the practice is another end too. */
export async function renewAllEndsOfGuardianships(tx: Tx): Promise<void> {
  await renewEnds(tx, null);
}

/** Names of somebody else are another guardian, whose number nobody has given. */
export async function endOtherGuardian(tx: Tx, { id }: NewEvent): Promise<void> {
  const [names] = await withoutOpened(tx).rows(NAMES_OF_GUARDIAN, [id]);
  const write = (first: string | null, last: string | null) => foldWords([first, last].join(' '));
  // A guardian without a name of their own may have any.
  const own = names ? write(names.ownFirstName, names.ownLastName) : '';
  if (names && own !== '' && write(names.firstName, names.lastName) !== own) await endGuardianship(tx, id);
}
