import { AccessToken, TrackSource } from 'livekit-server-sdk';
import type { Config } from '../config/config.ts';

/** How the pictures and sounds of a video session go from one person to the others. */
export interface VideoRooms {
  mode: 'mesh' | 'livekit';
  /** What pages connect to for it, beside this server: origins, as a content security policy names them. */
  origins: string[];
  /** What lets one person into one room; null where nothing but the other people is needed. */
  createTicket(guest: RoomParticipant): Promise<RoomTicket | null>;
}

export interface RoomParticipant {
  /** The GUID of the session. */
  room: string;
  /** By which the person is known in the room. */
  id: number;
  name: string;
  role: 'host' | 'guest';
  /** How long the ticket may be used to come in; who is in stays. */
  seconds: number;
}

export interface RoomTicket {
  /** wss: or ws: */
  url: string;
  token: string;
}

type Options = Pick<Config, 'TELEHEALTH' | 'LIVEKIT_URL' | 'LIVEKIT_API_KEY' | 'LIVEKIT_API_SECRET'>;

/** The one that the configuration names. */
export function createVideoRooms(config: Options): VideoRooms {
  const { TELEHEALTH, LIVEKIT_URL: url, LIVEKIT_API_KEY: key, LIVEKIT_API_SECRET: secret } = config;
  return TELEHEALTH === 'livekit' && url && key && secret ? createLiveKitRooms({ url, key, secret }) : MESH;
}

/** From browser to browser. */
const MESH: VideoRooms = { mode: 'mesh', origins: [], createTicket: async () => null };

/** Through a LiveKit server, which opens a room when the first comes and closes it after the last. */
function createLiveKitRooms({ url, key, secret }: { url: string; key: string; secret: string }): VideoRooms {
  const { host, protocol } = new URL(url);
  const ending = protocol === 'wss:' ? 's' : '';
  return {
    mode: 'livekit',
    // The browser asks it by HTTP too, where the socket does not open.
    origins: [`ws${ending}://${host}`, `http${ending}://${host}`],
    async createTicket({ room, id, name, role, seconds }) {
      const token = new AccessToken(key, secret, { identity: String(id), name, ttl: seconds, attributes: { role } });
      token.addGrant({
        ...{ roomJoin: true, room, roomAdmin: role === 'host' },
        ...{ canSubscribe: true, canPublish: true, canPublishSources: [TrackSource.CAMERA, TrackSource.MICROPHONE] },
        ...{ canPublishData: false, canUpdateOwnMetadata: false },
      });
      return { url, token: await token.toJwt() };
    },
  };
}
