import { z } from 'zod';
import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { conflict, invalid } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { raiseSignInEpoch } from '../sessions/sign-in-epoch.ts';
import {
  CHALLENGE_SECONDS,
  type Challenge,
  issueOwnChallenge,
  readOwnChallenge,
  redeemChallenge,
  requireOwn,
  toPasskeyChallenge,
} from './challenges.ts';
import type { RelyingParty } from './relying-party.ts';
import { type FactorOwner, recordFactorChange, requireOwner, toSecondFactor } from './second-factors.ts';

const bytes = (longest: number) =>
  z
    .string()
    .regex(/^[A-Za-z0-9_-]+$/)
    .max(longest);

const credential = {
  id: bytes(1_400).describe('Id of the credential'),
  rawId: bytes(1_400).describe('Same as id'),
  type: z.literal('public-key'),
};

/** A new passkey as a browser writes it: RegistrationResponseJSON of WebAuthn. */
export const NewPasskey = z.object({
  ...credential,
  response: z
    .object({
      clientDataJSON: bytes(4_000).describe('The data that the browser signed'),
      attestationObject: bytes(20_000).describe('Attestation with the new public key'),
      transports: z.array(z.string().max(20)).max(10).optional().describe('Transports of the authenticator'),
    })
    .describe('Response of the authenticator'),
});

/** The signature of a passkey as a browser writes it: AuthenticationResponseJSON of WebAuthn. */
export const ShownPasskey = z.object({
  ...credential,
  response: z
    .object({
      clientDataJSON: bytes(4_000).describe('The data that the browser signed'),
      authenticatorData: bytes(4_000).describe('Data of the authenticator about itself'),
      signature: bytes(4_000).describe('Signature over both data'),
      userHandle: bytes(100).nullish().describe('User named by the passkey'),
    })
    .describe('Response of the authenticator'),
});
export type ShownPasskey = z.output<typeof ShownPasskey>;

/** The user's number for passkeys: practice and user, eight bytes. It names nobody outside of this server. */
function toUserHandle({ organizationId, userId }: FactorOwner): Uint8Array<ArrayBuffer> {
  const handle = new DataView(new ArrayBuffer(8));
  handle.setInt32(0, organizationId);
  handle.setInt32(4, userId);
  return new Uint8Array(handle.buffer);
}

/** The user whom a passkey names; null for a handle that is not of this server. */
export function ownerOfPasskey({ response: { userHandle } }: ShownPasskey): FactorOwner | null {
  const handle = Buffer.from(userHandle ?? '', 'base64url');
  if (handle.length !== 8) return null;
  const owner = { organizationId: handle.readInt32BE(0), userId: handle.readInt32BE(4) };
  return owner.organizationId > 0 && owner.userId > 0 ? owner : null;
}

/** The options with which a browser makes a passkey, and the challenge to send back with it. */
export async function passkeyRegistration(
  db: Db,
  keyring: Keyring,
  { owner, site, account }: { owner: FactorOwner; site: RelyingParty; account: { name: string; displayName: string } },
) {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const challenge = await issueOwnChallenge(db, keyring, 'passkey-registration', owner);
  const { id } = readOwnChallenge(keyring, 'passkey-registration', { token: challenge, content: z.object({}) });
  const own = await db.secondFactor.findMany({ where: { ...owner, kind: 'passkey' }, select: { credentialId: true, transports: true } });
  const options = await generateRegistrationOptions({
    rpName: 'Triptych',
    rpID: site.id,
    userName: account.name,
    userDisplayName: account.displayName,
    userID: toUserHandle(owner),
    challenge: new Uint8Array(Buffer.from(toPasskeyChallenge({ id }), 'base64url')),
    timeout: CHALLENGE_SECONDS * 1000,
    attestationType: 'none',
    excludeCredentials: own.map(({ credentialId, transports }) => ({ id: toBase64Url(credentialId), transports })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  });
  return { challenge, options };
}

const toBase64Url = (value: Uint8Array | null): string => Buffer.from(value ?? []).toString('base64url');

interface Registration {
  site: RelyingParty;
  challenge: string;
  name: string;
  passkey: z.output<typeof NewPasskey>;
}

/**
 * Stores the passkey that a browser made.
 * @throws Failure unauthenticated for a challenge that is not the caller's or was used; invalid for a passkey that is not of this
 *   site or without user verification; conflict for one that is known
 */
export async function addPasskey(tx: Tx, keyring: Keyring, { site, challenge, name, passkey }: Registration) {
  const owner = requireOwner(tx);
  const issued = readOwnChallenge(keyring, 'passkey-registration', { token: challenge, content: z.object({}) });
  requireOwn(issued, owner);
  await redeemChallenge(tx.prisma, issued);
  const made = await verifyNewPasskey(issued, site, passkey);
  await raiseSignInEpoch(tx.prisma, owner);
  const credentialId = new Uint8Array(Buffer.from(made.id, 'base64url'));
  const known = await tx.prisma.secondFactor.findUnique({
    where: { organizationId_credentialId: { organizationId: owner.organizationId, credentialId } },
  });
  if (known) throw conflict('passkey_known', 'This passkey is already registered.');
  const row = await tx.prisma.secondFactor.create({
    data: {
      ...owner,
      kind: 'passkey',
      name,
      credentialId,
      publicKey: new Uint8Array(made.publicKey),
      counter: made.counter,
      transports: made.transports ?? [],
    },
  });
  recordFactorChange(tx, owner, 'passkey added');
  return toSecondFactor(row);
}

async function verifyNewPasskey(issued: Challenge, site: RelyingParty, { response, ...passkey }: Registration['passkey']) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { transports, ...made } = response;
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: { ...passkey, response: { ...made, ...(transports ? { transports } : {}) }, clientExtensionResults: {} },
    expectedChallenge: toPasskeyChallenge(issued),
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: true,
  }).catch(() => ({ verified: false, registrationInfo: undefined }));
  if (!verified || !registrationInfo) throw invalid('passkey', 'is not a passkey that was just created for this site');
  return registrationInfo.credential;
}

/** The options with which a browser shows a passkey. @param owner whose passkeys; without one, the browser offers those that it has */
export async function passkeyRequest(
  db: Db,
  { site, challenge, owner }: { site: RelyingParty; challenge: Pick<Challenge, 'id'>; owner?: FactorOwner },
) {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const own = owner ? await db.secondFactor.findMany({ where: { ...owner, kind: 'passkey' }, orderBy: { id: 'asc' } }) : [];
  return generateAuthenticationOptions({
    rpID: site.id,
    challenge: new Uint8Array(Buffer.from(toPasskeyChallenge(challenge), 'base64url')),
    timeout: CHALLENGE_SECONDS * 1000,
    userVerification: 'required',
    ...(owner ? { allowCredentials: own.map(({ credentialId, transports }) => ({ id: toBase64Url(credentialId), transports })) } : {}),
  });
}

/** `copied`: its count went backwards, so that two devices hold it. */
export type PasskeyOutcome = 'right' | 'wrong' | 'copied';

/** Checks the signature of a user's passkey and counts its use. Must run in a transaction. */
export async function usePasskey(
  db: Db,
  owner: FactorOwner,
  { site, challenge, passkey }: { site: RelyingParty; challenge: Pick<Challenge, 'id'>; passkey: ShownPasskey },
): Promise<PasskeyOutcome> {
  const { organizationId, userId } = owner;
  const credentialId = new Uint8Array(Buffer.from(passkey.id, 'base64url'));
  const row = await db.secondFactor.findUnique({ where: { organizationId_credentialId: { organizationId, credentialId } } });
  if (!row?.publicKey || row.userId !== userId) return 'wrong';
  const used = await verifyShownPasskey(row.publicKey, { site, challenge, passkey });
  if (used === null) return 'wrong';
  const before = row.counter ?? 0;
  if ((used > 0 || before > 0) && used <= before) return 'copied';
  const { count } = await db.secondFactor.updateMany({
    where: { organizationId, id: row.id, counter: row.counter },
    data: { counter: used, lastUsedAt: new Date() },
  });
  return count === 1 ? 'right' : 'wrong';
}

/** The count of uses that a right signature has; null for a wrong one. Counting is judged by the caller. */
async function verifyShownPasskey(
  publicKey: Uint8Array<ArrayBuffer>,
  { site, challenge, passkey }: { site: RelyingParty; challenge: Pick<Challenge, 'id'>; passkey: ShownPasskey },
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { userHandle, ...response } = passkey.response;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: { ...passkey, response: { ...response, ...(userHandle ? { userHandle } : {}) }, clientExtensionResults: {} },
    expectedChallenge: toPasskeyChallenge(challenge),
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    credential: { id: passkey.id, publicKey, counter: 0 },
    requireUserVerification: true,
  }).catch(() => ({ verified: false, authenticationInfo: undefined }));
  return verified && authenticationInfo ? authenticationInfo.newCounter : null;
}
