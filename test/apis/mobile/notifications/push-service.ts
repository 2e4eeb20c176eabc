import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';

/** A push that arrived at a push service, as the service and the device see it. */
export interface ArrivedPush {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A push service on this machine, and the devices that are subscribed with it. */
export interface PushService {
  arrived: ArrivedPush[];
  address: string;
  /** Sets the status of responses to a path; 201 unless set. */
  answer(path: string, status: number): void;
  close(): Promise<void>;
}

export async function startPushService(): Promise<PushService> {
  const arrived: ArrivedPush[] = [];
  const answers = new Map<string, number>();
  const server = createServer(async (request, reply) => {
    const path = request.url ?? '';
    arrived.push({ path, headers: request.headers, body: await buffer(request) });
    reply.writeHead(answers.get(path) ?? 201).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address() satisfies AddressInfo | string | null;
  const port = bound !== null && typeof bound === 'object' ? bound.port : 0;
  return {
    arrived,
    address: `http://127.0.0.1:${port}`,
    answer: (path, status) => void answers.set(path, status),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A browser that is subscribed: it alone can read what is pushed to it. */
export interface Device {
  /** As PushSubscription.toJSON() writes it. */
  subscription: { endpoint: string; expirationTime: null; keys: { p256dh: string; auth: string } };
  /** @throws where it was encrypted for somebody else, or altered */
  read(push: ArrivedPush): unknown;
}

export function createDevice(endpoint: string): Device {
  const keys = createECDH('prime256v1');
  const p256dh = keys.generateKeys();
  const auth = randomBytes(16);
  return {
    subscription: { endpoint, expirationTime: null, keys: { p256dh: p256dh.toString('base64url'), auth: auth.toString('base64url') } },
    read: ({ body }) => JSON.parse(decrypt(body, keys, auth).toString('utf8')),
  };
}

const hkdf = (secret: Buffer, salt: Buffer, info: Buffer | string, length: number) =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, length));

/** aes128gcm (RFC 8188) with the keys of web push (RFC 8291), of one record. */
function decrypt(body: Buffer, keys: ECDH, auth: Buffer): Buffer {
  const salt = body.subarray(0, 16);
  const keyLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + keyLength);
  const record = body.subarray(21 + keyLength);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender]);
  const secret = hkdf(keys.computeSecret(sender), auth, info, 32);
  const decipher = createDecipheriv(
    'aes-128-gcm',
    hkdf(secret, salt, 'Content-Encoding: aes128gcm\0', 16),
    hkdf(secret, salt, 'Content-Encoding: nonce\0', 12),
  );
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  // The last record ends with a two, after which there is only padding.
  return padded.subarray(0, padded.lastIndexOf(2));
}

const claims = z.object({ aud: z.string(), exp: z.number(), sub: z.string() });

/** The VAPID claims and public key of the sender (RFC 8292). @throws Error for a signature by another key */
export function verifySender({ headers }: ArrivedPush): z.infer<typeof claims> & { publicKey: string } {
  const [, token = '', publicKey = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers.authorization ?? '') ?? [];
  const [head = '', payload = '', signature = ''] = token.split('.');
  const point = Buffer.from(publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' }, format: 'jwk' });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${payload}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) throw new Error('the sender did not sign this');
  return { ...claims.parse(JSON.parse(Buffer.from(payload, 'base64url').toString())), publicKey };
}
