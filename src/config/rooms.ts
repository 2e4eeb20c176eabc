import { z } from 'zod';
import { ICE_SERVER, isSocketServer, list } from './checks.ts';

/** Variables of video visits. */
export const ROOMS = {
  /** ICE servers of video sessions: stun:, turn: or turns: addresses; empty where the operator said that there are none. */
  ICE_SERVERS: list
    .transform((servers) => (servers.join() === 'none' ? [] : servers))
    .pipe(z.array(z.string().regex(ICE_SERVER, 'must be none, or addresses such as stun:stun.example.org:3478, separated by commas')))
    .optional(),
  /** Secret shared with the TURN servers among them, for time-limited credentials (TURN REST API). */
  TURN_SECRET: z.string().min(16, 'must have at least 16 characters').optional(),
  /** Transport of video: from browser to browser for up to four participants, or through a LiveKit server. */
  TELEHEALTH: z.enum(['mesh', 'livekit'], 'must be mesh or livekit').default('mesh'),
  LIVEKIT_URL: z.string().refine(isSocketServer, 'must be written as wss://livekit.example.org').optional(),
  LIVEKIT_API_KEY: z.string().optional(),
  LIVEKIT_API_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
};
