import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { readClaims, signClaims } from '../../database/encryption/signed-claims.ts';
import { accountName } from '../../domain/identity/accounts.ts';
import { hostCookieName, readCookie, setCookie } from './cookies.ts';

const PURPOSE = 'known-device';
/** A device that nobody has signed in with for so long is unknown again. */
const KNOWN_SECONDS = 90 * 86_400;
/** Accounts that a shared device remembers. */
const MOST_ACCOUNTS = 12;
const MARK_LENGTH = 16;

const content = z.object({ id: z.uuid(), accounts: z.array(z.string()), until: z.int() });
type Device = z.infer<typeof content>;

/** The device of a request, by the signed cookie that it got when somebody signed in; null for an unknown one. */
function readDevice(keyring: Keyring, request: FastifyRequest): Device | null {
  const value = readCookie(request, hostCookieName(request, 'device'));
  const device = value === undefined ? undefined : content.safeParse(readClaims(keyring, PURPOSE, value)).data;
  return device && device.until * 1000 > Date.now() ? device : null;
}

/** The id of the device of a request, where anybody was signed in from it before; else null. */
export const readDeviceId = (keyring: Keyring, request: FastifyRequest): string | null => readDevice(keyring, request)?.id ?? null;

/** The marks of an account in the cookie, one for each master key, the current one first: they do not tell the account. */
const listMarks = (keyring: Keyring, email: string): string[] =>
  keyring.ids.map((id) =>
    keyring
      .mac(PURPOSE, `account ${accountName(email)}`, id)
      .toString('base64url')
      .slice(0, MARK_LENGTH),
  );

/** The id of the device of a request, where this account was signed in to from it before; else null. */
export function findKnownDevice(keyring: Keyring, request: FastifyRequest, email: string): string | null {
  const device = readDevice(keyring, request);
  return device && listMarks(keyring, email).some((mark) => device.accounts.includes(mark)) ? device.id : null;
}

export function rememberDevice(keyring: Keyring, request: FastifyRequest, reply: FastifyReply, email: string): void {
  const device = readDevice(keyring, request);
  const marks = listMarks(keyring, email);
  const accounts = [...marks.slice(0, 1), ...(device?.accounts ?? []).filter((one) => !marks.includes(one))].slice(0, MOST_ACCOUNTS);
  const id = device?.id ?? randomUUID();
  const until = Math.floor(Date.now() / 1000) + KNOWN_SECONDS;
  const value = signClaims(keyring, PURPOSE, { id, accounts, until } satisfies Device);
  setCookie(request, reply, { name: hostCookieName(request, 'device'), value, seconds: KNOWN_SECONDS });
}
