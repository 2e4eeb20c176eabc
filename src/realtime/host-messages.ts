import { admitGuest, endSession, refuseGuest } from '../domain/telehealth/presence.ts';
import { setRecording } from '../domain/telehealth/sessions.ts';
import { admitVisit } from '../domain/telehealth/waiting-room-visits.ts';
import type { ParticipantConnection } from './participant-connection.ts';
import { type BrowserMessage, parseGuest } from './protocol.ts';

/** Does what a host asks for, in one transaction. @throws Failure, which the browser receives as a `problem` message */
export async function handleHostMessage(message: BrowserMessage, { member, identity, deps }: ParticipantConnection): Promise<void> {
  const { sessionId } = member;
  await deps.unitOfWork.write(identity, async (db, caller) => {
    if (message.type === 'recording') return setRecording(db, caller, sessionId, message.on);
    if (message.type === 'end') return endSession(db, caller, sessionId);
    if (message.type !== 'admit' && message.type !== 'refuse') return;
    const { kind, id } = parseGuest(message.guest);
    if (kind === 'participant') return (message.type === 'admit' ? admitGuest : refuseGuest)(db, caller, sessionId, id);
    // Refusing a patient of a waiting room changes nothing: they go on waiting.
    if (message.type === 'admit') return admitVisit(db, caller, sessionId, id);
  });
}
