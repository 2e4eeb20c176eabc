import type { Config } from '../config/config.ts';
import { turnCredentials } from '../gateways/video/turn-credentials.ts';

/** An entry of `iceServers` of RTCPeerConnection. */
export interface IceServer {
  urls: string[];
  username?: string;
  credential?: string;
}

/** The STUN and TURN servers of the configuration, for one participant. @param now milliseconds since 1970 */
export function iceServers(
  { ICE_SERVERS = [], TURN_SECRET }: Pick<Config, 'ICE_SERVERS' | 'TURN_SECRET'>,
  participantId: number,
  now = Date.now(),
): IceServer[] {
  const stun = ICE_SERVERS.filter((url) => url.startsWith('stun'));
  const turn = ICE_SERVERS.filter((url) => url.startsWith('turn'));
  const servers: IceServer[] = stun.length > 0 ? [{ urls: stun }] : [];
  if (turn.length === 0 || TURN_SECRET === undefined) return servers;
  return [...servers, { urls: turn, ...turnCredentials(TURN_SECRET, String(participantId), now) }];
}
