import type { CallerIdentity } from '../../domain/caller.ts';
import type { ParticipantMember } from '../../domain/telehealth/sessions/room-tokens.ts';
import type { Language } from '../../domain/values/languages.ts';
import type { ConnectionDeps } from '../realtime-deps.ts';
import type { BrowserSocket } from './browser-socket.ts';

/** The connection of one participant of a session to this process. */
export interface ParticipantConnection {
  socket: BrowserSocket;
  member: ParticipantMember;
  identity: CallerIdentity;
  /** Of the page. */
  language: Language;
  deps: ConnectionDeps;
  isAdmitted: boolean;
  /** The person hung up, so it is right that the database has them as gone. */
  isLeaving: boolean;
}
