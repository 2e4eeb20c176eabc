import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Keyring } from '../../database/keyring.ts';
import { PAGE_SESSION_SECONDS, type SignedIn } from '../../domain/identity/sessions.ts';
import { readClaims, signClaims } from '../../domain/security/signed-claims.ts';
import { originOf } from '../../http/links.ts';
import { readCookie } from '../cookies.ts';

const PURPOSE = 'staff-cookie';
const content = z.object({ organizationId: z.int(), sessionId: z.uuid() });

/** The session that the cookie of a browser names. It is signed; whether it is still open stands in the database. */
export type CookieSession = z.infer<typeof content>;

const isSecure = (request: FastifyRequest): boolean => originOf(request).startsWith('https:');

/** Browsers take a name with this prefix only over https, and from this host alone. */
const nameOf = (request: FastifyRequest): string => (isSecure(request) ? '__Host-staff' : 'staff');

/** Scripts cannot read it, and browsers send it only with what pages of this server ask for. */
const attributesOf = (request: FastifyRequest, seconds: number): string =>
  `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure(request) ? '; Secure' : ''}`;

/** Gives the browser the cookie of a session, for as long as the session lasts. */
export function setStaffCookie(
  keyring: Keyring,
  { organizationId, sessionId }: SignedIn,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const value = signClaims(keyring, PURPOSE, { organizationId, sessionId });
  reply.header('set-cookie', `${nameOf(request)}=${value}; ${attributesOf(request, PAGE_SESSION_SECONDS)}`);
}

export function clearStaffCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', `${nameOf(request)}=; ${attributesOf(request, 0)}`);
}

/** Null without a cookie, and for one that this server has not signed. */
export function readStaffCookie(keyring: Keyring, request: FastifyRequest): CookieSession | null {
  const value = readCookie(request, nameOf(request));
  return value === undefined ? null : (content.safeParse(readClaims(keyring, PURPOSE, value)).data ?? null);
}
