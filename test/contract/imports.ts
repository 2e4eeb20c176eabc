import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { ENTRIES, LAYERS } from './layers.ts';

/** Source texts by their path in the repository. */
export type Sources = ReadonlyMap<string, string>;

/** The imports of each file, types included: paths in the repository, or names of packages. */
type Imports = ReadonlyMap<string, readonly string[]>;

const FOLDERS = ['src', 'bench', 'scripts', 'prisma', 'test'];
const IMPORT = /^(?:import|export)\s(?:[^'"`;=()]*\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

/** The sources of this repository without the generated ones. */
export function readSources(): Sources {
  const paths = FOLDERS.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)));
  const sources = paths.filter((path) => /\.(ts|mjs)$/.test(path) && !/node_modules|^src\/generated/.test(path));
  return new Map(sources.map((path) => [path, readFileSync(path, 'utf8')]));
}

const readImports = (sources: Sources): Imports =>
  new Map(
    [...sources].map(([path, text]) => {
      const names = [...text.matchAll(IMPORT)].map(([, from, dynamic]) => from ?? dynamic ?? '');
      return [path, names.map((name) => (name.startsWith('.') ? join(dirname(path), name) : name))];
    }),
  );

const covers = (path: string, file: string) => file === path || file.startsWith(`${path}/`);

/** The layer with the longest path that covers a file. */
const findLayer = (file: string) =>
  LAYERS.filter(({ path }) => covers(path, file)).sort((one, other) => other.path.length - one.path.length)[0];

/** One sentence for each import in `src` that the table of layers does not allow, and for each file without a layer. */
export function climbs(sources: Sources): string[] {
  return [...readImports(sources)].flatMap(([file, targets]) => {
    if (!covers('src', file)) return [];
    const layer = findLayer(file);
    if (layer === undefined) return [`${file} has no layer`];
    return targets.filter((target) => !allows(layer, target)).map((target) => `${file} imports ${target}`);
  });
}

function allows(layer: (typeof LAYERS)[number], target: string): boolean {
  if (/^(@fastify\/|fastify$)/.test(target)) return layer.fastify === true;
  if (!FOLDERS.some((folder) => covers(folder, target))) return true;
  const its = findLayer(target);
  if (its === layer && !ENTRIES.includes(target)) return true;
  // A path covers a higher layer inside of its folder too.
  if (its && LAYERS.indexOf(its) < LAYERS.indexOf(layer)) return false;
  return layer.imports.some((path) => covers(path, target)) && !ENTRIES.some((entry) => covers(entry, target));
}

/** Groups of files that import each other in a circle, types included. */
export function circles(sources: Sources): string[][] {
  const imports = readImports(sources);
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
