import { type Contender, requireRequest } from './contender.ts';
import { load } from './load.ts';
import type { Usage } from './process.ts';
import { TIMED_FROM, type Workload } from './workloads/workload.ts';

export interface MemoryRow {
  requests: number;
  /** At rest, before the first request. */
  rest: Usage;
  /** After a tenth of the requests, when the pools and caches have their size. */
  before: Usage;
  after: Usage;
  /** The highest that was seen between. */
  highestRss: number;
}

/** Asks for the largest page again and again; heap sizes are taken after a collection, so that they show what is kept. */
export async function watchMemory(workload: Workload, contender: Contender, requests: number): Promise<MemoryRow> {
  const { server, address, tokens } = contender;
  const rest = await server.usage({ collect: true });
  let first = TIMED_FROM;
  const run = async (count: number) => {
    const send = requireRequest(contender, workload);
    first = (await load({ address, tokens, send, first, connections: 2, until: { requests: count } })).next;
  };
  await run(Math.ceil(requests / 10));
  const before = await server.usage({ collect: true });
  let highestRss = before.rss;
  const parts = 10;
  for (let part = 0; part < parts; part += 1) {
    await run(Math.ceil(requests / parts));
    highestRss = Math.max(highestRss, (await server.usage()).rss);
  }
  return { requests, rest, before, after: await server.usage({ collect: true }), highestRss };
}
