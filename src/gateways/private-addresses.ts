import dns from 'node:dns';
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net';

/** Special-purpose address ranges (RFC 6890): loopback, private networks, reserved blocks. */
const SPECIAL_PURPOSE_RANGES = new BlockList();
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  '::/127',
  '::ffff:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'ff00::/8',
]) {
  const [address = '', bits] = range.split('/');
  SPECIAL_PURPOSE_RANGES.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
}

const isSpecialPurpose = (address: string) => SPECIAL_PURPOSE_RANGES.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

/** Whether a host name or literal address is private without a DNS lookup. */
export function isPrivateHost({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (isIP(host) !== 0) return isSpecialPurpose(host);
  return !host.includes('.') || /\.(?:localhost|local|internal|intranet|lan|home\.arpa)$/i.test(host);
}

/** DNS lookup that rejects private addresses. It runs at each connection, since DNS entries change. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error) callback(error, []);
    else if (!first || addresses.some(({ address }) => isSpecialPurpose(address)))
      callback(new Error('The name leads to a private address.'), []);
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
