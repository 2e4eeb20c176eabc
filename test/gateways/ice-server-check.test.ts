import { createHash, createHmac } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkIceServer } from '../../src/gateways/ice-server-check.ts';
import { turnCredentials } from '../../src/gateways/turn-credentials.ts';

const SECRET = 'a-secret-of-the-relay-alone';
const [REALM, NONCE] = ['triptych.test', 'a-nonce-for-once'];
const [USERNAME, INTEGRITY, LIFETIME] = [0x0006, 0x0008, 0x000d];

/** What a TURN server with the shared secret answers; it keeps the types of what it was asked. */
function relay(secret: string, asked: number[] = []) {
  return (request: Buffer): Buffer => {
    const type = request.readUInt16BE(0);
    asked.push(type);
    if (type === 0x0001) return answer(request, 0x0101, []);
    const attributes = attributesOf(request);
    const signed = attributes.get(INTEGRITY);
    if (!signed) return answer(request, type + 0x0110, [error(401, 'Unauthorized'), [0x0014, REALM], [0x0015, NONCE]]);
    const username = attributes.get(USERNAME)?.toString() ?? '';
    const credential = createHmac('sha1', secret).update(username).digest('base64');
    const key = createHash('md5').update(`${username}:${REALM}:${credential}`).digest();
    const good = createHmac('sha1', key)
      .update(request.subarray(0, request.length - 24))
      .digest();
    if (!good.equals(signed)) return answer(request, type + 0x0110, [error(401, 'Unauthorized')]);
    if (type === 0x0004 && attributes.get(LIFETIME)?.readUInt32BE() !== 0) return answer(request, 0x0114, [error(400, 'Bad Request')]);
    return answer(request, type + 0x0100, []);
  };
}

const error = (code: number, words: string): [number, Buffer] => [
  0x0009,
  Buffer.concat([Buffer.from([0, 0, Math.floor(code / 100), code % 100]), Buffer.from(words)]),
];

function answer(request: Buffer, type: number, attributes: [number, string | Buffer][]): Buffer {
  const body = Buffer.concat(
    attributes.map(([attribute, content]) => {
      const value = Buffer.from(content);
      const head = Buffer.alloc(4);
      head.writeUInt16BE(attribute, 0);
      head.writeUInt16BE(value.length, 2);
      return Buffer.concat([head, value, Buffer.alloc((4 - (value.length % 4)) % 4)]);
    }),
  );
  const header = Buffer.from(request.subarray(0, 20));
  header.writeUInt16BE(type, 0);
  header.writeUInt16BE(body.length, 2);
  return Buffer.concat([header, body]);
}

function attributesOf(message: Buffer): Map<number, Buffer> {
  const found = new Map<number, Buffer>();
  for (let at = 20; at < message.length; at += 4 + Math.ceil(message.readUInt16BE(at + 2) / 4) * 4)
    found.set(message.readUInt16BE(at), message.subarray(at + 4, at + 4 + message.readUInt16BE(at + 2)));
  return found;
}

/** @param dropped datagrams that get lost before the first one arrives */
async function overUdp(respond: (request: Buffer) => Buffer, dropped = 0): Promise<number> {
  const socket = createSocket('udp4');
  let lost = 0;
  socket.on('message', (request, { port, address }) => {
    lost += 1;
    if (lost > dropped) socket.send(respond(request), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => void socket.close());
  return socket.address().port;
}

async function overTcp(listener: (server: Server) => void): Promise<number> {
  const server = createServer();
  listener(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const bound = server.address();
  return typeof bound === 'object' && bound ? bound.port : 0;
}

const credentials = turnCredentials(SECRET, 'doctor');

describe('a look at a STUN or TURN server', () => {
  it('gets an answer of a STUN server, also when a datagram is lost', async () => {
    const port = await overUdp(relay(SECRET), 1);
    await expect(checkIceServer(`stun:127.0.0.1:${port}`, null)).resolves.toBeUndefined();
  });

  it('gets a relay with the shared secret, and gives it back', async () => {
    const asked: number[] = [];
    const port = await overUdp(relay(SECRET, asked));
    await checkIceServer(`turn:127.0.0.1:${port}?transport=udp`, credentials);
    expect(asked).toEqual([0x0003, 0x0003, 0x0004]);
  });

  it('gets a relay over TCP, though the answer comes in pieces', async () => {
    const respond = relay(SECRET);
    const port = await overTcp((server) =>
      server.on('connection', (socket) =>
        socket.on('data', (request) => {
          const whole = respond(request);
          socket.write(whole.subarray(0, 7));
          setTimeout(() => socket.write(whole.subarray(7)), 20);
        }),
      ),
    );
    await expect(checkIceServer(`turn:127.0.0.1:${port}?transport=tcp`, credentials)).resolves.toBeUndefined();
  });

  it('says that the secret is another, that nobody answers, and that something else does', async () => {
    const other = await overUdp(relay('another-secret-altogether'));
    await expect(checkIceServer(`turn:127.0.0.1:${other}`, credentials)).rejects.toThrow('TURN_SECRET: 401 Unauthorized');
    await expect(checkIceServer('turn:127.0.0.1:1?transport=tcp', credentials)).rejects.toThrow('ECONNREFUSED');
    const web = await overTcp((server) =>
      server.on('connection', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')),
    );
    await expect(checkIceServer(`turn:127.0.0.1:${web}?transport=tcp`, credentials)).rejects.toThrow(/another protocol|hung up/);
    const open = await overUdp((request) => answer(request, 0x0103, []));
    await expect(checkIceServer(`turn:127.0.0.1:${open}`, credentials)).rejects.toThrow('without credentials');
    const silent = await overUdp(relay(SECRET), 1_000);
    await expect(checkIceServer(`stun:127.0.0.1:${silent}`, null)).rejects.toThrow('no answer within 3 s');
  });
});
