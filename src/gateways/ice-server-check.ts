import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import {
  ATTRIBUTE,
  type Attribute,
  lengthOf,
  REQUEST,
  readAnswer,
  refusalOf,
  type StunAnswer,
  SUCCESS,
  writeRequest,
} from './stun-messages.ts';
import type { TurnCredentials } from './turn-credentials.ts';

/** Milliseconds for an answer. */
const TIMEOUT_MS = 3_000;
/** Milliseconds after which a datagram that may be lost is sent again. */
const RESEND_MS = 500;
const PORTS = { stun: 3478, turn: 3478, stuns: 5349, turns: 5349 } as const;
/** The number of UDP among the protocols, as the first of four bytes. */
const OVER_UDP = Buffer.from([17, 0, 0, 0]);
const AT_ONCE = Buffer.alloc(4);

/**
 * Asks a STUN server for an answer, and a TURN server for a relay, which is given back at once.
 * @param url as ICE_SERVERS names it
 * @param credentials which a TURN server wants
 * @throws Error with a few words, where there is no answer, or a refusal
 */
export async function checkIceServer(url: string, credentials: TurnCredentials | null): Promise<void> {
  const channel = await openChannel(url);
  try {
    if (url.startsWith('stun')) await channel.ask(writeRequest(REQUEST.binding, []));
    else await askForRelay(channel, credentials);
  } finally {
    channel.close();
  }
}

async function askForRelay(channel: Channel, credentials: TurnCredentials | null): Promise<void> {
  const transport: Attribute = [ATTRIBUTE.requestedTransport, OVER_UDP];
  const first = await channel.ask(writeRequest(REQUEST.allocate, [transport]));
  if (first.type === REQUEST.allocate + SUCCESS) throw new Error('it relays for anybody, without credentials');
  const [realm, nonce] = [first.attributes.get(ATTRIBUTE.realm), first.attributes.get(ATTRIBUTE.nonce)];
  if (!credentials || !realm || !nonce) throw new Error(`it refuses: ${refusalOf(first)}`);
  // The long-term credentials of RFC 8489, 9.2.
  const key = createHash('md5').update(`${credentials.username}:${realm}:${credentials.credential}`).digest();
  const identity: Attribute[] = [
    [ATTRIBUTE.username, Buffer.from(credentials.username)],
    [ATTRIBUTE.realm, realm],
    [ATTRIBUTE.nonce, nonce],
  ];
  const second = await channel.ask(writeRequest(REQUEST.allocate, [transport, ...identity], key));
  if (second.type !== REQUEST.allocate + SUCCESS) throw new Error(`it refuses the credentials of TURN_SECRET: ${refusalOf(second)}`);
  await channel.ask(writeRequest(REQUEST.refresh, [[ATTRIBUTE.lifetime, AT_ONCE], ...identity], key));
}

/** A way to a server. */
interface Channel {
  /** @throws Error without an answer within TIMEOUT_MS */
  ask(request: Buffer): Promise<StunAnswer>;
  close(): void;
}

async function openChannel(url: string): Promise<Channel> {
  const { scheme, host, port, overTcp } = readUrl(url);
  if (scheme === 'stun' || (scheme === 'turn' && !overTcp)) return openDatagrams(host, port);
  const isSecure = scheme === 'stuns' || scheme === 'turns';
  const socket = isSecure ? connectTls({ host, port, servername: host }) : connect({ host, port });
  await once(socket, isSecure ? 'secureConnect' : 'connect', { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  return streamChannel(socket);
}

/** The parts of `turn:host:port?transport=tcp` (RFC 7064 and 7065); an IPv6 address is in brackets. */
function readUrl(url: string): { scheme: keyof typeof PORTS; host: string; port: number; overTcp: boolean } {
  const { scheme, bracketed, name, port, query } =
    /^(?<scheme>stuns?|turns?):(?:\[(?<bracketed>[^\]]+)\]|(?<name>[^:?]+))(?::(?<port>\d+))?(?:\?(?<query>.*))?$/.exec(url)?.groups ?? {};
  if (scheme !== 'stun' && scheme !== 'stuns' && scheme !== 'turn' && scheme !== 'turns') throw new Error('it is no address of a server');
  return { scheme, host: bracketed ?? name ?? '', port: Number(port ?? PORTS[scheme]), overTcp: query === 'transport=tcp' };
}

async function openDatagrams(host: string, port: number): Promise<Channel> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  return {
    ask: (request) =>
      answered((resolve, reject) => {
        const send = () => socket.send(request, port, host, (error) => error && reject(error));
        const read = (bytes: Buffer) => {
          const answer = readAnswer(bytes, request);
          if (answer) resolve(answer);
        };
        const sending = setInterval(send, RESEND_MS);
        socket.on('message', read).once('error', reject);
        send();
        return () => {
          clearInterval(sending);
          socket.off('message', read).off('error', reject);
        };
      }),
    close: () => socket.close(),
  };
}

function streamChannel(socket: Socket): Channel {
  return {
    ask: (request) =>
      answered((resolve, reject) => {
        let arrived = Buffer.alloc(0);
        const read = (chunk: Buffer) => {
          arrived = Buffer.concat([arrived, chunk]);
          const length = lengthOf(arrived);
          if (length === null || arrived.length < length) return;
          const answer = readAnswer(arrived, request);
          if (answer) resolve(answer);
          else reject(new Error('it speaks another protocol'));
        };
        const ended = () => reject(new Error('it hung up'));
        socket.on('data', read).once('error', reject).once('close', ended);
        socket.write(request);
        return () => socket.off('data', read).off('error', reject).off('close', ended);
      }),
    close: () => socket.destroy(),
  };
}

/** @param begin asks, and returns what ends it */
async function answered(begin: (resolve: (answer: StunAnswer) => void, reject: (error: Error) => void) => () => void): Promise<StunAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<StunAnswer>();
  const late = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)), TIMEOUT_MS);
  const end = begin(resolve, reject);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    end();
  }
}
