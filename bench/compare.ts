import { z } from 'zod';
import type { Workload } from './workloads/workload.ts';

/** Where an answer comes from. */
export interface Target {
  name: string;
  address: string;
  token: string;
}

/** Before anything is timed, each path of a workload is asked of both servers, and what they answer must be the same. */
export async function compareAnswers(workload: Workload, floor: Target, ours: Target): Promise<string> {
  const seen: { rows: number; bytes: number; floorBytes: number }[] = [];
  for (const path of workload.paths) {
    const [theirs, mine] = [await ask(floor, path), await ask(ours, path)];
    const differences = differ(workload, theirs.body, mine.body);
    if (differences.length > 0) throw new Error(`${workload.name}: ${path}\n  ${differences.slice(0, 12).join('\n  ')}`);
    seen.push({ rows: rowsOf(workload, mine.body).length, bytes: mine.bytes, floorBytes: theirs.bytes });
  }
  const rows = seen.map((one) => one.rows);
  if (rows.every((count) => count === 0)) throw new Error(`${workload.name}: there is nothing to answer`);
  const bytes = (pick: 'bytes' | 'floorBytes') => seen.reduce((sum, one) => sum + one[pick], 0);
  const ratio = bytes('bytes') / bytes('floorBytes');
  // Links and counts around the rows may be written differently, a byte here or there; a missing column may not.
  if (Math.abs(ratio - 1) > 0.02)
    throw new Error(`${workload.name}: the bodies differ in size, ${bytes('bytes')} bytes against ${bytes('floorBytes')}`);
  return `${Math.min(...rows)} to ${Math.max(...rows)} rows, ${Math.round(bytes('bytes') / seen.length)} bytes`;
}

async function ask({ name, address, token }: Target, path: string): Promise<{ body: unknown; bytes: number }> {
  const answer = await fetch(address + path, { headers: { authorization: `Bearer ${token}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${name} answered ${answer.status} to ${path}: ${text.slice(0, 300)}`);
  return { body: JSON.parse(text), bytes: Buffer.byteLength(text) };
}

const withPatients = z.object({ patients: z.array(z.unknown()) });
const withData = z.object({ data: z.array(z.unknown()) });
const single = z.object({ data: z.record(z.string(), z.unknown()) });

function rowsOf({ rows }: Workload, body: unknown): unknown[] {
  if (rows === 'patients') return withPatients.parse(body).patients;
  if (rows === 'data') return withData.parse(body).data;
  return rows === 'body' ? z.array(z.unknown()).parse(body) : [single.parse(body).data];
}

const counts = z.object({ totalcount: z.number() }).or(z.object({ meta: z.object({ total: z.number() }) }));

/** The same number of rows, the same total, and the same rows, field by field. */
function differ(workload: Workload, theirs: unknown, mine: unknown): string[] {
  const [expected, given] = [rowsOf(workload, theirs), rowsOf(workload, mine)];
  if (expected.length !== given.length) return [`${given.length} rows, and the floor has ${expected.length}`];
  const totals = [theirs, mine].map((body) => JSON.stringify(counts.safeParse(body).data ?? null));
  if (totals[0] !== totals[1]) return [`the totals are ${totals[1]}, and the floor's ${totals[0]}`];
  return given.flatMap((row, index) => differentFields(expected[index], row, `row ${index + 1}`));
}

function differentFields(expected: unknown, given: unknown, where: string): string[] {
  const one = z.record(z.string(), z.unknown());
  const [a, b] = [one.safeParse(expected).data, one.safeParse(given).data];
  if (!a || !b)
    return JSON.stringify(expected) === JSON.stringify(given)
      ? []
      : [`${where}: ${JSON.stringify(given)}, and the floor ${JSON.stringify(expected)}`];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) => differentFields(a[key], b[key], `${where}.${key}`));
}
