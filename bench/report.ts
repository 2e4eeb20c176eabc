import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Figures, NOISY, type Result } from './measure.ts';
import type { MemoryRow } from './memory.ts';
import type { Options } from './options.ts';
import type { Usage } from './process.ts';
import { type Ratios, toRatios } from './ratios.ts';
import type { Started } from './servers.ts';
import { median, percent, spread } from './statistics.ts';

export interface Report {
  options: Options;
  machine: string[];
  settings: Record<string, string>;
  patients: number;
  appointments: number;
  /** All started servers, the floor first. */
  contenders: readonly Pick<Started, 'name' | 'title' | 'server' | 'firstAnswerMs' | 'atRest'>[];
  results: Result[];
  /** By name of the server; empty when it was left out. */
  memory: ReadonlyMap<string, MemoryRow>;
}

const number = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
const mebibytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
const range = ({ rates }: Figures) => `${number(median(rates))} (${number(Math.min(...rates))} to ${number(Math.max(...rates))})`;
const costs = ({ cpuMs, databaseCpuMs }: Figures) => `${number(cpuMs)} + ${databaseCpuMs === null ? '?' : number(databaseCpuMs)}`;

/** One line of progress. */
export function writeLine(result: Result): string {
  const { ofFloor, costOfFloor, bestPeer } = toRatios(result);
  const rates = [...result.figures].map(([name, figures]) => `${name} ${range(figures)}/s at ${costs(figures)} ms`).join(', ');
  const peer = bestPeer === null ? '' : `, ${bestPeer.ratio.toFixed(2)} of ${bestPeer.name}`;
  const noisy = result.noisy ? ' (thrown away: the machine is not quiet)' : '';
  return `${result.workload.title}: ${rates}; ours is ${ofFloor.toFixed(2)} of the floor${peer}${noisy}; by processor time ${costOfFloor.toFixed(2)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The ratios to the floor and the best peer, with their goals. */
function ratiosTable(results: readonly Result[]): string {
  return table(
    ['workload', 'of the floor by processor time', 'goal', 'of the floor by answers a second', 'of the best peer', 'goal', 'met'],
    results.map((result) => {
      const ratios = toRatios(result);
      const { ofFloor, costOfFloor, bestPeer, goal } = ratios;
      return [
        result.workload.title,
        `**${costOfFloor.toFixed(2)}**`,
        goal === null ? '' : goal.floor.toFixed(2),
        result.noisy ? `(${ofFloor.toFixed(2)})` : ofFloor.toFixed(2),
        bestPeer === null ? '–' : `${bestPeer.ratio.toFixed(2)} (${bestPeer.name})`,
        goal === null ? '' : (goal.peer?.toFixed(1) ?? ''),
        metMark(ratios),
      ];
    }),
  );
}

function metMark({ costOfFloor, bestPeer, goal }: Ratios): string {
  if (goal === null) return '';
  if (bestPeer === null && goal.peer !== null) return costOfFloor >= goal.floor ? '?' : 'no';
  return costOfFloor >= goal.floor && (bestPeer?.ratio ?? 0) >= (goal.peer ?? 0) ? 'yes' : 'no';
}

function ratesTable({ results, contenders }: Report): string {
  return table(
    ['workload', 'server', 'answers/s', 'p50, ms', 'p99, ms', 'CPU, ms a request, server + database', 'resident, MiB', 'body, KiB'],
    results.flatMap(({ workload, figures }) =>
      contenders.map(({ name }, index) => {
        const shown = figures.get(name);
        const title = index === 0 ? workload.title : '';
        if (!shown) return [title, name, ...Array.from({ length: 6 }, () => '–')];
        return [
          title,
          name,
          range(shown),
          number(shown.p50),
          number(shown.p99),
          costs(shown),
          mebibytes(shown.rss),
          number(shown.bytes / 1024),
        ];
      }),
    ),
  );
}

function memoryTable({ memory, contenders }: Report): string {
  const both = ({ rss, heapUsed }: Usage) => `${mebibytes(rss)}, ${mebibytes(heapUsed)}`;
  const rows = contenders.map(({ name, title, server, firstAnswerMs, atRest }) => {
    const row = memory.get(name);
    const under = row ? [both(row.before), both(row.after), mebibytes(row.highestRss)] : ['–', '–', '–'];
    return [title, `${Math.round(server.startMs)} ms`, `${Math.round(firstAnswerMs)} ms`, both(atRest), ...under];
  });
  const [[, { requests }] = ['', { requests: 0 }]] = memory;
  return `Memory in MiB: resident, and heap in use after a collection; under load, ${requests} requests of 5,000 records in a row.

${table(['server', 'ready after', 'first answer after', 'at rest after it', 'after a tenth of the load', 'after all', 'highest resident'], rows)}`;
}

export function resultsText(report: Report): string {
  const { options, machine, settings, patients, appointments, results, contenders } = report;
  const thrown = results.filter(({ noisy }) => noisy);
  return `# Results of \`npm run bench\`

Made by \`npm run bench\`; what is measured and how is in [docs/performance.md](../docs/performance.md). How costs grow with the
data, two processes beside one, and ten minutes of the mix are what \`--growth\`, \`--processes\` and \`--soak\` write into \`results/\`.

- ${machine.join('\n- ')}
- PostgreSQL on the same machine, ${Object.entries(settings)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')}
- ${patients.toLocaleString('en')} patients and ${appointments.toLocaleString('en')} appointments in the practice that is asked
- ${
    contenders
      .slice(2)
      .map(({ title }) => title)
      .join(', ') || 'no peers'
  }, beside the floor and ours
- ${options.repetitions} repetitions of ${options.seconds} s for each server, in turns; medians, with the lowest and the highest
${thrown.length > 0 ? `- ${thrown.length} of ${results.length} thrown away, since the floor itself spread by more than ${percent(NOISY)}: ${thrown.map(({ workload, figures }) => `${workload.name} ${percent(spread(figures.get('floor')?.rates ?? []))}`).join(', ')}\n` : ''}
## Ours beside the others

${ratiosTable(results)}

## Start and memory

${memoryTable(report)}

## All figures

${ratesTable(report)}
`;
}

export async function writeResults(report: Report): Promise<string> {
  const file = join(import.meta.dirname, 'RESULTS.md');
  await writeFile(file, resultsText(report));
  await writeBetweenMarkers(join(import.meta.dirname, '..', 'docs', 'performance.md'), ratiosTable(report.results));
  return file;
}

const MARKERS = ['<!-- bench -->', '<!-- /bench -->'] as const;

/** Replaces the text between the markers of a file; a file without them is left unchanged. */
async function writeBetweenMarkers(file: string, text: string): Promise<void> {
  const whole = await readFile(file, 'utf8');
  const [from, to] = MARKERS.map((marker) => whole.indexOf(marker));
  if (from === undefined || to === undefined || from < 0 || to < from) return;
  await writeFile(file, `${whole.slice(0, from + MARKERS[0].length)}\n${text}\n${whole.slice(to)}`);
}
