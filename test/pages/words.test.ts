import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { en } from '../../src/pages/client/words/words.en.ts';
import { es } from '../../src/pages/client/words/words.es.ts';
import { PAGE_WORDS } from '../../src/pages/design/layout/page-words.ts';
import { FAILURE_WORDS } from '../../src/pages/failures/failure-words.ts';
import { CHECK_IN_WORDS } from '../../src/pages/patients/check-in/check-in-words.ts';
import { MESSAGE_WORDS } from '../../src/pages/patients/external-message/message-words.ts';
import { VISIT_WORDS } from '../../src/pages/patients/visit/visit-words.ts';

/** The words of a table by their paths; of a function those that it makes of two values. */
function listWords(table: unknown, path = ''): [string, string][] {
  if (typeof table === 'string') return [[path, table]];
  if (typeof table === 'function') {
    const made: unknown =
      path === '.nameRefused' ? Reflect.apply(table, null, ['name: is missing']) : Reflect.apply(table, null, [['Ana'], ['Ben']]);
    return [[path, String(made)]];
  }
  if (typeof table !== 'object' || table === null) return [];
  return Object.entries(table).flatMap(([name, part]) => listWords(part, `${path}.${name}`));
}

/** Names and times alone, and what is spelt alike in both languages. */
const SAME = ['.no', '.dialogs.record.no', '.list', '.waiting.when', '.chat.head', '.people.marks.patient'];

describe('the words of the pages', () => {
  it.each([
    ['all pages', PAGE_WORDS],
    ['check-ins', CHECK_IN_WORDS],
    ['external messages', MESSAGE_WORDS],
    ['visits', VISIT_WORDS],
    ['the scripts of visits', { en, es }],
    ['failures', FAILURE_WORDS],
  ])('of %s differ between the languages', (_, tables) => {
    const english = new Map(listWords(tables.en));
    const spanish = listWords(tables.es);
    const missing = [...english.keys()].filter((path) => spanish.every(([one]) => one !== path));
    expect(missing).toEqual([]);
    expect(spanish.filter(([path, words]) => english.get(path) === words && !SAME.includes(path))).toEqual([]);
  });

  it('of the scripts of visits have a Spanish sentence for each refusal of the server', () => {
    const folders = ['src/domain/telehealth', 'src/realtime'].map((folder) => new URL(`../../${folder}/`, import.meta.url));
    const files = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.ts'))
        .map((path) => ({ name: basename(path), text: readFileSync(new URL(path, folder), 'utf8') })),
    );
    const seen = files
      .filter(({ name }) => !OF_APIS.includes(name))
      .flatMap(({ text }) => [...text.matchAll(REFUSAL)].flatMap(([, one, other]) => one ?? other ?? []));
    expect(new Set(seen).size).toBeGreaterThan(15);
    expect([...new Set(seen)].filter((code) => !(code in es.failures.byCode) && code !== 'foreign_origin')).toEqual([]);
  });
});

const REFUSAL = /(?:conflict|forbidden)\(\s*'(\w+)'|Failure\('\w+', '(\w+)'/g;
/** Rules behind the APIs and the lobby alone. */
const OF_APIS = [
  ...['host-links.ts', 'sessions.ts', 'lobby.ts', 'late-notices.ts', 'media-lists.ts', 'media-corrections.ts', 'review-urls.ts'],
  ...['invites.ts', 'reports.ts', 'five-minute-link.ts'],
];
