import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Keyring } from '../../../../database/encryption/keyring.ts';
import { readClaims, signClaims } from '../../../../database/encryption/signed-claims.ts';
import type { SignInBinding } from '../../../../gateways/openid/openid-connect.ts';
import { hostCookieName, readCookie, setCookie } from '../../../../http/auth/cookies.ts';
import { ssoAddresses } from '../../../../http/sign-in/sso-addresses.ts';
import { readOrigin } from '../../../../http/wire/links.ts';

const PURPOSE = 'single-sign-on';
/** Seconds for which somebody may take to sign in at the provider. */
const SECONDS = 600;

const content = z.object({
  organizationId: z.int(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The page after sign-in. */
  to: z.string().optional(),
  /** The session whose user proves again who they are; absent for a new sign-in. */
  sessionId: z.uuid().optional(),
  /** Milliseconds since 1970. */
  until: z.number(),
});
type Content = z.infer<typeof content>;

export type StartedSignIn = Pick<Content, 'organizationId' | 'to' | 'sessionId'>;

const toBinding = (request: FastifyRequest, { state, nonce, verifier, organizationId, sessionId }: Content): SignInBinding => ({
  redirectUri: ssoAddresses(readOrigin(request), organizationId).callback,
  state,
  nonce,
  verifier,
  proveAgain: sessionId !== undefined,
});

const toCookieName = (request: FastifyRequest): string => hostCookieName(request, 'single-sign-on');
const random = (): string => randomBytes(32).toString('base64url');

/** Binds a new sign-in to the browser. A lax cookie, because the browser comes back from another site. */
export function bindToBrowser(keyring: Keyring, started: StartedSignIn, request: FastifyRequest, reply: FastifyReply): SignInBinding {
  const claims = { ...started, state: random(), nonce: random(), verifier: random(), until: Date.now() + SECONDS * 1_000 };
  const value = signClaims(keyring, PURPOSE, claims);
  setCookie(request, reply, { name: toCookieName(request), value, seconds: SECONDS, sameSite: 'Lax' });
  return toBinding(request, claims);
}

/** The sign-in that this browser has begun, once: the cookie is taken away. Null without one, or too late. */
export function takeFromBrowser(
  keyring: Keyring,
  request: FastifyRequest,
  reply: FastifyReply,
): { started: StartedSignIn; binding: SignInBinding } | null {
  const value = readCookie(request, toCookieName(request));
  const claims = value === undefined ? undefined : content.safeParse(readClaims(keyring, PURPOSE, value)).data;
  if (value !== undefined) setCookie(request, reply, { name: toCookieName(request), value: '', seconds: 0, sameSite: 'Lax' });
  if (!claims || claims.until < Date.now()) return null;
  return { started: claims, binding: toBinding(request, claims) };
}
