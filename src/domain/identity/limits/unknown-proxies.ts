import type { Db } from '../../../database/database.ts';

/** Beside the failed sign-ins, whose limits are wrong behind such a proxy. */
const PREFIX = 'unknown-proxy:';
const KEPT_MS = 86_400_000;

/** Keeps for a day that a network address tells those of clients, which no server believes. */
export async function noteUnknownProxy(db: Db, address: string): Promise<void> {
  const expire = BigInt(Date.now() + KEPT_MS);
  const key = `${PREFIX}${address}`;
  await db.signInFailure.upsert({ where: { key }, create: { key, expire }, update: { expire } });
}

/** Forgets it, once a server believes the address. */
export async function forgetUnknownProxy(db: Db, address: string): Promise<void> {
  await db.signInFailure.deleteMany({ where: { key: `${PREFIX}${address}` } });
}

/** The addresses of the last day. */
export async function listUnknownProxies(db: Db): Promise<string[]> {
  const rows = await db.signInFailure.findMany({
    where: { key: { startsWith: PREFIX }, expire: { gt: BigInt(Date.now()) } },
    select: { key: true },
    orderBy: { key: 'asc' },
  });
  return rows.map(({ key }) => key.slice(PREFIX.length));
}
