import { invalid } from '../../domain/errors.ts';
import { attachMatchingPatient } from '../../domain/telehealth/media/attach-patient.ts';
import { readDay } from '../../domain/values/time.ts';
import type { ParticipantConnection } from '../connections/participant-connection.ts';
import type { BrowserMessage } from '../protocol.ts';

/** A host says which patient a guest is. @throws Failure */
export async function handleAttach(
  { person, last_name: lastName, first_name: firstName, birth_date }: Extract<BrowserMessage, { type: 'attach' }>,
  { member, identity, deps }: ParticipantConnection,
): Promise<void> {
  const birthDate = readDay(birth_date.trim());
  if (birthDate === null) throw invalid('birth_date', 'must be a day such as 1980-02-29');
  await deps.unitOfWork.write(identity, async (db, caller) => {
    await attachMatchingPatient(db, caller, member.sessionId, { person, lastName, firstName, birthDate });
  });
}
