import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';
import type { Db } from '../../database/database.ts';
import type { Keyring } from '../../database/keyring.ts';
import { preparedIn } from '../../database/statement.ts';
import { readHead, reasonOf } from './chain-heads.ts';
import type { ChainHead } from './chain-links.ts';
import { readExplanations } from './explanations.ts';

const PURPOSE = 'audit-anchor-key';
/** PKCS #8 of an Ed25519 key, up to its 32 bytes. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

const line = z.object({ payload: z.string(), protected: z.string(), signature: z.string() });
const header = z.object({
  alg: z.literal('EdDSA'),
  kid: z.string(),
  jwk: z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string() }),
});
const content = z.object({
  at: z.iso.datetime(),
  heads: z.array(z.object({ organization: z.int(), position: z.int(), hash: z.string(), events: z.int() })),
});

/** An anchor as it is written, and the practices whose head does not hold. */
export interface SignedAnchor {
  line: string;
  /** Heads in it. */
  chains: number;
  refused: { organizationId: number; reason: string }[];
}

/** An anchor that was checked: the heads of all chains at an instant. */
export interface Anchor {
  at: Date;
  heads: (ChainHead & { organizationId: number })[];
}

/**
 * Signs the heads of all chains for a place outside of the database: one line of JSON, a JWS in its flattened form (RFC 7515), so
 * that others can check it with the public key in its header. The key follows from the current master key and is stored nowhere.
 * A head that does not hold is left out and told: such a state is not anchored, and that of other practices is all the same.
 */
export async function signAnchor(db: Db, keyring: Keyring, now = new Date()): Promise<SignedAnchor> {
  const prepared = preparedIn(db);
  const heads: z.output<typeof content>['heads'] = [];
  const refused: SignedAnchor['refused'] = [];
  for (const { id } of await db.organization.findMany({ select: { id: true }, orderBy: { id: 'asc' } })) {
    const head = await readHead(prepared, keyring, id).catch((error: unknown) => {
      refused.push({ organizationId: id, reason: reasonOf(error) });
      return null;
    });
    if (!head) continue;
    const { position, hash, events } = head;
    heads.push({ organization: id, position: Number(position), hash: hash.toString('base64url'), events: Number(events) });
  }
  const key = anchorKey(keyring, keyring.currentId);
  const jwk = createPublicKey(key).export({ format: 'jwk' });
  const encoded = [
    { alg: 'EdDSA', kid: keyring.currentId, typ: 'audit-anchor', jwk },
    { at: now.toISOString(), heads },
  ].map(inBase64);
  const signature = sign(null, Buffer.from(encoded.join('.')), key).toString('base64url');
  return { line: JSON.stringify({ protected: encoded[0], payload: encoded[1], signature }), chains: heads.length, refused };
}

/** The lines of a place with anchors. Numbers count from 1. */
interface ReadAnchors {
  /** Those that hold. */
  anchors: Anchor[];
  /** Those that hold under the key in their own header, which is none of ours. */
  foreign: (Anchor & { number: number })[];
  /** The numbers of those that were altered. */
  altered: number[];
}

/** Checks the signatures of anchors. @param lines as signAnchor made them, in their order */
export function readAnchors(keyring: Keyring, lines: readonly string[]): ReadAnchors {
  const found: ReadAnchors = { anchors: [], foreign: [], altered: [] };
  for (const [index, text] of lines.entries()) {
    const read = readAnchor(keyring, text);
    if (read === null) found.altered.push(index + 1);
    else if (read.isOurs) found.anchors.push(read.anchor);
    else found.foreign.push({ ...read.anchor, number: index + 1 });
  }
  return found;
}

/**
 * Whether an anchor of a foreign key agrees with the chains as they stand, and says something of an explained stretch: it was signed
 * by the server that sealed that stretch. It proves nothing of the rest.
 */
export async function areExplained(db: Db, keyring: Keyring, heads: Anchor['heads']): Promise<boolean> {
  let isOfStretch = false;
  for (const { organizationId, position, hash } of heads) {
    const link = await db.auditLink.findUnique({
      where: { organizationId_position: { organizationId, position } },
      select: { hash: true },
    });
    if (!link || Buffer.from(link.hash).toString('base64url') !== hash) return false;
    const { holding } = await readExplanations(db, keyring, organizationId);
    isOfStretch ||= holding.some(({ first, last }) => first <= position && position <= last);
  }
  return isOfStretch;
}

function readAnchor(keyring: Keyring, text: string): { anchor: Anchor; isOurs: boolean } | null {
  try {
    const jws = line.parse(JSON.parse(text));
    const { kid, jwk } = header.parse(fromBase64(jws.protected));
    const signed = Buffer.from(`${jws.protected}.${jws.payload}`);
    const holdsUnder = (key: KeyObject) => verify(null, signed, key, Buffer.from(jws.signature, 'base64url'));
    const isOurs = keyring.ids.includes(kid) && holdsUnder(createPublicKey(anchorKey(keyring, kid)));
    if (!isOurs && !holdsUnder(createPublicKey({ key: jwk, format: 'jwk' }))) return null;
    const { at, heads } = content.parse(fromBase64(jws.payload));
    const kept = heads.map(({ organization, position, hash }) => ({ organizationId: organization, position: BigInt(position), hash }));
    return { anchor: { at: new Date(at), heads: kept }, isOurs };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError || isKeyError(error)) return null;
    throw error;
  }
}

/** Of a public key in a header that is none. */
const isKeyError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ERR_CRYPTO_INVALID_JWK' || error.code === 'ERR_INVALID_ARG_VALUE');

const anchorKey = (keyring: Keyring, keyId: string): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, keyring.mac(PURPOSE, 'ed25519', keyId)]), format: 'der', type: 'pkcs8' });

const inBase64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const fromBase64 = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());
