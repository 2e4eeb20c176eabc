import { z } from 'zod';
import { readRows, send } from '../compare-responses.ts';
import { type Contender, requireRequest } from '../contender.ts';
import type { Workload } from '../workloads/workload.ts';

/** Each peer gets other writes than the floor, our server and the other peers. */
const WRITES_FROM = 100;
/** Requests of one kind are alike, so a sample is enough for a peer. */
const COMPARED = 10;

/**
 * Sends a peer the first requests of a workload. Its responses have other field names, so only the rows are counted.
 * @param place of this peer among them, from 0
 * @returns bytes of its bodies for one request
 * @throws when it responds with errors, or with another number of rows than the floor
 */
export async function comparePeer(workload: Workload, peer: Contender, floor: Contender, place: number): Promise<number> {
  const compared = Math.min(workload.compared, COMPARED);
  let bytes = 0;
  for (let n = 0; n < compared; n += 1) {
    const own = await send(peer, requireRequest(peer, workload)(workload.writes ? WRITES_FROM * (place + 1) + n : n));
    bytes += own.bytes;
    refuseErrors(peer, workload, own.body);
    if (workload.writes) continue;
    const [theirs, expected] = [countRows(own.body), readRows(workload, (await send(floor, workload.request(n))).body).length];
    if (theirs !== expected)
      throw new Error(`${workload.name}: ${peer.name} has ${theirs} rows, and the floor ${expected}: ${workload.request(n).path}`);
  }
  return bytes / compared;
}

const failed = z.object({ errors: z.array(z.object({ message: z.string() })) });

/** GraphQL responds with 200 to failed queries. */
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
