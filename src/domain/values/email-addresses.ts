import { domainToASCII } from 'node:url';
import { z } from 'zod';

/** RFC 5321: 256 octets of a path, less its angle brackets. */
export const LONGEST_EMAIL = 254;
const LONGEST_MAILBOX = 64;

/** Words of RFC 5322 with dots between them, in letters of any script (RFC 6531). */
const DOTTED = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u;
/** The same in quotes, with blanks and signs; without a second `@`, behind which readers could see another domain. */
const QUOTED = /^"(?:[^"\\@\p{C}\p{Z}]| |\\[ -?A-~])+"$/u;
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;
const ASCII_DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/;

/**
 * Whether a text is an address to which mail may go: what RFC 5322 allows, and international names and domains. Not comments, nor a
 * machine's number in the place of a domain.
 */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [mailbox, domain] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || Buffer.byteLength(mailbox) > LONGEST_MAILBOX || domain.length > LONGEST_EMAIL || !DOMAIN.test(domain)) return false;
  const ascii = domainToASCII(domain);
  if (!ASCII_DOMAIN.test(ascii) || Buffer.byteLength(mailbox) + 1 + ascii.length > LONGEST_EMAIL) return false;
  return DOTTED.test(mailbox) || QUOTED.test(mailbox);
}

/** The one shape of a mail address, at every door. */
export const emailShape = z.stringFormat('email', isEmail, 'must be an email address');
