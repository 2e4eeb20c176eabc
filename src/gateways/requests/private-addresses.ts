import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Global unicast, the only block of IPv6 that the internet routes (RFC 4291). */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Names that only mean something on a machine or in a network of one's own (RFC 6761, 6762, 8375, 9476). */
const LOCAL_NAME = /\.(?:localhost|local|internal|intranet|private|corp|home|lan|home\.arpa|alt)$/i;

/**
 * Whether an IP address is one of the internet: neither of this machine, nor of a private network, nor of a reserved block, nor
 * an IPv6 address that a gateway translates to an IPv4 one (mapped, compatible, NAT64, 6to4, Teredo).
 * @param address in any form that PostgreSQL's and Node's resolvers write; anything else is not public
 */
function isPublicIp(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const ip = ipaddr.parse(address);
  if (ip.kind() === 'ipv6' && !ip.match(GLOBAL_IPV6)) return false;
  return ip.range() === 'unicast';
}

/**
 * Whether a host can be private without a look-up of its name: a literal address, or a local name.
 * @param url whose host the parser of URLs has brought to one form: decimal, octal and hexadecimal IPv4 addresses are dotted ones
 */
export function isPrivateHost({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.+$/, '');
  if (isIP(host) !== 0) return !isPublicIp(host);
  return !host.includes('.') || LOCAL_NAME.test(host);
}

/** A name leads to an address that is not one of the internet. */
export class PrivateAddress extends Error {}

/**
 * A look-up for a connection that leads to public addresses only: the connection is made to an address that was checked, however
 * the name changes meanwhile. It runs at each connection.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error) callback(error, []);
    else if (!first || addresses.some(({ address }) => !isPublicIp(address)))
      callback(new PrivateAddress('The name leads to a private address.'), []);
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
