import { z } from 'zod';
import { type Contender, requireRequest } from './contender.ts';
import { isAnswer, toHeaders } from './load.ts';
import { openReadBack, type ReadBack } from './read-back.ts';
import type { BenchRequest, Workload } from './workloads/workload.ts';

/**
 * Sends both servers the first requests of a workload before the measurement. The responses must be equal, and so must the
 * rows that they leave in the database at `url`.
 * @throws when they differ
 */
export async function compareAnswers(workload: Workload, floor: Contender, ours: Contender, url: string): Promise<string> {
  if (workload.parts) {
    const summaries: string[] = [];
    for (const part of workload.parts) summaries.push(`${part.name} ${await compareAnswers(part, floor, ours, url)}`);
    return summaries.join('; ');
  }
  const readBack = await openReadBack(url);
  try {
    return await compareEach(workload, floor, ours, readBack);
  } finally {
    await readBack.close();
  }
}

async function compareEach(workload: Workload, floor: Contender, ours: Contender, readBack: ReadBack): Promise<string> {
  const seen: { rows: number; bytes: number; floorBytes: number }[] = [];
  for (let n = 0; n < workload.compared; n += 1) {
    const [theirs, mine] = [
      await sendAndReadBack(floor, floor, workload, n, readBack),
      await sendAndReadBack(ours, floor, workload, n, readBack),
    ];
    const differences = [...differ(workload, theirs.body, mine.body), ...differentFields(theirs.rows, mine.rows, 'in the database', [])];
    if (differences.length > 0)
      throw new Error(`${workload.name}: ${workload.request(n).path}\n  ${differences.slice(0, 12).join('\n  ')}`);
    seen.push({ rows: readRows(workload, mine.body).length, bytes: mine.bytes, floorBytes: theirs.bytes });
  }
  const rows = seen.map((one) => one.rows);
  if (rows.every((count) => count === 0)) throw new Error(`${workload.name}: there is nothing to answer`);
  const bytes = (pick: 'bytes' | 'floorBytes') => seen.reduce((sum, one) => sum + one[pick], 0);
  const ratio = bytes('bytes') / bytes('floorBytes');
  // Links and counts around the rows may differ by a few bytes; a missing column is a larger difference.
  if (Math.abs(ratio - 1) > 0.02)
    throw new Error(`${workload.name}: the bodies differ in size, ${bytes('bytes')} bytes against ${bytes('floorBytes')}`);
  return `${Math.min(...rows)} to ${Math.max(...rows)} rows, ${Math.round(bytes('bytes') / seen.length)} bytes`;
}

interface Received {
  body: unknown;
  bytes: number;
  /** The rows in the database after a write; null after a read. */
  rows: Record<string, unknown> | null;
}

/** Sends the n-th request and reads back its rows. Before an update the floor resets the patient to a common state. */
async function sendAndReadBack(
  contender: Contender,
  floor: Contender,
  workload: Workload,
  n: number,
  readBack: ReadBack,
): Promise<Received> {
  const { written } = workload;
  if (written?.before) await send(floor, written.before(n));
  const last = written ? await readBack.lastId(written) : 0;
  const sent = contender === floor ? n : n + (written?.twin ?? 0);
  const answer = await send(contender, requireRequest(contender, workload)(sent));
  if (!written) return { ...answer, rows: null };
  const id = written.id(answer.body, sent);
  if (written.creates && id <= last) throw new Error(`${workload.name}: ${contender.name} answered with a record that stands already`);
  const rows = await readBack.readRows(written, id);
  await readBack.setAside(written, id);
  return { ...answer, rows };
}

export async function send({ name, address, tokens }: Contender, request: BenchRequest): Promise<{ body: unknown; bytes: number }> {
  const { method, path, client, body } = request;
  const headers = { authorization: `Bearer ${tokens[client]}`, ...toHeaders(request) };
  const answer = await fetch(address + path, { method, headers, body: body ?? null, redirect: 'manual' });
  const text = await answer.text();
  if (!isAnswer(answer.status)) throw new Error(`${name} answered ${answer.status} to ${path}: ${text.slice(0, 300)}`);
  return { body: text === '' ? null : JSON.parse(text), bytes: Buffer.byteLength(text) };
}

const withPatients = z.object({ patients: z.array(z.unknown()) });
const withData = z.object({ data: z.array(z.unknown()) });
const single = z.object({ data: z.record(z.string(), z.unknown()) });

export function readRows({ rows }: Workload, body: unknown): unknown[] {
  if (rows === 'patients') return withPatients.parse(body).patients;
  if (rows === 'data') return withData.parse(body).data;
  if (rows === 'nothing') return [null];
  return rows === 'body' ? z.array(z.unknown()).parse(body) : [single.parse(body).data];
}

export const counts = z.object({ totalcount: z.number() }).or(z.object({ meta: z.object({ total: z.number() }) }));

/** The same number of rows, the same total, and the same rows, field by field. */
function differ(workload: Workload, theirs: unknown, mine: unknown): string[] {
  const [expected, given] = [readRows(workload, theirs), readRows(workload, mine)];
  if (expected.length !== given.length) return [`${given.length} rows, and the floor has ${expected.length}`];
  const totals = [theirs, mine].map((body) => JSON.stringify(counts.safeParse(body).data ?? null));
  if (totals[0] !== totals[1]) return [`the totals are ${totals[1]}, and the floor's ${totals[0]}`];
  const own = workload.written?.own ?? [];
  return given.flatMap((row, index) => differentFields(expected[index], row, `row ${index + 1}`, own));
}

/** @param own names of fields that may differ, at any depth */
function differentFields(expected: unknown, given: unknown, where: string, own: readonly string[]): string[] {
  // A shortcut for texts, which most fields of a record are.
  if (expected === given) return [];
  const one = z.record(z.string(), z.unknown()).or(z.array(z.unknown()).transform((list) => Object.fromEntries(list.entries())));
  const [a, b] = [one.safeParse(expected).data, one.safeParse(given).data];
  if (!a || !b) return [`${where}: ${JSON.stringify(given)}, and the floor ${JSON.stringify(expected)}`];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]).difference(new Set(own));
  return [...names].flatMap((name) => differentFields(a[name], b[name], `${where}.${name}`, own));
}
