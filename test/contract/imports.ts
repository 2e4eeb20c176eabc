import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { ENTRIES, ROOMS } from './floors.ts';

/** Source texts by their path in the repository. */
export type Sources = ReadonlyMap<string, string>;

/** What each file imports, types included: paths in the repository, or names of packages. */
type Imports = ReadonlyMap<string, readonly string[]>;

const FOLDERS = ['src', 'bench', 'scripts', 'prisma', 'test'];
const IMPORT = /^(?:import|export)\s(?:[^'"`;=()]*\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** The sources of this repository, without those that Prisma writes. */
export function readSources(): Sources {
  const paths = FOLDERS.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)));
  const sources = paths.filter((path) => /\.(ts|mjs)$/.test(path) && !/node_modules|^src\/generated/.test(path));
  return new Map(sources.map((path) => [path, readFileSync(path, 'utf8')]));
}

const importsOf = (sources: Sources): Imports =>
  new Map(
    [...sources].map(([path, text]) => {
      const names = [...text.matchAll(IMPORT)].map(([, from, dynamic]) => from ?? dynamic ?? '');
      return [path, names.map((name) => (name.startsWith('.') ? join(dirname(path), name) : name))];
    }),
  );

const covers = (path: string, file: string) => file === path || file.startsWith(`${path}/`);

/** The row of the table that names a file most closely. */
const roomOf = (file: string) =>
  ROOMS.filter(({ path }) => covers(path, file)).sort((one, other) => other.path.length - one.path.length)[0];

/** One sentence for each import in `src` that the table of floors does not allow, and for each file without a row. */
export function climbs(sources: Sources): string[] {
  return [...importsOf(sources)].flatMap(([file, targets]) => {
    if (!covers('src', file)) return [];
    const room = roomOf(file);
    if (room === undefined) return [`${file} has no row`];
    return targets.filter((target) => !allows(room, target)).map((target) => `${file} imports ${target}`);
  });
}

function allows(room: (typeof ROOMS)[number], target: string): boolean {
  if (/^(@fastify\/|fastify$)/.test(target)) return room.fastify === true;
  if (!FOLDERS.some((folder) => covers(folder, target))) return true;
  if (roomOf(target) === room && !ENTRIES.includes(target)) return true;
  return room.imports.some((path) => covers(path, target)) && !ENTRIES.some((entry) => covers(entry, target));
}

/** Groups of files that import each other in a circle, types included. */
export function circles(sources: Sources): string[][] {
  const imports = importsOf(sources);
  const reach = new Map([...imports.keys()].map((file) => [file, reachable(file, imports)]));
  const groups = [...reach]
    .filter(([file, files]) => files.has(file))
    .map(([file, files]) => [...files].filter((other) => reach.get(other)?.has(file)));
  return [...new Map(groups.map((group) => [group.sort().join(), group])).values()];
}

function reachable(file: string, imports: Imports): Set<string> {
  const reached = new Set<string>();
  const pending = [file];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const target of imports.get(next) ?? []) {
      if (!reached.has(target)) pending.push(target);
      reached.add(target);
    }
  }
  return reached;
}
