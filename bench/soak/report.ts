import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sample, Trends } from './trends.ts';

export interface Soaked {
  samples: readonly Sample[];
  found: Trends;
  machine: readonly string[];
  minutes: number;
  connections: number;
}

const mebibytes = (bytes: number, digits = 0) => (bytes / 2 ** 20).toFixed(digits);

export function soakText({ samples, found, machine, minutes, connections }: Soaked): string {
  const requests = samples.reduce((sum, look) => sum + look.requests, 0);
  const shown = samples.filter((_, place) => place % 4 === 3 || place === 0);
  const rows = shown.map(
    ({ minute, heap, rss, handles, connections: open }) =>
      `| ${minute.toFixed(1)} | ${mebibytes(heap, 2)} | ${mebibytes(rss)} | ${open} | ${handles ?? '?'} |`,
  );
  return `# What is kept over time

Made by \`npm run bench -- --soak\`: the mix of 80 reads and 20 writes for ${minutes} minutes, ${connections} requests at a time, and after each
quarter of a minute what the server holds: its heap after a collection, resident memory, database connections, open file handles.

- ${machine.join('\n- ')}
- ${requests.toLocaleString('en')} requests, each answered with 2xx
- From minute ${found.from} on the heap goes ${found.heapSlope < 0 ? 'down' : 'up'} by **${mebibytes(Math.abs(found.heapSlope), 2)} MiB in ten minutes** (limit: 1), by the line of least squares
- Last third against first: ${signed(found.connections)} connections, ${signed(found.handles)} handles
- ${found.level ? 'Level.' : '**Not level.**'}

| minute | heap, MiB | resident, MiB | connections | handles |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}

const signed = (value: number) => (value > 0 ? `+${value}` : String(value));

export async function writeSoak(text: string): Promise<string> {
  const folder = join(import.meta.dirname, '..', 'results');
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'soak.md');
  await writeFile(file, text);
  return file;
}
