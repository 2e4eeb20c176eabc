import { createHmac } from 'node:crypto';
import type { Config } from '../config/config.ts';

/** As RTCPeerConnection takes it. */
export interface IceServer {
  urls: string[];
  username?: string;
  credential?: string;
}

/** Longer than any visit: who connects anew is given new ones. */
const CREDENTIAL_SECONDS = 12 * 3_600;

/**
 * The servers that help browsers to find each other. Those of TURN are told who comes and until when, signed with what they
 * share with us (draft-uberti-behave-turn-rest): they need no accounts.
 */
export function iceServers(
  { ICE_SERVERS, TURN_SECRET }: Pick<Config, 'ICE_SERVERS' | 'TURN_SECRET'>,
  participantId: number,
  now = Date.now(),
): IceServer[] {
  const stun = ICE_SERVERS.filter((url) => url.startsWith('stun'));
  const turn = ICE_SERVERS.filter((url) => url.startsWith('turn'));
  const servers: IceServer[] = stun.length > 0 ? [{ urls: stun }] : [];
  if (turn.length === 0 || TURN_SECRET === undefined) return servers;
  const username = `${Math.floor(now / 1000) + CREDENTIAL_SECONDS}:${participantId}`;
  const credential = createHmac('sha1', TURN_SECRET).update(username).digest('base64');
  return [...servers, { urls: turn, username, credential }];
}
