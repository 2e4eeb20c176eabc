import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Result } from './measure.ts';
import { median } from './statistics.ts';

/** Ratios of the floor's processor time to ours at the last release, by name of the workload. */
const FILE = join(import.meta.dirname, 'results', 'release.json');
const ratios = z.record(z.string(), z.number());

/** A fall by less may be the machine's. */
const MOST_FALL = 1 / 20;

/** The ratio in each round. */
function listRounds({ figures }: Result): number[] {
  const [floor, ours] = [figures.get('floor')?.costs ?? [], figures.get('ours')?.costs ?? []];
  return ours.flatMap((cost, round) => (floor[round] ?? Number.NaN) / cost);
}

export async function writeRelease(results: readonly Result[]): Promise<string> {
  const rows = results.map((result) => [result.workload.name, Number(median(listRounds(result)).toFixed(3))]);
  await writeFile(FILE, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
  return FILE;
}

/** Prints a line for each workload. @returns whether one costs more by a twentieth than at the release, and no round was as cheap */
export async function hasFallen(results: readonly Result[], print: (line: string) => void): Promise<boolean> {
  // Before the first release there is nothing to compare with.
  const released = ratios.parse(JSON.parse(await readFile(FILE, 'utf8').catch(() => '{}')));
  let fallen = false;
  for (const result of results) {
    const [before, rounds] = [released[result.workload.name], listRounds(result)];
    const now = median(rounds);
    const fell = before !== undefined && now < before * (1 - MOST_FALL) && rounds.every((ratio) => ratio < before);
    fallen ||= fell;
    print(
      `${fell ? 'FELL  ' : '      '}${result.workload.name}: ${now.toFixed(2)} of the floor by processor time, ${before?.toFixed(2) ?? 'no figure'} at the release`,
    );
  }
  return fallen;
}
