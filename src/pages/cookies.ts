import type { FastifyRequest } from 'fastify';

/** The value of a cookie, as the browser sent it; undefined where it sent none of this name. */
export const readCookie = ({ headers }: FastifyRequest, name: string): string | undefined =>
  headers.cookie
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
