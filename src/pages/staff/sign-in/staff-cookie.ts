import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import { readClaims, signClaims } from '../../../database/encryption/signed-claims.ts';
import { PAGE_SESSION_SECONDS } from '../../../domain/identity/policies/session-life.ts';
import type { SignedIn } from '../../../domain/identity/sessions/sessions.ts';
import { hostCookieName, readCookie, setCookie } from '../../../http/auth/cookies.ts';

const PURPOSE = 'staff-cookie';
const content = z.object({ organizationId: z.int(), sessionId: z.uuid() });

/** The session that the cookie of a browser names. It is signed; whether it is still open stands in the database. */
export type CookieSession = z.infer<typeof content>;

const toCookieName = (request: FastifyRequest): string => hostCookieName(request, 'staff');

/** Gives the browser the cookie of a session, for as long as the session lasts. */
export function setStaffCookie(
  keyring: Keyring,
  { organizationId, sessionId }: SignedIn,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const value = signClaims(keyring, PURPOSE, { organizationId, sessionId });
  setCookie(request, reply, { name: toCookieName(request), value, seconds: PAGE_SESSION_SECONDS });
}

/** Takes the cookie away, with all that the browser keeps of our pages. */
export function clearStaffCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('clear-site-data', '"cache", "storage"');
  setCookie(request, reply, { name: toCookieName(request), value: '', seconds: 0 });
}

/** Null without a cookie, and for one that this server has not signed. */
export function readStaffCookie(keyring: Keyring, request: FastifyRequest): CookieSession | null {
  const value = readCookie(request, toCookieName(request));
  return value === undefined ? null : (content.safeParse(readClaims(keyring, PURPOSE, value)).data ?? null);
}
