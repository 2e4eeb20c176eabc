import { invalid } from '../../domain/errors.ts';
import { attachMatchingPatient } from '../../domain/telehealth/media/attach-patient.ts';
import { endSession } from '../../domain/telehealth/presence/presence.ts';
import { setRecording } from '../../domain/telehealth/sessions/recording-consent.ts';
import { parseWaitingKey } from '../../domain/telehealth/sessions/waiting-key.ts';
import { admitGuest, lockRoom, refuseGuest, removeGuest } from '../../domain/telehealth/waiting/admissions.ts';
import { admitVisit, tellNotNow } from '../../domain/telehealth/waiting/waiting-room-visits.ts';
import { readDay } from '../../domain/values/time/time.ts';
import type { ParticipantConnection } from '../connections/participant-connection.ts';
import type { BrowserMessage } from '../protocol.ts';

/** Does what a host asks for, in one transaction. @throws Failure, which the browser receives as a `problem` message */
export async function handleHostMessage(message: BrowserMessage, { member, identity, deps }: ParticipantConnection): Promise<void> {
  const { sessionId } = member;
  await deps.unitOfWork.write(identity, async (tx) => {
    if (message.type === 'recording') return setRecording(tx, member, message.on);
    if (message.type === 'lock') return lockRoom(tx, sessionId, message.on);
    if (message.type === 'remove') return removeGuest(tx, sessionId, message.person);
    if (message.type === 'end') return endSession(tx, sessionId);
    if (message.type !== 'admit' && message.type !== 'refuse') return;
    const { kind, id } = parseWaitingKey(message.guest);
    if (message.type === 'admit') return (kind === 'participant' ? admitGuest : admitVisit)(tx, sessionId, id, message.visit);
    if (kind === 'participant') return refuseGuest(tx, sessionId, id);
    await tellNotNow(tx, sessionId, id);
  });
}

/** A host says which patient a guest is. @throws Failure */
export async function handleAttach(
  { person, last_name: lastName, first_name: firstName, birth_date }: Extract<BrowserMessage, { type: 'attach' }>,
  { member, identity, deps }: ParticipantConnection,
): Promise<void> {
  const birthDate = readDay(birth_date.trim());
  if (birthDate === null) throw invalid('birth_date', 'must be a day such as 1980-02-29');
  await deps.unitOfWork.write(identity, async (tx) => {
    await attachMatchingPatient(tx, member.sessionId, { person, lastName, firstName, birthDate });
  });
}
