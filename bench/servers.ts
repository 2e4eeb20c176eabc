import { join } from 'node:path';
import { send } from './compare-responses.ts';
import { type Contender, requestFor } from './contender.ts';
import { floorKeys } from './credentials.ts';
import type { BenchDatabase } from './data/database.ts';
import type { Options } from './options.ts';
import { type InstalledPeer, installedPeers } from './peers/index.ts';
import type { Peer } from './peers/peer.ts';
import { type ServerUnderTest, startServer, type Usage } from './process.ts';
import { startOurs } from './triptych.ts';
import type { Workload } from './workloads/workload.ts';

/** A running server. */
export interface Started {
  /** The same in each contender of it. */
  name: string;
  title: string;
  server: ServerUnderTest;
  /** Null for the floor and for ours. */
  peer: Peer | null;
  /** Milliseconds from its start to its first answer; of ours, with what a token costs left out. */
  firstAnswerMs: number;
  /** Its resources after that response. */
  atRest: Usage;
  /** With new tokens of every kind. */
  contender(): Promise<Contender>;
}

/**
 * The floor, ours, and then the peers, each in a process of its own on the same database. They are started one after
 * another, so that none has to share the machine while it starts.
 * @param first the workload of each server's first request
 */
export async function startServers(
  database: BenchDatabase,
  { profile, peers }: Pick<Options, 'profile' | 'peers'>,
  first: Workload,
  print: (line: string) => void,
): Promise<Started[]> {
  const keys = floorKeys();
  const env = { DATABASE_URL: database.url, FLOOR_PUBLIC_KEY: keys.publicPem };
  const installed = peers ? await installedPeers(print) : [];
  const started: Started[] = [];
  const toProfilePath = (name: string) => (profile === null ? null : join(profile, name));
  const startOther = (name: string, entry: string) =>
    startServer({ entry, env, logFile: join(database.folder, `${name}.log`), profile: toProfilePath(name) });
  try {
    const floor = await startOther('floor', join(import.meta.dirname, 'floor', 'server.ts'));
    started.push(
      await measureFirstResponse({ name: 'floor', title: 'floor', server: floor, peer: null }, otherContender('floor', floor, keys), first),
    );
    const ours = await startOurs(database, toProfilePath('ours'));
    started.push(await measureFirstResponse({ name: 'ours', title: 'ours', server: ours.server, peer: null }, ours.contender, first));
    for (const { peer, title, entry } of installed) {
      const server = await startOther(peer.name, entry);
      started.push(
        await measureFirstResponse({ name: peer.name, title, server, peer }, otherContender(peer.name, server, keys, peer), first),
      );
    }
    return started;
  } catch (error) {
    await stopServers(started);
    throw error;
  }
}

export async function stopServers(started: readonly Started[]): Promise<void> {
  await Promise.all(started.map(({ server }) => server.stop()));
}

/** The floor, or a peer: both take the floor's tokens. */
function otherContender(
  name: string,
  server: ServerUnderTest,
  keys: ReturnType<typeof floorKeys>,
  peer?: InstalledPeer['peer'],
): () => Promise<Contender> {
  return async () => ({
    name,
    address: server.address,
    tokens: keys.tokens(),
    server,
    ...(peer ? { request: (workload: Workload, n: number) => peer.translate(workload.request(n)) } : {}),
  });
}

type Ready = Pick<Started, 'name' | 'title' | 'server' | 'peer'>;

/** Sends a server its first request; a server that fails is stopped. */
async function measureFirstResponse(ready: Ready, contender: Started['contender'], first: Workload): Promise<Started> {
  try {
    const asked = await contender();
    const request = requestFor(asked, first, 0);
    const start = performance.now();
    if (request !== null) await send(asked, request);
    const firstAnswerMs = ready.server.startMs + performance.now() - start;
    return { ...ready, contender, firstAnswerMs, atRest: await ready.server.usage({ collect: true }) };
  } catch (error) {
    await ready.server.stop();
    throw error;
  }
}
