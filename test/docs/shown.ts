/** What differs from run to run: ids, instants, random words. */
const VARIABLE: readonly [RegExp, string][] = [
  [/"(\w*_)?(uu)?id":\d+/g, '"$1$2id":ID'],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'INSTANT'],
  [/\bevt_\d+/g, 'EVENT'],
];

/** A line without what differs, and without spaces. */
const plain = (line: string): string =>
  VARIABLE.reduce((text, [pattern, name]) => text.replaceAll(pattern, name), line.replaceAll(/\s+/g, ''));

/** Whether an output ends as a page shows it. `…` is any text of a line, and any lines where it is a line of its own. */
export function endsAsShown(output: string, shown: readonly string[]): boolean {
  const lines = output.split('\n').map(plain);
  const expected = shown
    .map(plain)
    .filter((line) => line !== '')
    .map(toPattern);
  const printed = lines.filter((line) => line !== '').map((line) => `${line}\n`);
  return new RegExp(`^${expected.join('')}$`, 'm').test(printed.join(''));
}

function toPattern(line: string): string {
  if (line === '…') return '(?:.*\\n)*';
  const parts = line.split('…').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return `${parts.join('.*')}\\n`;
}
