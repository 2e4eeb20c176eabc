import type { Db } from '../../../database/database.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { Caller } from '../../caller.ts';

/** The patients to whom the pictures and recordings of a guest belonged, and belong now. Null for nobody. */
interface NewOwner {
  /** Participant who is shown, or who took a still. */
  person: number;
  from: number | null;
  to: number | null;
}

/** Gives the pictures and recordings of a guest to a patient; those that were given to somebody else stay there. */
export async function attachMedia(db: Db, caller: Caller, owner: NewOwner): Promise<void> {
  const { organizationId } = caller;
  const { person, from, to } = owner;
  const patients = [from, to].flatMap((id) => id ?? []);
  const images = await db.$queryRaw<{ id: number }[]>`
    UPDATE session_image SET patient_id = ${to}
     WHERE organization_id = ${organizationId} AND patient_id IS NOT DISTINCT FROM ${from}::int
       AND (shown_participant_id = ${person} OR shown_participant_id IS NULL AND maker_participant_id = ${person}) RETURNING id`;
  const videos = await db.$queryRaw<{ id: number }[]>`
    UPDATE session_video SET patient_id = ${to}
     WHERE organization_id = ${organizationId} AND patient_id IS NOT DISTINCT FROM ${from}::int AND shown_participant_id = ${person}
    RETURNING id`;
  for (const [subject, rows] of [['session_image', images] as const, ['session_video', videos] as const])
    for (const { id } of rows) recordChange(caller, 'update', { name: `${subject}.updated`, id, changed: ['patientId'] }, patients);
}
