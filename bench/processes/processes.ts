import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Contender } from '../contender.ts';
import { type BenchDatabase, openBenchDatabase, samplePatients } from '../data/database.ts';
import { type DatabaseLoad, watchDatabase } from '../database-load.ts';
import { type Load, load } from '../load.ts';
import { describeMachine } from '../machine.ts';
import { type Options, UsageError } from '../options.ts';
import { type ServerUnderTest, startServer } from '../process.ts';
import { startOurServer, startOurs } from '../triptych.ts';
import { SAMPLE, workloads } from '../workloads/index.ts';
import { TIMED_FROM, type Workload } from '../workloads/workload.ts';
import { costsTooMuch, sum, type Turn } from './figures.ts';
import { processesText, writeProcesses } from './report.ts';

type Comparing = Pick<Options, 'quick' | 'folder' | 'only' | 'seconds' | 'repetitions'>;
type Print = (line: string) => void;

/** One process, or both, behind a proxy of their own. */
interface SetUp {
  name: 'one' | 'two';
  proxy: ServerUnderTest;
  seen: Turn[];
}

interface Stage {
  /** Both run all the time, so that the idle cost of the second is in all figures. */
  servers: readonly ServerUnderTest[];
  setUps: readonly SetUp[];
  /** The first process with new tokens, which are valid at both. */
  contender(): Promise<Contender>;
  database: DatabaseLoad;
}

/**
 * Measures one server process and two, behind a proxy on one database, alternately.
 * @returns whether a request costs two processes no more than the limit
 */
export async function compareProcesses(options: Comparing, print: Print): Promise<boolean> {
  const database = await openBenchDatabase(options, print);
  const closing: (() => Promise<void>)[] = [() => database.stop()];
  try {
    const workload = await chosenWorkload(database, options.only);
    const stage = await setStage(database, closing);
    const numbers = { next: TIMED_FROM };
    // The second process gets every other request, so the warm-up is longer.
    for (const setUp of stage.setUps)
      await drive(stage, setUp, workload, numbers, setUp.name === 'two' ? 2 * options.seconds : options.seconds / 2);
    for (const setUp of stage.setUps) setUp.seen.length = 0;
    for (let repetition = 0; repetition < options.repetitions; repetition += 1) {
      for (const setUp of repetition % 2 === 0 ? stage.setUps : stage.setUps.toReversed()) {
        const { load: took } = await drive(stage, setUp, workload, numbers, options.seconds);
        print(`${setUp.name}: ${((took.requests / took.elapsedMs) * 1000).toFixed(0)} answers/s`);
      }
    }
    const [one, two] = stage.setUps.map(({ seen }) => seen);
    if (!one || !two) throw new Error('nothing was measured');
    const result = { workload: workload.title, one, two, machine: await describeMachine(database.url) };
    const text = processesText(result);
    print(`\n${text}`);
    // Only complete runs are written to a file.
    if (options.only === null) print(`written to ${await writeProcesses(text)}`);
    return !costsTooMuch(result);
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function chosenWorkload({ url, plans }: BenchDatabase, only: string | null): Promise<Workload> {
  const [large] = plans;
  if (!large) throw new Error('the database has no practice');
  const [workload] = workloads(large, await samplePatients(url, large, SAMPLE), only ?? 'mix');
  if (!workload) throw new UsageError(`no workload has "${only}" in its name`);
  return workload;
}

async function setStage(database: BenchDatabase, closing: (() => Promise<void>)[]): Promise<Stage> {
  const started = async (starting: Promise<ServerUnderTest>) => {
    const server = await starting;
    closing.push(() => server.stop());
    return server;
  };
  const load = await watchDatabase(database.url);
  closing.push(() => load.close());
  const ours = await startOurs(database);
  const first = await started(Promise.resolve(ours.server));
  const second = await started(startOurServer(database, 'server-2'));
  const proxy = (name: string, targets: readonly ServerUnderTest[]) =>
    started(
      startServer({
        entry: join(import.meta.dirname, 'proxy-process.ts'),
        env: { TARGETS: targets.map(({ address }) => address).join(',') },
        logFile: join(database.folder, `proxy-${name}.log`),
        profile: null,
      }),
    );
  return {
    servers: [first, second],
    setUps: [
      { name: 'one', proxy: await proxy('one', [first]), seen: [] },
      { name: 'two', proxy: await proxy('two', [first, second]), seen: [] },
    ],
    contender: ours.contender,
    database: load,
  };
}

const LOOK_EVERY_MS = 250;
const SETTLED_WITHIN_MS = 30_000;

/** Includes work that the processes do after their responses (sealing the audit). */
async function drive(stage: Stage, setUp: SetUp, workload: Workload, numbers: { next: number }, seconds: number): Promise<{ load: Load }> {
  const { tokens, settled } = await stage.contender();
  const processes = [...stage.servers, setUp.proxy];
  const used = () => Promise.all(processes.map(async (one) => (await one.usage()).cpuMs));
  const [before, databaseBefore] = [await used(), await stage.database.cpuMs()];
  const took = await load({
    address: setUp.proxy.address,
    tokens,
    send: (n) => workload.request(n),
    first: numbers.next,
    // Enough that two processes have as many as one has elsewhere.
    connections: workload.connections * stage.servers.length,
    until: { ms: seconds * 1000 },
  });
  numbers.next = took.next;
  await stage.database.cpuMs();
  for (let waited = 0; waited < SETTLED_WITHIN_MS && !(await settled?.()); waited += LOOK_EVERY_MS) await sleep(LOOK_EVERY_MS);
  const [after, databaseAfter] = [await used(), await stage.database.cpuMs()];
  const cpu = after.map((ms, place) => ms - (before[place] ?? 0));
  setUp.seen.push({
    load: took,
    serversMs: cpu.slice(0, -1),
    proxyMs: sum(cpu.slice(-1)),
    databaseMs: databaseBefore === null || databaseAfter === null ? null : databaseAfter - databaseBefore,
  });
  return { load: took };
}
