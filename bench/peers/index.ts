import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { send } from '../compare-responses.ts';
import type { Contender } from '../contender.ts';
import type { BenchRequest, Workload } from '../workloads/workload.ts';
import { installPeers } from './install.ts';
import type { Peer } from './peer.ts';
import { platformatic } from './platformatic.ts';
import { postgraphile } from './postgraphile.ts';

/** An installed peer and its version. */
export interface InstalledPeer {
  peer: Peer;
  title: string;
  /** Its server. */
  entry: string;
}

const packageFile = z.object({ dependencies: z.record(z.string(), z.string()) });

export async function installedPeers(print: (line: string) => void): Promise<InstalledPeer[]> {
  await installPeers(print);
  const { dependencies } = packageFile.parse(JSON.parse(await readFile(join(import.meta.dirname, 'package.json'), 'utf8')));
  return [platformatic, postgraphile].map((peer) => ({
    peer,
    title: `${peer.title} ${dependencies[peer.package] ?? ''}`,
    entry: join(import.meta.dirname, peer.entry),
  }));
}

/** The number of requests that are searched for reads to prepare: it covers all reads of a mix. */
const LOOKED_THROUGH = 2_500;

/** Lets a peer prepare its translation of each read; reads repeat as the identical object. */
export async function prepareRequests(peer: Peer, contender: Contender, workload: Workload): Promise<void> {
  if (!peer.learn) return;
  const known = new Set<BenchRequest>();
  for (let n = 0; n < LOOKED_THROUGH; n += 1) {
    const request = workload.request(n);
    if (request.method !== 'GET' || known.has(request)) continue;
    known.add(request);
    await peer.learn(request, async (own) => (await send(contender, own)).body);
  }
}
