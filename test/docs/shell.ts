import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Block, type Page, ROOT } from './pages.ts';

/** Where the blocks of pages run. */
export interface Place {
  folder: string;
  /** Of the demo server. */
  address: string;
  /** What a reader has, and no page may show. */
  files: Record<string, string>;
  env: Record<string, string> & { DATA_DIR: string };
}

/** What a block did. */
export interface Ran {
  output: string;
  /** Commands that ended with another code than 0, with their lines in the page. */
  failures: { line: number; text: string }[];
}

/** Runs the shell blocks of a page in one shell, in a folder with the files that the page shows. @returns by the line of the block */
export async function runPage({ file, lines, blocks }: Page, place: Place): Promise<Map<number, Ran>> {
  const folder = join(place.folder, file.replaceAll(/\W/g, '-'));
  await mkdir(folder);
  for (const name of ['scripts', 'node_modules']) await symlink(join(ROOT, name), join(folder, name));
  await symlink(place.env.DATA_DIR, join(folder, '.data'));
  for (const [name, content] of Object.entries(place.files)) await writeFile(join(folder, name), content);
  const here = (text: string) => text.replaceAll('http://127.0.0.1:3000', place.address).replaceAll('/mnt/', `${place.folder}/mnt/`);
  for (const { shows, lines: content } of blocks) {
    if (shows !== undefined) await writeFile(join(folder, shows), here(`${content.join('\n')}\n`));
  }
  // The lines of the script are those of the page, so that failures name them.
  const script = Array.from({ length: lines }, () => '');
  for (const { line, lines: commands } of blocks.filter(isRun)) script.splice(line - 1, commands.length + 1, `block ${line}`, ...commands);
  await writeFile(join(folder, '.page.sh'), here(script.join('\n')));
  const failures = join(folder, '.failures');
  await writeFile(failures, '');
  const env = { ...place.env, BASH_ENV: join(import.meta.dirname, 'prelude.sh'), FAILURES: failures };
  const shell = spawn('bash', ['.page.sh'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  await once(shell, 'close');
  return byBlock(output, await readFile(failures, 'utf8'), blocks);
}

/** What would change the machine of the test. */
const OF_THE_MACHINE = /\b(sudo|systemctl|apt-get|docker|kubectl|helm)\b|\/(etc|opt|var)\//;

/** @throws where a block that is not marked would change the machine */
export function isRun({ language, noRun, line, lines }: Block): boolean {
  if (language !== 'sh' || noRun !== undefined) return false;
  if (OF_THE_MACHINE.test(lines.join('\n')))
    throw new Error(`the block in line ${line} would change this machine: mark it with "no-run: …"`);
  return true;
}

function byBlock(output: string, noted: string, blocks: Block[]): Map<number, Ran> {
  const failures = noted.split('\n').slice(0, -1).map(parseFailure);
  const [before = '', ...parts] = output.split('\n\u001e');
  if (before !== '') throw new Error(before);
  const outputs = new Map(parts.map((part) => [Number.parseInt(part, 10), part.slice(part.indexOf('\n') + 1)]));
  return new Map(
    blocks.filter(isRun).map(({ line, lines }) => {
      const own = failures.filter((failure) => failure.line > line && failure.line <= line + lines.length);
      return [line, { output: outputs.get(line) ?? 'this block was not reached', failures: own }];
    }),
  );
}

/** The lines of functions come before those of their calls. */
function parseFailure(note: string): Ran['failures'][number] {
  const [code, lines = '', command] = note.split('\t');
  const line = Math.max(...lines.split(' ').map(Number));
  return { line, text: `line ${line}, exit code ${code}: ${command}` };
}
