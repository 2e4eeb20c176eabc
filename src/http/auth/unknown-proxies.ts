import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Db } from '../../database/database.ts';
import { forgetUnknownProxy, noteUnknownProxy } from '../../domain/identity/limits/unknown-proxies.ts';

/** Headers in which proxies tell the address of a client. */
const FORWARDING = ['x-forwarded-for', 'forwarded', 'x-real-ip'];
/** Milliseconds for which a proxy that was noted is not noted again. */
const NOTED_FOR_MS = 3_600_000;

/**
 * Warns once of an address that tells those of clients and is not believed: behind such a proxy, all limits by address count everybody as
 * one. Notes it for doctor, and forgets it once the address is believed.
 */
export function warnOfUnknownProxies(app: FastifyInstance, db: Db): void {
  let warned = false;
  let notedAt = Number.NEGATIVE_INFINITY;
  const believed = new Set<string>();
  const keep = (request: FastifyRequest, doing: Promise<void>) =>
    void doing.catch((err: unknown) => request.log.warn({ err }, 'what doctor says of proxies is out of date'));

  app.addHook('onRequest', async (request) => {
    const header = FORWARDING.find((name) => request.headers[name] !== undefined);
    const proxy = request.socket.remoteAddress;
    if (header === undefined || proxy === undefined) return;
    // The chain of addresses that are believed, from the proxy on, with one that it tells.
    if ((request.ips?.length ?? 1) > 1) {
      if (!believed.has(proxy)) keep(request, forgetUnknownProxy(db, proxy));
      believed.add(proxy);
      return;
    }
    if (!warned) request.log.warn({ proxy, header }, WARNING);
    warned = true;
    if (performance.now() - notedAt < NOTED_FOR_MS) return;
    notedAt = performance.now();
    keep(request, noteUnknownProxy(db, proxy));
  });
}

const WARNING =
  'a forwarded client address was ignored: if your proxy sent it, name the proxy in TRUST_PROXY and let it send X-Forwarded-For; until then, limits per address count all of its clients as one';
