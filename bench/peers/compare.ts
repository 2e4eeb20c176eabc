import { z } from 'zod';
import { ask, rowsOf } from '../compare.ts';
import { type Contender, mustAsk } from '../contender.ts';
import type { Workload } from '../workloads/workload.ts';

/** Writes of a peer are others than those that the floor and ours were asked, and than those of other peers. */
const WRITES_FROM = 100;
/** Questions of one kind are much alike: of a peer, some of them are enough. */
const COMPARED = 10;

/**
 * Asks a peer the first questions of a workload. What it answers has its own words, so that only the rows are counted.
 * @param place of this peer among them, from 0
 * @returns bytes of its bodies for one request
 * @throws when it answers with errors, or with another number of rows than the floor
 */
export async function comparePeer(workload: Workload, peer: Contender, floor: Contender, place: number): Promise<number> {
  const compared = Math.min(workload.compared, COMPARED);
  let bytes = 0;
  for (let n = 0; n < compared; n += 1) {
    const own = await ask(peer, mustAsk(peer, workload)(workload.writes ? WRITES_FROM * (place + 1) + n : n));
    bytes += own.bytes;
    refuseErrors(peer, workload, own.body);
    if (workload.writes) continue;
    const [theirs, expected] = [countRows(own.body), rowsOf(workload, (await ask(floor, workload.question(n))).body).length];
    if (theirs !== expected)
      throw new Error(`${workload.name}: ${peer.name} has ${theirs} rows, and the floor ${expected}: ${workload.question(n).path}`);
  }
  return bytes / compared;
}

const failed = z.object({ errors: z.array(z.object({ message: z.string() })) });

/** GraphQL answers 200 to what failed. */
function refuseErrors({ name }: Contender, workload: Workload, body: unknown): void {
  const errors = failed.safeParse(body).data?.errors;
  if (errors) throw new Error(`${workload.name}: ${name} answered with ${errors[0]?.message}`);
}

const listed = z.array(z.unknown());
const paged = z.object({ nodes: listed });
const withAppointments = z.object({ appointment: listed });
const withData = z.object({ data: z.record(z.string(), z.unknown()) });

/** Of REST the list itself; of GraphQL the appointments, or the first list; else a single record. */
function countRows(body: unknown): number {
  const list = listed.safeParse(body).data;
  if (list) return list.length;
  const data = withData.safeParse(body).data?.data;
  const appointments = withAppointments.safeParse(data).data;
  const first = appointments?.appointment ?? Object.values(data ?? {})[0];
  return paged.safeParse(first).data?.nodes.length ?? listed.safeParse(first).data?.length ?? 1;
}
