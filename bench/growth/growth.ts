import { counts, readRows } from '../compare-responses.ts';
import type { Contender } from '../contender.ts';
import { openBenchDatabase, samplePatients } from '../data/database.ts';
import type { Size } from '../data/practices.ts';
import { type DatabaseLoad, watchDatabase } from '../database-load.ts';
import { describeMachine } from '../machine.ts';
import { measure } from '../measure.ts';
import type { Options } from '../options.ts';
import { startOurs } from '../triptych.ts';
import { sendWithRetries, warm } from '../warm-up.ts';
import { SAMPLE, workloads } from '../workloads/index.ts';
import type { Workload } from '../workloads/workload.ts';
import { reaches } from './reach.ts';
import { type Cost, type Grown, growthText, writeGrowth } from './report.ts';

type Growing = Pick<Options, 'quick' | 'folder' | 'only' | 'seconds' | 'repetitions'>;
type Print = (line: string) => void;

const SIZES: readonly Size[] = ['quick', 'million', 'tenmillion'];
/** The database of ten million charts has no appointments, so only these workloads run on it. */
const LARGEST = ['name-search', 'one-patient'];

/** Each workload of this server in databases of three sizes; `quick` takes the smallest alone, to see that all works. */
export async function showGrowth(options: Growing, print: Print): Promise<void> {
  const sizes = options.quick ? SIZES.slice(0, 1) : SIZES;
  const grown: Grown[] = [];
  const machine: string[] = [];
  for (const size of sizes) {
    const database = await openBenchDatabase({ ...options, size }, print);
    try {
      if (machine.length === 0) machine.push(...(await describeMachine(database.url)));
      grown.push(await grownTo(database, size, options, print));
    } finally {
      await database.stop();
    }
  }
  const text = growthText(grown, machine, options);
  print(`\n${text}`);
  if (!options.quick && options.only === null) print(`written to ${await writeGrowth(text)}`);
}

async function grownTo(
  database: Awaited<ReturnType<typeof openBenchDatabase>>,
  size: Size,
  options: Growing,
  print: Print,
): Promise<Grown> {
  const [large] = database.plans;
  if (!large) throw new Error('the database has no practice');
  const sample = await samplePatients(database.url, large, SAMPLE);
  const chosen = workloads(large, sample, options.only).filter(({ name }) => size !== 'tenmillion' || LARGEST.includes(name));
  const ours = await startOurs(database);
  const watched = await watchDatabase(database.url);
  try {
    const costs: Cost[] = [];
    for (const workload of chosen) {
      const cost = await measureCost(workload, await ours.contender(), { ...options, database: watched, print });
      print(
        `${large.patients.toLocaleString('en')} patients: ${cost.name}, ${cost.figures.cpuMs.toFixed(2)} + ${cost.figures.databaseCpuMs?.toFixed(2) ?? '?'} ms`,
      );
      costs.push(cost);
    }
    const reached = await reaches(database.url, large.organizationId, sample[SAMPLE / 2] ?? large.before + 1);
    return { patients: large.patients, appointments: large.appointments, costs, reaches: reached };
  } finally {
    await watched.close();
    await ours.server.stop();
  }
}

interface Measuring {
  seconds: number;
  repetitions: number;
  database: DatabaseLoad;
  print: Print;
}

const WARM_WRITES = 200;

/** Sends every sampled request once, so that the data is in memory, and then measures as in the other runs. */
async function measureCost(workload: Workload, contender: Contender, options: Measuring): Promise<Cost> {
  const shape = await measureShape(workload, contender);
  if (workload.writes) await warm(contender, workload, WARM_WRITES);
  const { figures } = await measure(workload, [contender], { ...options, attempts: 1 });
  const own = figures.get(contender.name);
  if (!own) throw new Error(`nothing was measured of ${workload.name}`);
  return { name: workload.name, title: workload.title, figures: own, ...shape };
}

/** Of a mix nothing can be said: its answers are of many kinds. */
async function measureShape(workload: Workload, contender: Contender): Promise<Pick<Cost, 'rows' | 'total'>> {
  if (workload.writes) return { rows: 1, total: null };
  let rows = 0;
  const totals: number[] = [];
  for (let n = 0; n < workload.compared; n += 1) {
    const { body } = await sendWithRetries(contender, workload.request(n));
    rows += readRows(workload, body).length;
    const counted = counts.safeParse(body).data;
    if (counted) totals.push('meta' in counted ? counted.meta.total : counted.totalcount);
  }
  const total = totals.length === 0 ? null : totals.reduce((sum, one) => sum + one, 0) / totals.length;
  return { rows: rows / workload.compared, total };
}
