import type { FastifyReply, FastifyRequest } from 'fastify';
import { readOrigin } from '../wire/links.ts';

/** The value of a cookie, as the browser sent it; undefined where it sent none of this name. */
export const readCookie = ({ headers }: FastifyRequest, name: string): string | undefined =>
  headers.cookie
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

/** Whether browsers reach this server over https, so that its cookies are Secure. */
const isSecure = (request: FastifyRequest): boolean => readOrigin(request).startsWith('https:');

/** The name of a cookie for all pages. Browsers take one with this prefix only over https, and from this host alone. */
export const hostCookieName = (request: FastifyRequest, name: string): string => (isSecure(request) ? `__Host-${name}` : name);

/** The name of a cookie for some pages. Browsers take one with this prefix only over https. */
export const pathCookieName = (request: FastifyRequest, name: string): string => (isSecure(request) ? `__Secure-${name}` : name);

interface CookieOptions {
  path?: string;
  /** Until the browser is closed, where it is left out; 0 takes the cookie away. */
  seconds?: number;
  /** Strict cookies come only with what pages of this server ask for; lax ones also with a link from elsewhere. */
  sameSite?: 'Strict' | 'Lax';
}

/** Adds a cookie to a response. Scripts cannot read it, and over https it is Secure. */
export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, value, path = '/', seconds, sameSite = 'Strict' }: CookieOptions & { name: string; value: string },
): void {
  const age = seconds === undefined ? '' : `; Max-Age=${seconds}`;
  reply.header('set-cookie', `${name}=${value}; Path=${path}${age}; HttpOnly; SameSite=${sameSite}${isSecure(request) ? '; Secure' : ''}`);
}
