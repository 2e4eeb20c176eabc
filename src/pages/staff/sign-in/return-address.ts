import type { FastifyRequest } from 'fastify';

/** The first page of staff. */
const HOME = '/lobby';

/** Addresses of this server to which sign-in returns; no other server's can have this form. */
const RETURNABLE = /^\/(?:lobby|(?:monitoring|account|administration|break-glass)(?:\/[\w-]+)*)(?:\?[\w=&%.:+-]*)?$/;
const LONGEST = 300;

/** The page at which a person lets an app act for them, with the request of the app as this server wrote it. */
const AUTHORIZATION = /^\/oauth2\/v1\/authorize\?[\w=&%.+*-]+$/;
const LONGEST_AUTHORIZATION = 4_000;

/** The address of signing in for somebody who asked for a page, and who is sent to that page afterwards. */
export const signInAddress = ({ method, url }: Pick<FastifyRequest, 'method' | 'url'>): string =>
  signInAddressFor(method === 'GET' ? url : undefined);

/** The address of signing in, from which somebody comes to a page if it is one of ours. */
export const signInAddressFor = (to: string | undefined): string =>
  to !== undefined && isReturnable(to) ? `/sign-in?to=${encodeURIComponent(to)}` : '/sign-in';

/** The page after sign-in: the one that was asked for, else the first. */
export const pageAfterSignIn = (asked: string | undefined): string => (asked !== undefined && isReturnable(asked) ? asked : HOME);

const isReturnable = (address: string): boolean =>
  (address.length <= LONGEST && RETURNABLE.test(address)) || (address.length <= LONGEST_AUTHORIZATION && AUTHORIZATION.test(address));
