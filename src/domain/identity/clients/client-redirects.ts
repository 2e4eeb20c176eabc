import { invalid } from '../../errors.ts';

const MOST_REDIRECTS = 10;
const LONGEST_REDIRECT = 500;
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/** Visible ASCII, so that an address has one spelling. */
const PLAIN = /^[\x21-\x7e]+$/;

/**
 * Checks the addresses to which an app's sign-in returns: https; http on the machine of the person itself (RFC 8252 7.3); or a
 * scheme of the app's own, which is a reversed domain name (RFC 8252 7.1).
 * @throws Failure invalid that says what is wrong
 */
export function requireRedirectUris(addresses: readonly string[]): string[] {
  const unique = [...new Set(addresses)];
  if (unique.length === 0) throw invalid('redirectUris', 'must name at least one address', 'missing');
  if (unique.length > MOST_REDIRECTS) throw invalid('redirectUris', `must be at most ${MOST_REDIRECTS}`);
  for (const address of unique) {
    const fault = findRedirectFault(address);
    if (fault) throw invalid('redirectUris', `${fault}: ${JSON.stringify(address.slice(0, 100))}`);
  }
  return unique;
}

function findRedirectFault(address: string): string | null {
  const url = PLAIN.test(address) && address.length <= LONGEST_REDIRECT ? URL.parse(address) : null;
  if (!url) return `must be a complete address of at most ${LONGEST_REDIRECT} characters`;
  if (address.includes('#')) return 'must have no fragment';
  if (url.username !== '' || url.password !== '') return 'must have no user or password';
  if (url.protocol === 'https:') return /^https:\/\/[^/]/i.test(address) ? null : 'must name a host';
  if (url.protocol === 'http:')
    return LOOPBACK.includes(url.hostname) ? null : 'must be https, unless it is on 127.0.0.1, [::1] or localhost';
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol)
    ? null
    : 'must be https, http on this machine, or a scheme with a dot such as com.example.app:/signed-in';
}

/** Whether an address is one of those registered, letter by letter; on the person's own machine the port may be any. */
export function isRegisteredRedirect(registered: readonly string[], address: string): boolean {
  if (registered.includes(address)) return true;
  const bare = withoutLoopbackPort(address);
  return bare !== null && registered.some((one) => withoutLoopbackPort(one) === bare);
}

const LOOPBACK_PORT = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/;

/** Null for all but http addresses of the machine itself; what is not the port stays as it is written. */
const withoutLoopbackPort = (address: string): string | null =>
  LOOPBACK_PORT.test(address) && findRedirectFault(address) === null ? address.replace(LOOPBACK_PORT, '$1') : null;
