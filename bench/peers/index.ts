import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ask } from '../compare.ts';
import type { Contender } from '../contender.ts';
import type { Question, Workload } from '../workloads/workload.ts';
import { installPeers } from './install.ts';
import type { Peer } from './peer.ts';
import { platformatic } from './platformatic.ts';
import { postgraphile } from './postgraphile.ts';

/** A peer that is installed, with the version that it has. */
export interface InstalledPeer {
  peer: Peer;
  title: string;
  /** Its server. */
  entry: string;
}

const packageFile = z.object({ dependencies: z.record(z.string(), z.string()) });

export async function installedPeers(tell: (line: string) => void): Promise<InstalledPeer[]> {
  await installPeers(tell);
  const { dependencies } = packageFile.parse(JSON.parse(await readFile(join(import.meta.dirname, 'package.json'), 'utf8')));
  return [platformatic, postgraphile].map((peer) => ({
    peer,
    title: `${peer.title} ${dependencies[peer.package] ?? ''}`,
    entry: join(import.meta.dirname, peer.entry),
  }));
}

/** How many questions of a workload are looked through for those that a peer has to learn: all reads of a mix are among them. */
const LOOKED_THROUGH = 2_500;

/** Lets a peer learn what it is to be asked; each read comes again as the same object. */
export async function teach(peer: Peer, contender: Contender, workload: Workload): Promise<void> {
  if (!peer.learn) return;
  const known = new Set<Question>();
  for (let n = 0; n < LOOKED_THROUGH; n += 1) {
    const question = workload.question(n);
    if (question.method !== 'GET' || known.has(question)) continue;
    known.add(question);
    await peer.learn(question, async (own) => (await ask(contender, own)).body);
  }
}
