import { isIP } from 'node:net';
import { z } from 'zod';

/** Values separated by commas; empty ones are left out. */
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean),
);

/** Rejects keys that random bytes practically never form: few distinct bytes, even spacing, or printable characters only. */
export function looksRandom(key: Buffer): boolean {
  const steps = new Set([...key].map((byte, index) => (byte - (key[index - 1] ?? 0) + 256) % 256));
  return new Set(key).size >= 16 && steps.size >= 16 && key.some((byte) => byte < 0x20 || byte > 0x7e);
}

export function isMailServer(text: string): boolean {
  return /^smtps?:\/\//.test(text) && URL.canParse(text) && new URL(text).hostname !== '';
}

export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

export function isSocketServer(text: string): boolean {
  return /^wss?:/.test(text) && URL.canParse(text) && new URL(text).host !== '';
}

/** RFC 7064 and 7065. */
export const ICE_SERVER = /^(stuns?:[^\s?]+|turns?:[^\s?]+(\?transport=(udp|tcp))?)$/;

/** An address, a CIDR, or one of the names that proxy-addr knows. */
export function isAddressRange(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

/** Whether an address has nothing but scheme, host, port and path, so that a path can be appended to it. */
export function isPlainAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '' && !/[?#]/.test(text);
}

/** The name of an operator, as the audit keeps it. */
export const OPERATOR_NAME = /^[A-Za-z0-9._@-]{1,64}$/;

/**
 * Whether a text is the path of a file or folder, and no address or variable, of which a folder by that name would be made, with a password
 * in it. A path with one of these characters may be written from `/` or `./` on.
 */
export const isPath = (text: string): boolean => /^\.{0,2}\/(?!\/)/.test(text) || !/[:@=$"']|^\/\//.test(text);

export const MESSAGING_SERVICE_SID = /^MG[0-9a-f]{32}$/i;

/** Whether a text is the path of a folder, or `s3://bucket/prefix`. */
export const isPlace = (text: string): boolean => isPath(text) || /^s3:\/\/[^/]/.test(text);
export const NOT_A_PLACE = 'must be a folder, or s3://bucket/prefix';
