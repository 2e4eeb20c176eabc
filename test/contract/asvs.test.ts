import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The requirements of ASVS 5.0 at levels 1 and 2: a section and the last parts of its numbers. */
const REQUIRED: Record<string, string> = {
  '1.1': '1 2',
  '1.2': '1 2 3 4 5 6 7 8 9',
  '1.3': '1 2 3 4 5 6 7 8 9 10 11',
  '1.4': '1 2 3',
  '1.5': '1 2',
  '2.1': '1 2 3',
  '2.2': '1 2 3',
  '2.3': '1 2 3 4',
  '2.4': '1',
  '3.2': '1 2',
  '3.3': '1 2 3 4',
  '3.4': '1 2 3 4 5 6',
  '3.5': '1 2 3 4 5',
  '3.7': '1 2',
  '4.1': '1 2 3',
  '4.2': '1',
  '4.3': '1 2',
  '4.4': '1 2 3 4',
  '5.1': '1',
  '5.2': '1 2 3',
  '5.3': '1 2',
  '5.4': '1 2 3',
  '6.1': '1 2 3',
  '6.2': '1 2 3 4 5 6 7 8 9 10 11 12',
  '6.3': '1 2 3 4',
  '6.4': '1 2 3 4',
  '6.5': '1 2 3 4 5',
  '6.6': '1 2 3',
  '6.8': '1 2 3 4',
  '7.1': '1 2 3',
  '7.2': '1 2 3 4',
  '7.3': '1 2',
  '7.4': '1 2 3 4 5',
  '7.5': '1 2',
  '7.6': '1 2',
  '8.1': '1 2',
  '8.2': '1 2 3',
  '8.3': '1',
  '8.4': '1',
  '9.1': '1 2 3',
  '9.2': '1 2 3 4',
  '10.1': '1 2',
  '10.2': '1 2',
  '10.3': '1 2 3 4',
  '10.4': '1 2 3 4 5 6 7 8 9 10 11',
  '10.5': '1 2 3 4 5',
  '10.6': '1 2',
  '10.7': '1 2 3',
  '11.1': '1 2',
  '11.2': '1 2 3',
  '11.3': '1 2 3',
  '11.4': '1 2 3 4',
  '11.5': '1',
  '11.6': '1',
  '12.1': '1 2 3',
  '12.2': '1 2',
  '12.3': '1 2 3 4',
  '13.1': '1',
  '13.2': '1 2 3 4 5',
  '13.3': '1 2',
  '13.4': '1 2 3 4 5',
  '14.1': '1 2',
  '14.2': '1 2 3 4',
  '14.3': '1 2 3',
  '15.1': '1 2 3',
  '15.2': '1 2 3',
  '15.3': '1 2 3 4 5 6 7',
  '16.1': '1',
  '16.2': '1 2 3 4 5',
  '16.3': '1 2 3 4',
  '16.4': '1 2 3',
  '16.5': '1 2 3',
  '17.1': '1',
  '17.2': '1 2 3 4',
  '17.3': '1 2',
};

const NUMBERS = Object.entries(REQUIRED).flatMap(([section, parts]) => parts.split(' ').map((part) => `${section}.${part}`));
const STATES = ['held', 'not held', 'does not apply'];
const PATH = /`((?:test|src|docs|openapi|scripts)\/[^`\s]*|[\w.-]+\.(?:json|yml|md)|Dockerfile|\.dockerignore)`/g;

const page = readFileSync('docs/asvs.md', 'utf8');
const rows = [...page.matchAll(/^\| (\d+\.\d+\.\d+) \| [12] \| (.+?) \| (.+?) \| (.+) \|$/gm)].map(
  ([, number = '', asks = '', state = '', by = '']) => ({ number, asks, state, by }),
);
const filesIn = (text: string): string[] => [...text.matchAll(PATH)].map(([, path = '']) => path);

it('the table of ASVS has each requirement once, with a decision and its reason or its proof', () => {
  expect(rows.map(({ number }) => number)).toEqual(NUMBERS);
  expect(rows.filter(({ state, by }) => !STATES.includes(state) || by.trim() === '')).toEqual([]);
  const claimed = rows.filter(({ state, by }) => state === 'held' && filesIn(by).length === 0);
  expect(claimed, 'held, and no file says by what').toEqual([]);
});

it('the table of ASVS and the page of security name files that exist', () => {
  const named = [...new Set([...filesIn(page), ...filesIn(readFileSync('docs/security.md', 'utf8'))])];
  expect(named.filter((path) => !path.includes('*') && !existsSync(path))).toEqual([]);
  expect(named.filter((path) => path.startsWith('test/')).length).toBeGreaterThan(50);
});

it('the table of ASVS counts its own rows', () => {
  const count = (state: string) => rows.filter((row) => row.state === state).length;
  const [held, missing, foreign] = STATES.map(count);
  expect(page).toContain(`Of ${rows.length} requirements ${held} are held, ${missing} are not, and ${foreign} do not apply.`);
});

it('the scripts of pages write no HTML, as 3.2.2 says', () => {
  const scripts = globSync('src/pages/client/**/*.ts');
  expect(scripts.length).toBeGreaterThan(20);
  const writes =
    /\.(inner|outer)HTML\s*\+?=[^=]|insertAdjacentHTML|document\.write|createContextualFragment|setHTMLUnsafe|\beval\(|new Function\b/;
  expect(scripts.filter((path) => writes.test(readFileSync(path, 'utf8')))).toEqual([]);
});
