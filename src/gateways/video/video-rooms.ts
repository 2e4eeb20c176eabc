import type { Config } from '../../config/config.ts';

/** Transport of audio and video between the participants of a session. */
export interface VideoRooms {
  mode: 'mesh' | 'livekit';
  /** Origins that the pages connect to besides this server, for the content security policy. */
  origins: string[];
  /** Ticket of one participant for one room; null where the transport needs none. */
  createTicket(guest: RoomParticipant): Promise<RoomTicket | null>;
}

export interface RoomParticipant {
  /** GUID of the session. */
  room: string;
  /** Identity of the participant in the room. */
  id: number;
  name: string;
  role: 'host' | 'guest';
  /** Seconds for which the ticket may be used to join; it does not end a connection. */
  seconds: number;
}

export interface RoomTicket {
  /** wss: or ws: */
  url: string;
  token: string;
}

type Options = Pick<Config, 'TELEHEALTH' | 'LIVEKIT_URL' | 'LIVEKIT_API_KEY' | 'LIVEKIT_API_SECRET'>;

export function createVideoRooms(config: Options): VideoRooms {
  const { TELEHEALTH, LIVEKIT_URL: url, LIVEKIT_API_KEY: key, LIVEKIT_API_SECRET: secret } = config;
  return TELEHEALTH === 'livekit' && url && key && secret ? createLiveKitRooms({ url, key, secret }) : MESH;
}

/** Peer-to-peer between the browsers. */
const MESH: VideoRooms = { mode: 'mesh', origins: [], createTicket: async () => null };

/** Through a LiveKit server, which opens a room on the first join and closes it after the last participant leaves. */
function createLiveKitRooms({ url, key, secret }: { url: string; key: string; secret: string }): VideoRooms {
  const { host, protocol } = new URL(url);
  const ending = protocol === 'wss:' ? 's' : '';
  return {
    mode: 'livekit',
    // The browser falls back to HTTP where the socket does not open.
    origins: [`ws${ending}://${host}`, `http${ending}://${host}`],
    async createTicket({ room, id, name, role, seconds }) {
      const { AccessToken, TrackSource } = await import('livekit-server-sdk');
      const token = new AccessToken(key, secret, { identity: String(id), name, ttl: seconds, attributes: { role } });
      token.addGrant({
        roomJoin: true,
        room,
        roomAdmin: role === 'host',
        canSubscribe: true,
        canPublish: true,
        canPublishSources: [TrackSource.CAMERA, TrackSource.MICROPHONE],
        canPublishData: false,
        canUpdateOwnMetadata: false,
      });
      return { url, token: await token.toJwt() };
    },
  };
}
