import { listUnknownProxies } from '../../domain/identity/limits/unknown-proxies.ts';
import { type DatabaseCheck, ok, warn } from './finding.ts';

/** Proxies that send the addresses of clients to a server which does not believe them. */
export const PROXY_CHECK: DatabaseCheck = {
  name: 'proxies',
  async look({ db }) {
    const found = await listUnknownProxies(db);
    const figures = { not_believed: found.length };
    if (found.length === 0) return ok('no address tells those of clients without being believed', figures);
    return warn(
      `${found.slice(0, 5).join(', ')} told the address of a client within a day, and no server believes it`,
      'If it is your proxy, name it in TRUST_PROXY: until then limits by address count all of its clients as one.',
      figures,
    );
  },
};
