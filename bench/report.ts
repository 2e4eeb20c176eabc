import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Figures, NOISY, percent, type Result } from './measure.ts';
import type { MemoryRow } from './memory.ts';
import type { Options } from './options.ts';
import type { ServerUnderTest } from './process.ts';
import { median, spread } from './statistics.ts';

export interface Report {
  options: Options;
  machine: string[];
  settings: Record<string, string>;
  patients: number;
  appointments: number;
  results: Result[];
  memory: { floor: MemoryRow; ours: MemoryRow } | null;
  servers: { floor: ServerUnderTest; ours: ServerUnderTest };
}

const number = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
const range = ({ rates }: Figures) => `${number(median(rates))} (${number(Math.min(...rates))} to ${number(Math.max(...rates))})`;

const costs = ({ cpuMs, databaseCpuMs }: Figures) => `${number(cpuMs)} + ${databaseCpuMs === null ? '?' : number(databaseCpuMs)}`;

/** One line for the person who watches. */
export function lineOf({ workload, floor, ours, ratio, cpuRatio, noisy }: Result): string {
  const judged = noisy
    ? `thrown away: the floor spreads by ${percent(spread(floor.rates))}; would be ${ratio.toFixed(2)}`
    : ratio.toFixed(2);
  return `${workload.title}: floor ${range(floor)}/s, ours ${range(ours)}/s: ${judged}; CPU of server + database ${costs(floor)} and ${costs(ours)} ms a request (${cpuRatio.toFixed(2)})`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function ratesTable(results: readonly Result[]): string {
  return table(
    [
      'workload',
      'of the floor',
      'floor, answers/s',
      'ours, answers/s',
      'p50, ms: floor, ours',
      'p99, ms: floor, ours',
      'CPU, ms a request, server + database: floor; ours',
      'body, KiB',
    ],
    results.map(({ workload, floor, ours, ratio, cpuRatio, noisy }) => [
      workload.title,
      noisy ? `(${ratio.toFixed(2)}) thrown away` : `**${ratio.toFixed(2)}**`,
      range(floor),
      range(ours),
      `${number(floor.p50)}, ${number(ours.p50)}`,
      `${number(floor.p99)}, ${number(ours.p99)}`,
      `${costs(floor)}; ${costs(ours)} (${cpuRatio.toFixed(2)})`,
      number(ours.bytes / 1024),
    ]),
  );
}

function memoryTable({ memory, servers }: Report): string {
  if (memory === null) return '';
  const row = (name: string, { rest, before, after, highestRss }: MemoryRow, server: ServerUnderTest) => [
    name,
    `${Math.round(server.startMs)} ms`,
    `${mebibytes(rest.rss)}, ${mebibytes(rest.heapUsed)}`,
    `${mebibytes(before.rss)}, ${mebibytes(before.heapUsed)}`,
    `${mebibytes(after.rss)}, ${mebibytes(after.heapUsed)}`,
    mebibytes(highestRss),
  ];
  const title = `Memory over ${memory.ours.requests} requests of 5,000 records, in MiB: resident, and heap in use after a collection`;
  return `${title}:\n\n${table(
    ['server', 'start', 'before the first', 'after a tenth', 'after all', 'highest resident'],
    [row('floor', memory.floor, servers.floor), row('ours', memory.ours, servers.ours)],
  )}`;
}

export function resultsText(report: Report): string {
  const { options, machine, settings, patients, appointments, results } = report;
  const thrown = results.filter(({ noisy }) => noisy).length;
  return `# Results of \`npm run bench\`

Made by \`npm run bench\`; what is measured and how is in \`docs/performance.md\`.

- ${machine.join('\n- ')}
- PostgreSQL on the same machine, ${Object.entries(settings)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')}
- ${patients.toLocaleString('en')} patients and ${appointments.toLocaleString('en')} appointments in the practice that is asked
- ${options.repetitions} repetitions of ${options.seconds} s for each server, in turns; medians, with the lowest and the highest
${thrown > 0 ? `- ${thrown} of ${results.length} thrown away: the floor itself spread by more than ${percent(NOISY)}, so the machine was not quiet\n` : ''}
${ratesTable(results)}

${memoryTable(report)}
`;
}

export async function writeResults(report: Report): Promise<string> {
  const file = join(import.meta.dirname, 'RESULTS.md');
  await writeFile(file, resultsText(report));
  return file;
}
