import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

/** A fenced block of a page. */
export interface Block {
  /** Of its first fence, from 1. */
  line: number;
  /** `sh`, `yaml` and so on; nothing for what a command prints. */
  language: string;
  /** The reason after `no-run:`. */
  noRun: string | undefined;
  /** The file that it shows, by the word after the language or the comment in its first line: `// receiver.mjs`. */
  shows: string | undefined;
  lines: string[];
  /** Whether only a blank line separates it from the block before. */
  follows: boolean;
}

export interface Page {
  /** From the folder of the project. */
  file: string;
  lines: number;
  blocks: Block[];
}

const FENCE = /^ *```(\S*) *(?:no-run: (.+)|(\S+))?$/;
const NAMED = /^(?:#|\/\/) (\S+\.\w+)$/;

/** README and all pages of `docs/` that have a fenced block. */
export function readPages(): Page[] {
  const files = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT }).sort()];
  return files.map(readPage).filter(({ blocks }) => blocks.length > 0);
}

function readPage(file: string): Page {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  const blocks: Block[] = [];
  let open: Block | undefined;
  let end = 0;
  for (const [index, line] of lines.entries()) {
    const fence = FENCE.exec(line);
    if (open === undefined && fence !== null) {
      const [, language = '', noRun, name] = fence;
      const shows = name ?? NAMED.exec(lines[index + 1] ?? '')?.[1];
      open = { line: index + 1, language, noRun, shows, lines: [], follows: end > 0 && lines.slice(end, index).join('').trim() === '' };
    } else if (open !== undefined && fence !== null) {
      blocks.push(open);
      open = undefined;
      end = index + 1;
    } else open?.lines.push(line);
  }
  if (open !== undefined) throw new Error(`${file}:${open.line}: the block does not end`);
  return { file, lines: lines.length, blocks };
}
