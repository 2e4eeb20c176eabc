import { createHmac } from 'node:crypto';
import type { Config } from '../config/config.ts';

/** An entry of `iceServers` of RTCPeerConnection. */
export interface IceServer {
  urls: string[];
  username?: string;
  credential?: string;
}

/** Longer than any visit. Each join issues new credentials. */
const CREDENTIAL_SECONDS = 12 * 3_600;

/**
 * The STUN and TURN servers of the configuration. The credentials for TURN are the participant and an end, signed with the
 * secret that the TURN server shares (draft-uberti-behave-turn-rest), so the TURN server needs no accounts.
 * @param now milliseconds since 1970
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
