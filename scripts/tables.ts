/**
 * Reads what each table needs from the lines above its model in prisma/schema, and writes it as src/generated/tables.ts. The lines and
 * their forms are described at the top of prisma/schema/schema.prisma.
 */

interface SchemaFile {
  name: string;
  text: string;
}

interface Model {
  file: string;
  name: string;
  table: string;
  /** The Prisma type of each column. */
  columns: ReadonlyMap<string, string>;
  /** What each line says after its word. */
  lines: ReadonlyMap<string, string>;
}

/** Files whose tables come first, in the order in which people read an export of a patient. */
const FIRST_FILES = ['patients', 'retention', 'imports', 'scheduling', 'booking', 'monitoring', 'alerts', 'telehealth'];

const MODEL = /((?:^\/\/\/.*\n)*)^model (\w+) \{\n([\s\S]*?)^\}/gm;
const LINE = /^\/\/\/ (placement|erasure|merge|expiry): (.+(?:\n\/\/\/ {2,}.+)*)/gm;
const FIELD = /^ {2}(\w+) +(\w+)(?:.*?@map\("(\w+)"\))?/gm;

/** A schema file without the lines that only this file reads. */
export const withoutTableLines = (text: string): string => text.replaceAll(new RegExp(`${LINE.source}\n`, 'gm'), '');

/**
 * The module src/generated/tables.ts.
 * @throws Error with a sentence for each line that is missing or cannot be read
 */
export function writeTables(files: readonly SchemaFile[]): string {
  const faults: string[] = [];
  const models = files.toSorted((one, other) => rank(one) - rank(other)).flatMap(readModels);
  const places = new Set(models.flatMap(({ table, columns }) => [...columns.keys()].map((column) => `${table}.${column}`)));
  const tables = models.map((model) => {
    const report = (sentence: string) => faults.push(`prisma/schema/${model.file}: model ${model.name} ${sentence}`);
    const table = toTable(model, report);
    for (const { from } of table.erasure?.links ?? [])
      if (from !== undefined && !places.has(from)) report(`has a line "/// erasure: …" that names ${from}, which is no column of a model`);
    return table;
  });
  const rows = sortByLinks(tables, (sentence) => faults.push(sentence)).map((table) => `  ${JSON.stringify(table)},\n`);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return `${TYPES}export const TABLES: readonly Table[] = [\n${rows.join('')}];\n`;
}

function rank({ name }: SchemaFile): number {
  const place = FIRST_FILES.indexOf(name.replace('.prisma', ''));
  return place === -1 ? FIRST_FILES.length : place;
}

function readModels({ name: file, text }: SchemaFile): Model[] {
  return [...text.matchAll(MODEL)].map(([, above = '', name = '', body = '']) => {
    const lines = new Map([...above.matchAll(LINE)].map(([, word = '', said = '']) => [word, said.replaceAll(/\n\/\/\/ +/g, ' ')]));
    const columns = new Map([...body.matchAll(FIELD)].map(([, field = '', type = '', column = field]) => [column, type]));
    return { file, name, table: /@@map\("(\w+)"\)/.exec(body)?.[1] ?? name, columns, lines };
  });
}

type Report = (sentence: string) => void;
type Table = ReturnType<typeof toTable>;

/** The lines that a model must have, and those that it may have. */
function toTable(model: Model, report: Report) {
  const { columns, lines } = model;
  const isExpiring = columns.has('expires_at') || columns.has('expire');
  const read = <T>(word: keyof typeof FORMS, isRequired: boolean, parse: (said: string) => T | null) => {
    const said = lines.get(word);
    if (said === undefined && isRequired) report(`lacks the line "/// ${word}: …": ${FORMS[word]}`);
    const found = said === undefined ? undefined : parse(said);
    if (found === null) report(`has a line that cannot be read, "/// ${word}: ${said}": ${FORMS[word]}`);
    return found ?? undefined;
  };
  if (lines.has('merge') && !columns.has('patient_id')) report('has a line "/// merge: …", but no column patient_id');
  const place = read('placement', true, parsePlacement);
  return {
    name: place?.table ?? model.table,
    isOfPractice: columns.has('organization_id'),
    placement: place?.placement,
    erasure: read('erasure', true, (said) => parseErasure(said, columns)),
    merge: read('merge', columns.has('patient_id'), (said) => parseMerge(said, columns)),
    expiry: read('expiry', isExpiring, parseExpiry),
  };
}

const FORMS = {
  placement: 'distributed; reference -- REASON; or local -- REASON',
  erasure: '"HEADING" by COLUMN, COLUMN = TABLE.COLUMN, …; evidence "HEADING" by …; or none -- REASON',
  merge: 'by COLUMN, then where needed numbered COLUMN, also COLUMN, unless SQL; or stays -- REASON',
  expiry: 'SQL; by rule, see FILE; or kept -- REASON',
};

// Each reads what a line says: undefined where it says that there is nothing, null where it cannot be read.

/** A model of a view names the table behind it. */
function parsePlacement(said: string) {
  const [, placement, table, reasoned] = /^(?:(distributed)(?: (\w+))?(?: -- .+)?|(reference|local) -- .+)$/.exec(said) ?? [];
  return placement === undefined && reasoned === undefined ? null : { placement: placement ?? reasoned, table };
}

function parseErasure(said: string, columns: Model['columns']) {
  if (/^none -- ./.test(said)) return undefined;
  const [, evidence, title, list = ''] = /^(evidence )?"([^"]+)" by (.+?)(?: -- .+)?$/.exec(said) ?? [];
  const links = list.split(', ').map((link) => /^(\w+)(?: = (\w+\.\w+))?$/.exec(link));
  if (links.some((link) => !columns.has(link?.[1] ?? ''))) return null;
  const rows = links.map((link) => ({
    column: link?.[1] ?? '',
    from: link?.[2],
    type: columns.get(link?.[1] ?? '') === 'String' ? 'text' : undefined,
  }));
  return { title, isEvidence: evidence === undefined ? undefined : true, links: rows };
}

function parseMerge(said: string, columns: Model['columns']) {
  if (/^stays -- ./.test(said)) return undefined;
  const found = /^by (\w+)(?: numbered (\w+))?(?: also (\w+))?(?: unless (.+))?$/.exec(said);
  if (found === null) return null;
  const [, by = '', numbered, also, unless] = found;
  return [by, numbered, also].every((column) => column === undefined || columns.has(column)) ? { by, numbered, also, unless } : null;
}

function parseExpiry(said: string) {
  if (/^kept -- .|^by rule, see \S+\.ts$/.test(said)) return undefined;
  const [expiry = ''] = said.split(' -- ');
  return expiry.includes(' < ') ? expiry : null;
}

/** Each table after those that its rows are linked to. */
function sortByLinks(tables: readonly Table[], report: Report): Table[] {
  const sorted: Table[] = [];
  for (let left = [...tables]; left.length > 0; ) {
    const waiting = new Set(left.map(({ name }) => name));
    const next = left.find(
      ({ erasure }) => !erasure?.links.some(({ from }) => from !== undefined && waiting.has(from.split('.')[0] ?? '')),
    );
    if (next === undefined) {
      report(`The lines "/// erasure: …" link these tables in a circle: ${[...waiting].join(', ')}`);
      break;
    }
    sorted.push(next);
    left = left.filter((table) => table !== next);
  }
  return sorted;
}

const TYPES = `// Written by scripts/tables.ts from prisma/schema.

/**
 * Where the rows of a table are in a database that Citus distributes:
 * \`distributed\`: on the node of their practice, beside all its other rows;
 * \`reference\`: on every node, so that rows of practices can be joined with them. A change waits for all nodes;
 * \`local\`: on the coordinator alone.
 */
export type Placement = 'distributed' | 'reference' | 'local';

/** A column, and the column of a table further up in the list that has the same value in a row of the patient. */
export interface Link {
  column: string;
  /** \`table.column\`; absent: the ids of the patient's charts. */
  from?: string;
  /** Of the column, where it has no ids. */
  type?: 'text';
}

/** Which rows are about a patient. */
export interface Erasure {
  /** The heading under which people read them. */
  title: string;
  /** Evidence of billing, which nothing deletes. */
  isEvidence?: true;
  /** One that holds makes a row the patient's. */
  links: readonly Link[];
}

/** How the rows of a chart go to the chart that it is merged into. */
export interface Merge {
  /** The column by which a row is known among those of its chart. */
  by: string;
  /** A column that numbers the rows of a chart from 1. */
  numbered?: string;
  /** Another column that repeats the id of the chart. */
  also?: string;
  /** SQL of a row \`w\` of the chart that goes on, which keeps the row \`t\` where it is: the key admits one of them. */
  unless?: string;
}

export interface Table {
  name: string;
  /** Whether its rows are of practices. */
  isOfPractice: boolean;
  placement: Placement;
  /** Absent where no row is about a patient. */
  erasure?: Erasure;
  /** Absent where rows stay with their chart, or are of none. */
  merge?: Merge;
  /** SQL: whether a row has expired. */
  expiry?: string;
}

/** Every table that has a model. Those with rows about a patient come after those that they are linked to. */
`;
