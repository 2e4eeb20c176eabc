/**
 * `node scripts/texts.ts [words…]`: every text that a stranger reads, each with its place, so that an editor reads them in one go.
 * Of the source: string literals of two words and more, but statements. Of the documents: titles, summaries and descriptions.
 * With words, only the texts that contain one of them, in any case.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..');
const LEFT_OUT = /\/generated\/|\.sql\.ts$|\.d\.ts$/;
/** Two words at least, of which one has three letters; none of the things that code writes with blanks. */
const READS_AS_TEXT = /\p{L}{3}.*\s\S*\p{L}|\p{L}\s+\p{L}{3}/u;
const CODE =
  /^\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH|CREATE|ALTER|DROP|SET|GRANT|REVOKE|LOCK|VALUES|BEGIN|COMMIT|ORDER BY|AND|JOIN|FROM)\b|^[\w-]+: [\w-]+;|default-src|^M[\d. ]/;

interface Text {
  place: string;
  text: string;
}

const isText = (text: string) => READS_AS_TEXT.test(text) && !CODE.test(text);

function textsOfSource(path: string): Text[] {
  const source = readFileSync(join(ROOT, path), 'utf8');
  const texts: Text[] = [];
  const add = (start: number, text: string) => {
    const line = source.slice(0, start).split('\n').length;
    if (isText(text)) texts.push({ place: `${path}:${line}`, text: text.replace(/\s+/g, ' ').trim() });
  };
  new Visitor({
    Literal: ({ start, value }) => {
      if (typeof value === 'string') add(start, value);
    },
    TemplateLiteral: ({ start, quasis }) => add(start, quasis.map(({ value }) => value.cooked ?? value.raw).join('…')),
  }).visit(parseSync(path, source).program);
  return texts;
}

const Told = z.looseObject({ title: z.string().optional(), summary: z.string().optional(), description: z.string().optional() });

function textsOfDocument(path: string): Text[] {
  const texts: Text[] = [];
  const walk = (value: unknown, place: string) => {
    if (typeof value !== 'object' || value === null || /\/examples?\b/.test(place)) return;
    if (!Array.isArray(value)) {
      const { data } = Told.safeParse(value);
      for (const text of [data?.title, data?.summary, data?.description]) if (text && isText(text)) texts.push({ place, text });
    }
    for (const [name, member] of Object.entries(value)) walk(member, `${place}/${name.replaceAll('/', '~1')}`);
  };
  walk(JSON.parse(readFileSync(join(ROOT, path), 'utf8')), `${path}#`);
  return texts;
}

const files = (folder: string, ending: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((path) => path.endsWith(ending) && !LEFT_OUT.test(path))
    .sort();

const wanted = process.argv.slice(2).map((word) => word.toLowerCase());
const all = [...files('src', '.ts').flatMap(textsOfSource), ...files('openapi', '.json').flatMap(textsOfDocument)];
const places = Map.groupBy(all, ({ text }) => text);
for (const [text, [first, ...others]] of places) {
  if (wanted.length > 0 && !wanted.some((word) => text.toLowerCase().includes(word))) continue;
  console.log(`${first?.place}${others.length > 0 ? ` and ${others.length} more` : ''}\n  ${text}`);
}
