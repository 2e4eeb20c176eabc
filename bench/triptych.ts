import { join } from 'node:path';
import { openDatabase } from '../src/database/database.ts';
import { organizationsToSeal } from '../src/domain/audit/chain/audit-chain.ts';
import type { Contender } from './contender.ts';
import { makeCredentials, masterKeys, ourTokens } from './credentials.ts';
import type { BenchDatabase } from './data/database.ts';
import { type ServerUnderTest, startServer } from './process.ts';

/** Any limit is out of the way; everything else is as in production. */
const LIMITS = { RATE_LIMIT: '1000000000', RATE_LIMIT_ANONYMOUS: '1000000000' };

export interface Ours {
  server: ServerUnderTest;
  /** With new tokens of all who ask: a user's lasts fifteen minutes. */
  contender(): Promise<Contender>;
}

/**
 * This server on a database, in a process of its own, as it is deployed.
 * @param profile a folder for a CPU profile
 */
export async function startOurs({ url, folder }: Pick<BenchDatabase, 'url' | 'folder'>, profile: string | null = null): Promise<Ours> {
  const credentials = await makeCredentials(url);
  const started = await startOurServer({ url, folder }, 'server', profile);
  const { pool, close } = openDatabase({ url, poolSize: 1 });
  const server: ServerUnderTest = {
    ...started,
    async stop() {
      await close();
      await started.stop();
    },
  };
  // It seals the audit rows of what it answered every three seconds.
  const settled = async () => (await organizationsToSeal(pool)).length === 0;
  return {
    server,
    contender: async () => ({
      name: 'ours',
      address: server.address,
      tokens: await ourTokens(server.address, credentials),
      server,
      settled,
    }),
  };
}

/** The process alone: one more on the same database. */
export function startOurServer(
  { url, folder }: Pick<BenchDatabase, 'url' | 'folder'>,
  name: string,
  profile: string | null = null,
): Promise<ServerUnderTest> {
  return startServer({
    entry: join(import.meta.dirname, '..', 'src', 'server.ts'),
    env: { DATABASE_URL: url, MASTER_KEYS: masterKeys(folder), PORT: '0', DATA_DIR: folder, ...LIMITS },
    logFile: join(folder, `${name}.log`),
    profile,
  });
}
