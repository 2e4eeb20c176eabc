import type { CallerIdentity } from '../../domain/caller.ts';
import type { WaitingKey } from '../../domain/telehealth/sessions/waiting-key.ts';
import { findLateNotice } from '../../domain/telehealth/waiting/late-notices.ts';
import type { ConnectionDeps } from '../realtime-deps.ts';
import type { BrowserSocket } from './browser-socket.ts';

/** Tells somebody who waits, and whose page was loaded again, what they were told in this wait. @param since when the wait began */
export async function sendLateMessage(
  socket: BrowserSocket,
  { unitOfWork }: Pick<ConnectionDeps, 'unitOfWork'>,
  identity: CallerIdentity,
  { since, ...waiting }: WaitingKey & { since: Date | null },
): Promise<void> {
  if (since === null) return;
  const notice = await unitOfWork.read(identity, (tx) => findLateNotice(tx, waiting, since));
  if (notice) socket.send({ type: 'late', minutes: notice.minutes });
}
