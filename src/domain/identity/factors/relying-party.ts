import { isIP } from 'node:net';

/** The site that passkeys are bound to (WebAuthn). */
export interface RelyingParty {
  /** Its host name. */
  id: string;
  /** Its address without a path, as browsers name it. */
  origin: string;
}

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * The site of a server's address. Browsers bind passkeys to a name and never to a number, so a server on its own machine is named
 * `localhost`.
 * @returns null where passkeys are not possible: another address that is a number, or http
 */
export function findRelyingParty(origin: string): RelyingParty | null {
  const { protocol, hostname, port } = new URL(origin);
  if (LOOPBACK.has(hostname)) return { id: 'localhost', origin: `${protocol}//localhost${port === '' ? '' : `:${port}`}` };
  if (protocol !== 'https:' || isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0) return null;
  return { id: hostname, origin: `https://${hostname}${port === '' ? '' : `:${port}`}` };
}
