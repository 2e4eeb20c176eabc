import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { z } from 'zod';

const USER_PRESENT_AND_VERIFIED = 0x05;
const HAS_CREDENTIAL = 0x40;

const creation = z.object({ challenge: z.string(), rp: z.object({ id: z.string() }), user: z.object({ id: z.string() }) });
const request = z.object({ challenge: z.string(), rpId: z.string() });

/** A passkey in software, for tests through HTTP: it makes registrations without attestation, and signatures with ES256. @param address of the server */
export function createAuthenticator(address: string, { counts = true }: { counts?: boolean } = {}) {
  // The server on its own machine has a name for passkeys, which are bound to no number.
  const { origin } = new URL(address.replace('127.0.0.1', 'localhost'));
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  let counter = 0;
  let userHandle: string | undefined;

  const clientData = (type: 'webauthn.create' | 'webauthn.get', challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

  function authenticatorData(site: string, flags: number, rest: Buffer[] = []): Buffer {
    counter += counts ? 1 : 0;
    const head = Buffer.alloc(5);
    head.writeUInt8(flags);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([createHash('sha256').update(site).digest(), head, ...rest]);
  }

  return {
    /** As `navigator.credentials.create`. */
    create(options: unknown) {
      const { challenge, rp, user } = creation.parse(options);
      userHandle = user.id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const credential = [Buffer.alloc(16), length, credentialId, coseKey(publicKey.export({ format: 'jwk' }))];
      const data = authenticatorData(rp.id, USER_PRESENT_AND_VERIFIED | HAS_CREDENTIAL, credential);
      const attestation = cborMap([
        [cborText('fmt'), cborText('none')],
        [cborText('attStmt'), cborMap([])],
        [cborText('authData'), cborBytes(data)],
      ]);
      return {
        ...this.named(),
        response: {
          clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    /** As `navigator.credentials.get`. */
    get(options: unknown, flags = USER_PRESENT_AND_VERIFIED) {
      const { challenge, rpId } = request.parse(options);
      const data = authenticatorData(rpId, flags);
      const client = clientData('webauthn.get', challenge);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return {
        ...this.named(),
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: createSign('sha256').update(signed).sign(privateKey).toString('base64url'),
          ...(userHandle === undefined ? {} : { userHandle }),
        },
      };
    },
    /** Sets its count of uses back, as a copy of it would have it. */
    countFrom(value: number) {
      counter = value;
    },
    named: () => ({ id: credentialId.toString('base64url'), rawId: credentialId.toString('base64url'), type: 'public-key' }),
  };
}

/** A public key of P-256 as COSE writes it. */
function coseKey({ x = '', y = '' }: { x?: string; y?: string }): Buffer {
  return cborMap([
    [Buffer.from([0x01]), Buffer.from([0x02])], // kty: EC2
    [Buffer.from([0x03]), Buffer.from([0x26])], // alg: ES256
    [Buffer.from([0x20]), Buffer.from([0x01])], // crv: P-256
    [Buffer.from([0x21]), cborBytes(Buffer.from(x, 'base64url'))],
    [Buffer.from([0x22]), cborBytes(Buffer.from(y, 'base64url'))],
  ]);
}

/** The head of a CBOR item: its type and its length, up to 65,535. */
function cborHead(type: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(type << 5) | length]);
  if (length < 256) return Buffer.from([(type << 5) | 24, length]);
  return Buffer.from([(type << 5) | 25, length >> 8, length & 0xff]);
}

const cborBytes = (value: Buffer): Buffer => Buffer.concat([cborHead(2, value.length), value]);
const cborText = (value: string): Buffer => Buffer.concat([cborHead(3, value.length), Buffer.from(value)]);
const cborMap = (entries: [Buffer, Buffer][]): Buffer => Buffer.concat([cborHead(5, entries.length), ...entries.flat()]);
