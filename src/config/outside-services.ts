import { z } from 'zod';
import { ICE_SERVER, isOrigin, isSocketServer, list, MESSAGING_SERVICE_SID } from './checks.ts';

export const CARRIER = {
  /** Carrier for texts and numbers: the local one, which sends nothing, or Twilio. */
  TRIPTYCH_CARRIER: z.enum(['local', 'twilio'], 'must be local or twilio').optional(),
  TWILIO_ACCOUNT_SID: z
    .string()
    .regex(/^AC[0-9a-f]{32}$/i, 'must be an account SID: AC and 32 hexadecimal digits')
    .optional(),
  TWILIO_AUTH_TOKEN: z.string().min(16, 'must have at least 16 characters').optional(),
  /** The messaging service that numbers join, and by it the campaign by which carriers in the United States know their texts. */
  TWILIO_MESSAGING_SERVICE_SID: z
    .string()
    .regex(MESSAGING_SERVICE_SID, 'must be the SID of a messaging service: MG and 32 hexadecimal digits')
    .optional(),
};

/** Variables by which a test puts itself in the place of a service; they are no settings of an operator. */
export const OF_TESTS = {
  /** Replaces https://api.twilio.com and https://messaging.twilio.com. */
  TWILIO_BASE_URL: z.string().refine(isOrigin, 'must be an origin such as https://api.twilio.com').optional(),
};

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
  LIVEKIT_URL: z.string().refine(isSocketServer, 'must have the form wss://livekit.example.org').optional(),
  LIVEKIT_API_KEY: z.string().optional(),
  LIVEKIT_API_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
};

/** Variables of traces, with the names and forms that OpenTelemetry has given them. */
export const TRACING = {
  /** Collector of traces, which takes OTLP over HTTP at /v1/traces below this address. Without one none are made. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be an address that starts with https:// or http://' }).optional(),
  /** Headers that it asks for, by name. */
  OTEL_EXPORTER_OTLP_HEADERS: list
    .pipe(z.array(z.string().regex(/^[\w-]+=[\x20-\x7e]*$/, 'must be pairs name=value, separated by commas')))
    .transform((pairs) => Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])))
    .default({}),
  OTEL_SERVICE_NAME: z.string().default('triptych'),
  /** Share of the traces that are kept. */
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0+)?)$/, 'must be a number from 0 to 1')
    .transform(Number)
    .default(1),
};
