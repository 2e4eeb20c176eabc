import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { median, quantile } from '../statistics.ts';
import {
  costRatio,
  costsTooMuch,
  countRequests,
  listRates,
  MOST_COST,
  type ProcessesResult,
  serversCost,
  sum,
  type Turn,
} from './figures.ts';

/** Cores needed to run two servers, the database, the proxy and the client in parallel. */
const CORES_FOR_A_RATIO = 6;

export function processesText(result: ProcessesResult): string {
  const { workload, one, two, machine } = result;
  const cores = availableParallelism();
  const ratio = median(listRates(two)) / median(listRates(one));
  const few =
    cores < CORES_FOR_A_RATIO
      ? ` With ${cores} cores for servers, PostgreSQL, proxy and client the second process has no core of its own, so this says little; the cost of a request says whether anything shared would stop it.`
      : '';
  return `# More than one process

Made by \`npm run bench -- --processes\`: ${workload}, with one server process and with two behind a proxy that passes connections on by
turns, on one database, in turns. Both processes run all the time, with their jobs; for "one", the proxy knows the first alone.

- ${machine.join('\n- ')}
- Two answer **${ratio.toFixed(2)}** times as many requests as one.${few}
- A request costs two processes **${costRatio(result).toFixed(2)}** of the processor time that it costs one${costsTooMuch(result) ? `, **more than ${MOST_COST}**` : ` (limit: ${MOST_COST})`}

| | one process | two processes |
| --- | --- | --- |
| answers/s, median (lowest to highest) | ${range(one)} | ${range(two)} |
| p50, p99, ms | ${times(one)} | ${times(two)} |
| CPU of the server processes, ms a request | ${serversCost(one).toFixed(3)} | ${serversCost(two).toFixed(3)} |
| … of the first, of the second | ${each(one)} | ${each(two)} |
| CPU of PostgreSQL, ms a request | ${databaseCost(one)} | ${databaseCost(two)} |
| CPU of the proxy, ms a request | ${proxyCost(one)} | ${proxyCost(two)} |
`;
}

function range(seen: readonly Turn[]): string {
  const rates = listRates(seen);
  return `${median(rates).toFixed(0)} (${Math.min(...rates).toFixed(0)} to ${Math.max(...rates).toFixed(0)})`;
}

function times(seen: readonly Turn[]): string {
  const all = seen.flatMap(({ load }) => load.times);
  return `${quantile(all, 0.5).toFixed(2)}, ${quantile(all, 0.99).toFixed(1)}`;
}

/** By place: the first process, then the second. */
function each(seen: readonly Turn[]): string {
  const places = seen[0]?.serversMs.map((_, place) => place) ?? [];
  return places.map((place) => (sum(seen.map(({ serversMs }) => serversMs[place] ?? 0)) / countRequests(seen)).toFixed(3)).join(', ');
}

function databaseCost(seen: readonly Turn[]): string {
  const known = seen.flatMap(({ databaseMs }) => databaseMs ?? []);
  return known.length < seen.length ? '?' : (sum(known) / countRequests(seen)).toFixed(3);
}

const proxyCost = (seen: readonly Turn[]): string => (sum(seen.map(({ proxyMs }) => proxyMs)) / countRequests(seen)).toFixed(3);

export async function writeProcesses(text: string): Promise<string> {
  const folder = join(import.meta.dirname, '..', 'results');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'processes.md');
  await writeFile(file, text);
  return file;
}
