import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figures } from '../measure.ts';
import type { Options } from '../options.ts';
import type { Reach } from './reach.ts';

/** The cost of one workload in a database of one size. */
export interface Cost {
  name: string;
  title: string;
  figures: Figures;
  /** The mean number of rows in a response. */
  rows: number;
  /** The mean total in a response; null where responses have none. */
  total: number | null;
}

/** The costs of all workloads in a database of one size. */
export interface Grown {
  patients: number;
  appointments: number;
  costs: Cost[];
  reaches: Reach[];
}

const number = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));
const many = (value: number) => Math.round(value).toLocaleString('en');
const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');

const whole = ({ figures: { cpuMs, databaseCpuMs } }: Cost) => cpuMs + (databaseCpuMs ?? 0);

function costRows(grown: readonly Grown[]): string[][] {
  const names = [...new Set(grown.flatMap(({ costs }) => costs.map(({ name }) => name)))];
  return names.flatMap((name) => {
    const smallest = grown[0]?.costs.find((cost) => cost.name === name);
    return grown.flatMap(({ patients, costs }) => {
      const cost = costs.find((one) => one.name === name);
      if (!cost) return [];
      const { cpuMs, databaseCpuMs, p50, p99 } = cost.figures;
      return [
        [
          name,
          many(patients),
          `${number(cpuMs)} + ${databaseCpuMs === null ? '?' : number(databaseCpuMs)}`,
          smallest && smallest !== cost ? (whole(cost) / whole(smallest)).toFixed(2) : '1',
          number(p50),
          number(p99),
          number(cost.rows),
          number((whole(cost) * 1000) / cost.rows),
          cost.total === null ? '' : many(cost.total),
        ],
      ];
    });
  });
}

function reachRows(grown: readonly Grown[]): string[][] {
  const titles = grown[0]?.reaches.map(({ title }) => title) ?? [];
  return titles.flatMap((title) =>
    grown.flatMap(({ patients, reaches }) =>
      reaches
        .filter((reach) => reach.title === title)
        .map(({ rows, pages }) => [title, many(patients), many(rows), many(pages), number(pages / rows)]),
    ),
  );
}

/** The scans of each statement; listed by size only where they differ. */
function plans(grown: readonly Grown[]): string {
  const titles = grown[0]?.reaches.map(({ title }) => title) ?? [];
  return titles
    .flatMap((title) => {
      const found = Map.groupBy(grown, ({ reaches }) => reaches.find((reach) => reach.title === title)?.scans.join(', ') ?? '');
      return [...found].map(([scans, those]) => {
        const sizes = found.size === 1 ? '' : `, ${those.map(({ patients }) => many(patients)).join(' and ')} patients`;
        return `- ${title}${sizes}: ${scans}`;
      });
    })
    .join('\n');
}

/** A bar chart of the pages that the statements read, by size: pages of results stay flat, counts grow. */
function curve(grown: readonly Grown[]): string {
  const longest = Math.max(...grown.flatMap(({ reaches }) => reaches.map(({ pages }) => Math.log10(pages + 1))));
  return (grown[0]?.reaches ?? [])
    .flatMap(({ title }) =>
      grown.map(({ patients, reaches }) => {
        const pages = reaches.find((reach) => reach.title === title)?.pages ?? 0;
        const bar = '█'.repeat(Math.max(1, Math.round((Math.log10(pages + 1) / longest) * 40)));
        return `${title.padEnd(28)} ${many(patients).padStart(10)} ${bar} ${many(pages)}`;
      }),
    )
    .join('\n');
}

export function growthText(
  grown: readonly Grown[],
  machine: readonly string[],
  { seconds, repetitions }: Pick<Options, 'seconds' | 'repetitions'>,
): string {
  return `# What grows with the table

Made by \`npm run bench -- --growth\`: this server alone, on databases of several sizes, with nine practices of a
tenth of its size beside the one that is asked. The largest holds that one alone: charts, name keys, privacy forms and portal
accounts, and no appointments.

- ${machine.join('\n- ')}
- ${repetitions} times ${seconds} s for each size, after a warm-up; processor time of the server and of PostgreSQL

${table(
  [
    'workload',
    'patients',
    'CPU, ms a request: server + database',
    'of the smallest',
    'p50, ms',
    'p99, ms',
    'rows an answer',
    'CPU a row, µs',
    'total counted',
  ],
  costRows(grown),
)}

A page costs what its rows cost, and its rows lie at the end of one range of one index, however long the index is. What does
grow is the exact total of a search, since it counts what it finds: with ten times the patients, ten times as many have the name.
The statements one by one, with the pages of 8 KiB that each samples into, counted as often as it turns to them: where the visibility
map of a table has several pages, a count along an index goes to and fro between those.

${table(['statement', 'patients', 'rows', 'pages', 'pages a row'], reachRows(grown))}

${plans(grown)}

The same as a curve; a bar ten characters longer is ${bar(grown)} as many pages:

\`\`\`
${curve(grown)}
\`\`\`
`;
}

/** The factor that ten characters of a bar represent. */
function bar(grown: readonly Grown[]): string {
  const longest = Math.max(...grown.flatMap(({ reaches }) => reaches.map(({ pages }) => Math.log10(pages + 1))));
  return `${number(10 ** (longest / 4))} times`;
}

export async function writeGrowth(text: string): Promise<string> {
  const folder = join(import.meta.dirname, '..', 'results');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'growth.md');
  await writeFile(file, text);
  return file;
}
