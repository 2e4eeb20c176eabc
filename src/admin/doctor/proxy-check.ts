import { BlockList, isIP } from 'node:net';
import { listUnknownProxies } from '../../domain/identity/limits/unknown-proxies.ts';
import { type DatabaseCheck, ok, warn } from './finding.ts';

/** Proxies that send the addresses of clients to a server which does not believe them. */
export const PROXY_CHECK: DatabaseCheck = {
  name: 'proxies',
  async look({ config, db }) {
    const trusted = rangesOf(config.TRUST_PROXY);
    const found = (await listUnknownProxies(db)).filter((address) => !trusted.check(address, familyOf(address)));
    const figures = { not_believed: found.length };
    if (found.length === 0) return ok('no address tells those of clients without being believed', figures);
    return warn(
      `${found.slice(0, 5).join(', ')} told the address of a client within a day, and no server believes it`,
      'If it is your proxy, name it in TRUST_PROXY: until then limits by address count all of its clients as one.',
      figures,
    );
  },
};

/** The names that TRUST_PROXY may have, as Fastify reads them. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** A proxy that TRUST_PROXY names by now is no longer noted, but its note is kept until it sends a request. */
function rangesOf(trustProxy: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of trustProxy.flatMap((text) => NAMED[text] ?? text)) {
    const [address = '', bits] = range.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}
